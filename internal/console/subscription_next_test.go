package console

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestWhatComesUp(t *testing.T) {
	for to, want := range map[billing.SubscriptionState]string{
		billing.StateActive: "becomes active", billing.StateTrial: "trial starts", billing.StateTrialExpired: "trial expires", billing.StateCanceled: "ends", billing.StateExpired: "expires",
	} {
		if got := nextWord(billing.KindStateChanged, to); got != want {
			t.Errorf("%s is coming up as %q, want %q", to, got, want)
		}
	}
}
