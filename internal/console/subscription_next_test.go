package console

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
)

func TestWhatComesUp(t *testing.T) {
	for to, want := range map[subscription.State]string{
		subscription.StateActive: "becomes active", subscription.StateTrial: "trial starts", subscription.StateTrialExpired: "trial expires", subscription.StateCanceled: "ends", subscription.StateExpired: "expires",
	} {
		if got := nextWord(subscription.KindStateChanged, to); got != want {
			t.Errorf("%s is coming up as %q, want %q", to, got, want)
		}
	}
}
