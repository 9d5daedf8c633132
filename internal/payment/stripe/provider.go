// Package stripe collects money with Stripe: PaymentIntents without the customer
// present, SetupIntents by Checkout for saving payment methods, refunds, and
// webhooks. It stores nothing and decides nothing about invoices.
//
// A token of a payment method is the id of the customer and the id of the method:
// "cus_1/pm_1".
package stripe

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/payment"
)

// Config is what a Provider needs.
type Config struct {
	// APIKey is the secret or restricted key.
	APIKey string
	// WebhookSecrets are the signing secrets of the webhook endpoint. While one is
	// rotated there are two.
	WebhookSecrets []string
	// URL is the address of the API, empty for Stripe's.
	URL string
	// HTTP sends the requests; nil for http.DefaultClient.
	HTTP *http.Client
	Now  func() time.Time
}

// Provider is the payment provider STRIPE.
type Provider struct {
	config Config
	// backend sends requests. The library's own client is not used: it refers to
	// everything that Stripe offers, which would be half of the executable.
	backend stripe.Backend
}

var (
	_ payment.Provider = (*Provider)(nil)
	_ payment.Saver    = (*Provider)(nil)
)

// New returns a provider. It sends nothing yet.
func New(config Config) *Provider {
	backend := &stripe.BackendConfig{
		HTTPClient:      config.HTTP,
		EnableTelemetry: stripe.Bool(false),
		// Without an answer, the outcome is unknown and is looked up.
		MaxNetworkRetries: stripe.Int64(0),
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
	}
	if backend.HTTPClient == nil {
		backend.HTTPClient = http.DefaultClient
	}
	if config.URL != "" {
		backend.URL = stripe.String(config.URL)
	}
	return &Provider{config, stripe.GetBackendWithConfig(stripe.APIBackend, backend)}
}

// post makes an object at Stripe, and reads it into made.
func (p *Provider) post(path string, params stripe.ParamsContainer, made stripe.LastResponseSetter) error {
	return p.backend.Call(http.MethodPost, path, p.config.APIKey, params, made)
}

// metadataKey is where objects at Stripe have the key of the request that made them.
const metadataKey = "tenantry_key"

func tokenOf(customer, method string) string { return customer + "/" + method }

func splitToken(token string) (customer, method string, err error) {
	customer, method, _ = strings.Cut(token, "/")
	if !strings.HasPrefix(customer, "cus_") || method == "" {
		return "", "", fmt.Errorf("the token is not one of a Stripe payment method: it has the form cus_1/pm_1")
	}
	return customer, method, nil
}

// withTimeout bounds a request.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, payment.RequestTimeout)
}
