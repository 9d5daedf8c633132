package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// formats changes how the numbers of the office are written.
func (o *office) formats(invoices, creditNotes string) error {
	return servicetest.ErrorOf(invoicing.Entities.Update(o.Ctx, o.Runner, o.entity.ID, func(e *billing.Entity) error {
		e.InvoiceNumberFormat, e.CreditNoteNumberFormat = invoices, creditNotes
		return nil
	}))
}

// oneOff issues invoices of 1.00 that somebody makes by hand.
func (o *office) oneOff(account billing.AccountID, times int) {
	o.T.Helper()
	for range times {
		_, err := o.Invoicing.InvoiceCreate(o.Ctx, account, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Work", Amount: "1.00"}}})
		o.OK(err)
	}
}

// TestFormatsDoNotRepeatNumbers changes formats there and back: the count goes on,
// and a format that invoices have had cannot become that of credit notes.
func TestFormatsDoNotRepeatNumbers(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		numbers := func() string {
			return o.QueryText(`SELECT COALESCE(MAX(CASE WHEN id = (SELECT MAX(id) FROM invoice) THEN number END), '') FROM invoice`)
		}
		o.OK(o.formats("R{0000}", "C{0000}"))
		o.oneOff(a.ID, 3)
		o.Equal("the third", numbers(), "R0003")
		o.OK(o.formats("J{YYYY}-{0000}", "C{0000}"))
		o.oneOff(a.ID, 1)
		o.Equal("in another format", numbers(), "J2026-0001")
		o.OK(o.formats("R{0000}", "C{0000}"))
		o.oneOff(a.ID, 2)
		o.Equal("in the first format again", numbers(), "R0005")
		o.Refused("credit notes as invoices were", o.formats("X{0000}", "R{00}"), "TAKEN creditNoteNumberFormat")
		o.Refused("invoices that begin so", o.formats("R1{000}", "C{0000}"), "TAKEN invoiceNumberFormat")
		_, err := o.Invoicing.InvoiceCredit(o.Ctx, 1, nil, "Goodwill")
		o.OK(err)
		o.Refused("one series, numbered as credit notes were", o.formats("C{0000}", "C{0000}"), "TAKEN invoiceNumberFormat")
		o.OK(o.formats("R{0000}", "R{0000}")) // one series for both
		_, err = o.Invoicing.InvoiceCredit(o.Ctx, 2, nil, "Goodwill")
		o.OK(err)
		o.Equal("credit notes", o.QueryText(`SELECT MIN(number) || ' ' || MAX(number) FROM credit_note`), "C0001 R0006")
		o.Refused("two series, one numbered as both were", o.formats("I{0000}", "R{0000}"), "TAKEN creditNoteNumberFormat")
		another := billing.NewEntity()
		another.Code, another.Name, another.Country = "branch", "Branch GmbH", "DE"
		o.Refused("another entity", servicetest.ErrorOf(invoicing.Entities.Create(o.Ctx, o.Runner, func(e *billing.Entity) error {
			*e = another
			e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "J{YYYY}-{00}", "B{0}"
			return nil
		})), "TAKEN invoiceNumberFormat")
		o.numbersWithoutGap()
	})
}

// TestFormatWaitsForTheRun gives credit notes the format of invoices while the first
// number of that format is being given: one of the two waits for the other.
func TestFormatWaitsForTheRun(t *testing.T) {
	t.Parallel()
	o := openOffice(servicetest.NewWorld(t, storetest.New(t, "postgres")))
	a := o.customer("acme")
	o.oneOff(a.ID, 1)
	o.OK(o.formats("R{0000}", "C{0000}"))
	o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.WithoutTenant)
	release := o.StopBeforeCommit()
	billed, set := make(chan error, 1), make(chan error, 1)
	ctx := o.WithKey("slow")
	go func() { billed <- servicetest.ErrorOf(o.Invoicing.AccountInvoice(ctx, a.ID, nil)) }()
	o.AwaitBlocked(1)
	go func() { set <- o.formats("X{0000}", "R{0000}") }()
	o.AwaitBlocked(2)
	release()
	o.OK(<-billed)
	o.Refused("while the first was written", <-set, "TAKEN creditNoteNumberFormat")
	o.Equal("what is wrong", o.findings(), "")
}
