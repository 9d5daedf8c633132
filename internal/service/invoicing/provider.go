package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/payment/test"
)

// Payments is how money is collected.
type Payments struct {
	// Providers are those that were set up.
	Providers map[collect.Provider]payment.Provider
	// AllowTest lets accounts on real time have test payment methods, which move no
	// money. Accounts on test clocks can always have them.
	AllowTest bool
	// ClaimFor is how long nobody else asks about a collection that a server has taken;
	// longer than any request takes if it is 0.
	ClaimFor time.Duration
	// Concurrency is how many requests to providers are under way at once.
	Concurrency int
}

// defaultConcurrency is how many requests to providers are under way at once.
const defaultConcurrency = 32

// provider returns who moves the money of an account, nil if it was not set up. On a
// test clock it is the one for tests, by the time that the clock shows.
func (p *Payments) provider(name collect.Provider, clock *billing.TestClock) payment.Provider {
	if clock != nil {
		now := clock.Now
		return &test.Provider{Now: func() time.Time { return now }, Wait: func(context.Context, time.Duration) error { return nil }}
	}
	return p.Providers[name]
}

// resultOf is what a provider says, in the words of the rules.
func resultOf(o payment.Outcome) collect.Result {
	return collect.Result{
		Outcome: collect.Outcome(o.State), Code: o.Code, Message: o.Message, Hard: o.Hard, Reference: o.Reference, Amount: o.Amount, Fee: o.Fee, Currency: o.Currency,
	}
}
