package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestProviderThatRounds collects with a provider that moves only multiples of 0.10, as
// Stripe does in currencies with three digits. Nobody has to look at it: what is missing
// is within the tolerance, and what is too much waits.
func TestProviderThatRounds(t *testing.T) {
	for _, c := range []struct{ price, name, collected, invoice, waits string }{
		{"100.03", "down", "SUCCEEDED 119.04: SUCCEEDED", "OPEN 11900", "0"},
		{"100.05", "up", "SUCCEEDED 119.06: SUCCEEDED", "PAID 11906", "4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				o.collects()
				o.Invoicing.Payments.Providers[collect.Test] = &stubborn{charge: func(c payment.Charge) (payment.Outcome, error) {
					return payment.Outcome{State: payment.Succeeded, Reference: "one", Amount: (c.Amount + 5) / 10 * 10, Currency: c.Currency, Step: 10}, nil
				}}
				p := o.policy("strict", "0 COLLECT", "1 COLLECT", "5 SUSPEND")
				o.dunned(servicetest.Must[*dunning.Policy](o.World)(invoicing.DunningPolicies.Update(o.Ctx, o.Invoicing.Runner, p.ID, func(p *dunning.Policy) error {
					p.Tolerance = "0.05"
					return nil
				})))
				o.list("fee", 1, flat(c.price, catalog.Annual))
				sub, i := o.overdue("acme")
				o.method(sub.AccountID, "ok")
				o.days(i.DueAt.AddDays(6).String())
				o.Equal("collected", o.collections(i), c.collected)
				o.Equal("invoice", o.invoiceState(i), c.invoice)
				o.Equal("waits", o.QueryText(`SELECT amount - amount_applied FROM payment`), c.waits)
				o.stands("paid", sub, i, "GOOD", "all", i.DueAt.String()+" 0 COLLECT")
				o.Equal("the card is still charged", o.QueryText(`SELECT count(*) FROM payment_method WHERE refused_at IS NULL`), "1")
				o.balanced(sub.AccountID)
			})
		})
	}
}
