package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

const (
	// chargeTime is how long a payment provider takes for a charge, of which chargesAtOnce
	// are under way: Stripe takes longer.
	chargeTime    = 100 * time.Millisecond
	chargesAtOnce = 32
)

// patientProvider charges everybody, and takes its time.
type patientProvider struct{ charged atomic.Int64 }

// Charge collects money.
func (p *patientProvider) Charge(_ context.Context, c payment.Charge) (payment.Outcome, error) {
	//house:clock what is measured takes real time
	<-time.After(chargeTime)
	p.charged.Add(1)
	return payment.Outcome{State: payment.Succeeded, Reference: "charge-" + c.Key, Amount: c.Amount, Currency: c.Currency}, nil
}

// Lookup is not needed: every charge is answered.
func (p *patientProvider) Lookup(context.Context, payment.Charge) (payment.Outcome, error) {
	return payment.Outcome{}, fmt.Errorf("nothing is looked up")
}

// Refund is not needed.
func (p *patientProvider) Refund(context.Context, payment.Refund) (payment.Outcome, error) {
	return payment.Outcome{}, fmt.Errorf("nothing is refunded")
}

// Notices are not sent.
func (p *patientProvider) Notices(*http.Request) ([]payment.Notice, error) {
	return nil, payment.ErrNoNotices
}

// measureCollecting collects the invoices of very many accounts and compares the rate of
// charges with that of a client that does nothing but send as many at once to the same
// provider.
func measureCollecting(r *run) []result {
	n := r.subs / 100
	c := r.newUnpaid("collecting", n, dunning.Step{Day: 0, Action: dunning.Collect})
	provider := &patientProvider{}
	c.Invoicing.Payments = invoicing.Payments{AllowTest: true, Concurrency: chargesAtOnce, Providers: map[collect.Provider]payment.Provider{collect.Test: provider}}
	must(c.Invoicing.PaymentMethodCreate(asClient(r.Context()), c.shop.accounts[0], collect.Test, "ok"))
	db := r.raw(c.database)
	r.copyTable(db, "payment_method", n, map[string]string{"id": "i", "account_id": "i"})
	r.execute(db, `UPDATE account SET payment_method_id = id`, `UPDATE dunning SET next_on = (SELECT next_on FROM dunning WHERE invoice_id = 1)`)
	for left := n; left > 0; {
		begun, _, _ := c.billBatch(r.Context())
		left -= begun
	}
	start := now()
	tagged(r.Context(), "server", func(ctx context.Context) {
		for provider.charged.Load() < int64(n) {
			_, _, err := c.Invoicing.RunCollections(ctx)
			check(err)
		}
		c.Invoicing.FinishCollections(ctx)
	})
	took := now().Sub(start)
	if paid := must(c.store.Queries().Number(r.Context(), `SELECT count(*) FROM invoice WHERE stage = 'PAID'`)); paid != n {
		r.Fatalf("%d of %d invoices are paid", paid, n)
	}
	bare := &patientProvider{}
	start = now()
	var clients sync.WaitGroup
	for range chargesAtOnce {
		clients.Go(func() {
			for range n / chargesAtOnce {
				must(bare.Charge(r.Context(), payment.Charge{}))
			}
		})
	}
	clients.Wait()
	alone := now().Sub(start)
	return []result{r.result("collections, rate", "/s", float64(n)/took.Seconds(), float64(bare.charged.Load())/alone.Seconds()).atLeast(0.8)}
}
