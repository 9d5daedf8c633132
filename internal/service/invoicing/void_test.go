package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// waits adds an item by hand, from a day on.
func (o *office) waits(account billing.AccountID, amount, on string) {
	o.T.Helper()
	_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, account, func(p *invoicing.PendingAttributes) error {
		p.LineText, p.Amount, p.CurrencyID, p.On = "Work", amount, "EUR", servicetest.Day(on)
		return nil
	})
	o.OK(err)
}

// TestVoidBillsItemsByHandAgain voids invoices with items that somebody made: they
// are billed again with the days, or by themselves.
func TestVoidBillsItemsByHandAgain(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.waits(a.ID, "100.00", "2026-01-15")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.expect("both", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00, Work ×1 2026-01-15–2026-01-15 100.00 = 150.00+0.00")
		_, err := o.Invoicing.InvoiceVoid(o.Ctx, 1, "wrong address", true)
		o.OK(err)
		o.expect("again", "CN-2026-000001 2026-01-15: INV-2026-000001/1 50.00, INV-2026-000001/2 100.00 = 150.00+0.00; "+
			"INV-2026-000002 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00, Work ×1 2026-01-15–2026-01-15 100.00 = 150.00+0.00")
		made, err := o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{
			{LineText: "Hours", Quantity: "2.5", Price: "80"}, {LineText: "Travel", Amount: "40.00"}, {LineText: "Free", Quantity: "1", Amount: "0.00"},
		}})
		o.OK(err)
		_, err = o.Invoicing.InvoiceCredit(o.Ctx, made.Invoices[0], []invoicing.CreditPart{{InvoiceItemID: 6, Amount: "15.00"}}, "Goodwill")
		o.OK(err)
		o.run()
		o.news()
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, made.Invoices[0], "wrong text", true)
		o.OK(err)
		o.expect("an invoice made by hand", "CN-2026-000003 2026-01-15: INV-2026-000003/1 200.00, INV-2026-000003/2 25.00 = 225.00+0.00; "+
			"INV-2026-000004 2026-01-15: Hours ×2.5 2026-01-15–2026-01-15 200.00, Travel ×1 2026-01-15–2026-01-15 25.00 = 225.00+0.00")
		o.Equal("what waits", o.QueryText(`SELECT COUNT(*) FROM pending_item`), "0")
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, 4, "never mind", false)
		o.OK(err)
		o.expect("for good", "CN-2026-000004 2026-01-15: INV-2026-000004/1 200.00, INV-2026-000004/2 25.00 = 225.00+0.00")
	})
}
