package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

func (o *office) writeOff(id billing.InvoiceID, correctTax bool) {
	o.T.Helper()
	_, err := o.Invoicing.InvoiceWriteOff(o.Ctx, id, "never pays", correctTax, true)
	o.OK(err)
}

func (o *office) cancel(sub *subscription.Subscription) {
	o.T.Helper()
	_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{})
	o.OK(err)
}

// balance is what an account owes, in minor units.
func (o *office) balance(account string) int64 {
	o.T.Helper()
	a, err := store.Accounts.ByCode(o.Ctx, o.Read(), account)
	o.OK(err)
	balances, err := store.Balances(o.Ctx, o.Read(), []billing.AccountID{a.ID}, servicetest.Day("2026-12-01"))
	o.OK(err)
	var sum int64
	for _, b := range balances {
		sum += int64(b.Balance)
	}
	return sum
}

// TestWriteOffIsNotGivenBack cancels subscriptions whose invoice was written off:
// who paid nothing gets nothing back, and who paid a part gets back what it was
// more than is owed.
func TestWriteOffIsNotGivenBack(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("year", 12, flat("1200", catalog.Annual))
		exempt := func(a *billing.Account) { a.TaxExempt = true }
		o.customer("none", exempt)
		o.customer("some", exempt)
		none, some := o.Subscribe("year", "none"), o.Subscribe("year", "some")
		o.run()
		o.pay("some", "400.00")
		o.at("2026-04-01")
		o.writeOff(1, false)
		o.writeOff(2, true)
		o.news()
		o.cancel(none)
		o.expect("nothing was paid", "")
		o.cancel(some)
		o.expect("400.00 were paid, and 249.86 are owed", "CN-2026-000003 2026-04-01: INV-2026-000002/1 150.14 = 150.14+0.00, waiting 150.14")
		o.Equal("the balances", []int64{o.balance("none"), o.balance("some")}, []int64{0, -15014})
		o.Equal("what is wrong", o.findings(), "")
	})
}

// TestWriteOffWithTax reduces what was written off, with the tax corrected: no more
// tax is credited than was billed.
func TestWriteOffWithTax(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		o.writeOff(1, true)
		o.Equal("the tax credited", o.QueryText(`SELECT CAST(SUM(tax_amount) AS BIGINT) FROM credit_note`), "950")
		o.news()
		o.at("2026-01-20")
		o.seats(sub, 1)
		o.at("2026-02-15")
		o.expect("fewer seats", "INV-2026-000002 2026-02-15: Seats ×1 2026-02-15–2026-03-14 10.00 = 10.00+1.90")
		o.Equal("the tax credited in all", o.QueryText(`SELECT CAST(SUM(tax_amount) AS BIGINT) FROM credit_note`), "950")
	})
}
