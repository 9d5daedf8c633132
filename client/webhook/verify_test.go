package webhook_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/tenantry/tenantry/client/webhook"
)

// TestVerifyRefuses needs nothing but the standard library; signatures that fit
// are made with that of the standard, elsewhere.
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	verifier, err := webhook.NewVerifier("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header map[string]string
		want   error
	}{
		"no header":    {nil, webhook.ErrMissingHeader},
		"no signature": {map[string]string{"webhook-id": "1", "webhook-timestamp": "1"}, webhook.ErrMissingHeader},
		"no time":      {map[string]string{"webhook-id": "1", "webhook-timestamp": "now", "webhook-signature": "v1,x"}, webhook.ErrMissingHeader},
		"forged":       {map[string]string{"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA v2,x"}, webhook.ErrSignature},
	} {
		header := http.Header{}
		for key, value := range c.header {
			header.Set(key, value)
		}
		if _, _, err := verifier.Verify(header, []byte("{}")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
