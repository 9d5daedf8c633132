package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/payment/stripe"
	"github.com/tenantry/tenantry/internal/payment/test"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// stripeConfig is how Stripe is reached. Its secrets come from the environment, where
// other users of the machine do not see them.
type stripeConfig struct {
	key     string
	secrets []string
	url     string
}

func givenStripe(env func(string) (string, bool)) (c stripeConfig, err error) {
	c.key, _ = env("TENANTRY_STRIPE_KEY")
	c.url, _ = env("TENANTRY_STRIPE_URL")
	secrets, _ := env("TENANTRY_STRIPE_WEBHOOK_SECRETS")
	for _, one := range strings.Split(secrets, ",") {
		if one = strings.TrimSpace(one); one != "" {
			c.secrets = append(c.secrets, one)
		}
	}
	switch {
	case c.key == "" && len(c.secrets) > 0:
		return c, usage("TENANTRY_STRIPE_WEBHOOK_SECRETS needs TENANTRY_STRIPE_KEY: the secret key of your Stripe account, such as sk_live_…")
	case c.key != "" && len(c.secrets) == 0:
		return c, usage("TENANTRY_STRIPE_KEY needs TENANTRY_STRIPE_WEBHOOK_SECRETS: the signing secret of the webhook endpoint that you made at Stripe, such as whsec_…")
	}
	return c, nil
}

// payments is how money is collected.
func (c *config) payments(now func() time.Time) invoicing.Payments {
	p := invoicing.Payments{Providers: map[collect.Provider]payment.Provider{}, AllowTest: c.testPayments}
	if c.testPayments {
		p.Providers[collect.Test] = &test.Provider{Now: now, Wait: wait}
	}
	if c.stripe.key != "" {
		p.Providers[collect.Stripe] = stripe.New(stripe.Config{APIKey: c.stripe.key, WebhookSecrets: c.stripe.secrets, URL: c.stripe.url, Now: now})
	}
	return p
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// notices takes what a payment provider tells by itself.
func (s *server) notices(provider collect.Provider) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Send the webhooks of your payment provider here, by POST.", http.StatusMethodNotAllowed)
			return
		}
		err := s.service.Invoicing.TakeNotices(r.Context(), provider, r)
		switch {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.Is(err, payment.ErrNoNotices):
			http.Error(w, "This payment provider is not set up here.", http.StatusNotFound)
		case errors.Is(err, payment.ErrForged), errors.Is(err, payment.ErrMalformed):
			s.log.WarnContext(r.Context(), "a request of a payment provider was refused", slog.Any("error", err))
			http.Error(w, "The request could not be verified.", http.StatusBadRequest)
		default:
			s.log.ErrorContext(r.Context(), "what a payment provider told was not recorded", slog.Any("error", err))
			http.Error(w, "It was not recorded. Send it again.", http.StatusInternalServerError)
		}
	})
}
