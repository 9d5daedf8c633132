package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestAccountsKeepWhatTheyWereBilled refuses to delete accounts, and to make a test of
// them, while something was billed to them or waits to be.
func TestAccountsKeepWhatTheyWereBilled(t *testing.T) {
	eachOffice(t, func(o *office) {
		clock := o.NewClock("2026-01-15 12:00")
		waits := o.customer("waits", func(a *billing.Account) { a.TaxExempt = true })
		paid := o.customer("paid", func(a *billing.Account) { a.TaxExempt = true })
		billed := o.customer("billed", func(a *billing.Account) { a.TaxExempt = true })
		o.waits(waits.ID, "100.00", "2026-03-01")
		o.pay("paid", "20.00")
		_, err := o.Invoicing.InvoiceCreate(o.Ctx, billed.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Travel", Amount: "40.00"}}})
		o.OK(err)
		for _, c := range []struct {
			id       billing.AccountID
			kept, on string
		}{
			{waits.ID, "The account has items that wait for its next invoice. Delete them first.", "The account has items that wait for its next invoice; it can join or leave a test clock only without any."},
			{paid.ID, "The account has 1 document or payment, which are kept for the record.", "The account has 1 document or payment; it can join or leave a test clock only without any."},
			{billed.ID, "The account has 1 document or payment, which are kept for the record.", "The account has 1 document or payment; it can join or leave a test clock only without any."},
		} {
			_, err := customers.Accounts.Delete(o.Ctx, o.Invoicing.Runner, c.id)
			o.Equal("deleting it", problemOf(err), c.kept)
			_, err = customers.Accounts.Update(o.Ctx, o.Invoicing.Runner, c.id, func(a *billing.Account) error { a.TestClockID = &clock.ID; return nil })
			o.Equal("making a test of it", problemOf(err), c.on)
		}
	})
}

// TestFirstBilledDayAfterADocument switches invoicing on after an invoice was made by
// hand: days that have passed are not billed any more.
func TestFirstBilledDayAfterADocument(t *testing.T) {
	eachOffice(t, func(o *office) {
		branch := o.secondEntity(func(*billing.Entity) {})
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.EntityID = true, &branch })
		starts := func(day string) error {
			_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, branch, func(e *billing.Entity) error {
				e.InvoicingStartsOn = servicetest.On(day)
				return nil
			})
			return err
		}
		o.OK(starts("2026-01-01"))
		_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, branch, func(e *billing.Entity) error { e.InvoicingStartsOn = nil; return nil })
		o.OK(err)
		_, err = o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Travel", Amount: "40.00"}}})
		o.OK(err)
		o.Equal("a day that has passed", problemOf(starts("2026-01-14")), "The entity has issued documents: the first day that is billed can be today, 2026-01-15, or later.")
		o.OK(starts("2026-01-15"))
		o.Equal("another day", problemOf(starts("2026-01-20")), "The first day that is billed stays 2026-01-15: documents have been issued.")
	})
}

// problemOf is the message of what is wrong, "" if nothing is.
func problemOf(err error) string {
	if err == nil {
		return ""
	}
	if problems, known := billing.AsProblems(err); known && len(problems) > 0 {
		return problems[0].Message
	}
	return err.Error()
}
