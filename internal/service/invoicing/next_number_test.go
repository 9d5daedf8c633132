package invoicing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// begin sets with which numbers the series of the office begin.
func (o *office) begin(invoices, creditNotes *int) error {
	return servicetest.ErrorOf(invoicing.Entities.Update(o.Ctx, o.Runner, o.entity.ID, func(e *billing.Entity) error {
		e.InvoiceNextNumber, e.CreditNoteNextNumber = invoices, creditNotes
		return nil
	}))
}

// findings are what verifying finds wrong.
func (o *office) findings() string {
	o.T.Helper()
	v, err := o.Invoicing.DocumentsVerify(o.Ctx, nil, nil, nil)
	o.OK(err)
	return strings.Join(v.Findings, "; ")
}

// TestNextNumber goes on with the numbers of another system: they can be chosen
// until the first document, and start again with the year.
func TestNextNumber(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.Refused("below 1", o.begin(new(0), new(-1)), "INVALID invoiceNextNumber", "INVALID creditNoteNextNumber")
		o.Refused("beyond the digits", o.begin(new(1000000), nil), "INVALID invoiceNextNumber")
		o.OK(o.begin(new(7), new(12)))
		o.OK(o.begin(new(4711), new(12)))
		o.list("fee", 1, flat("10", "MONTHLY"))
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-11-15")
		o.Subscribe("fee", "acme", servicetest.WithoutTenant)
		o.expect("the first", "INV-2026-004711 2026-11-15: Fee of fee ×1 2026-11-15–2026-12-14 10.00 = 10.00+0.00")
		o.Refused("after the first", o.begin(new(5000), new(12)), "NOT_ALLOWED invoiceNextNumber")
		o.OK(o.begin(new(4711), new(20))) // no credit note yet
		_, err := o.Invoicing.InvoiceCredit(o.Ctx, 1, nil, "Goodwill")
		o.OK(err)
		o.Equal("the credit note", strings.Fields(o.news())[0], "CN-2026-000020")
		o.Refused("after the first credit note", o.begin(new(4711), nil), "NOT_ALLOWED creditNoteNextNumber")
		o.at("2026-12-15")
		o.expect("the second", "INV-2026-004712 2026-12-15: Fee of fee ×1 2026-12-15–2027-01-14 10.00 = 10.00+0.00")
		o.at("2027-01-15")
		o.expect("in another year", "INV-2027-000001 2027-01-15: Fee of fee ×1 2027-01-15–2027-02-14 10.00 = 10.00+0.00")
		o.Equal("what is wrong", o.findings(), "")
	})
}

// TestVerifyMissesTheFirstNumber takes the first document out of a series so well
// that only its number is missing.
func TestVerifyMissesTheFirstNumber(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.OK(o.begin(new(4711), nil))
		o.customer("acme")
		o.at("2026-01-15")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.WithoutTenant)
		o.run()
		o.Equal("what is wrong", o.findings(), "")
		o.Damage(`UPDATE entity SET invoice_next_number = 4710`)
		if found := o.findings(); !strings.Contains(found, "its number should be INV-2026-004710") {
			t.Errorf("without the first number: %q", found)
		}
		o.Damage(`UPDATE entity SET invoice_next_number = 4711`)
	})
}

// TestNextNumberWaitsForTheRun changes the number while the first document is
// being written: one of the two waits for the other.
func TestNextNumberWaitsForTheRun(t *testing.T) {
	t.Parallel()
	o := openOffice(servicetest.NewWorld(t, storetest.New(t, "postgres")))
	a := o.customer("acme")
	o.at("2026-01-15")
	o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.WithoutTenant)
	release := o.StopBeforeCommit()
	billed, set := make(chan error, 1), make(chan error, 1)
	ctx := o.WithKey("slow")
	go func() { billed <- servicetest.ErrorOf(o.Invoicing.AccountInvoice(ctx, a.ID, nil)) }()
	o.AwaitBlocked(1)
	go func() { set <- o.begin(new(500), nil) }()
	o.AwaitBlocked(2)
	release()
	o.OK(<-billed)
	o.Refused("while the first was written", <-set, "NOT_ALLOWED invoiceNextNumber")
	o.Equal("what is wrong", o.findings(), "")
}

// TestNumbersOfImportedInvoices chooses formats and next numbers that come to the number
// of an invoice that was imported.
func TestNumbersOfImportedInvoices(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		o.at("2026-03-15")
		_, err := o.Invoicing.ImportInvoices(o.Ctx, []invoicing.InvoiceImport{{
			AccountCode: "acme", History: document.History{Number: "R-2026-0007", CurrencyID: "EUR", IssuedAt: &billing.Date{Year: 2026, Month: 2, Day: 1}, Amount: new("10.00")},
		}})
		o.OK(err)
		write := func(format string, next *int) error {
			return servicetest.ErrorOf(invoicing.Entities.Update(o.Ctx, o.Runner, o.entity.ID, func(e *billing.Entity) error {
				e.InvoiceNumberFormat, e.InvoiceNextNumber = format, next
				return nil
			}))
		}
		o.Refused("a format that comes to it", write("R-{YYYY}-{0000}", nil), "NOT_ALLOWED invoiceNumberFormat")
		o.Refused("it is the next", write("R-{YYYY}-{0000}", new(7)), "NOT_ALLOWED invoiceNumberFormat")
		o.OK(write("R-{YYYY}-{000}", nil)) // which writes R-2026-007
		o.OK(write("R-{YYYY}-{0000}", new(8)))
		o.Refused("back to before it", write("R-{YYYY}-{0000}", new(5)), "NOT_ALLOWED invoiceNextNumber")
		o.OK(write("R-{YYYY}-{0000}", new(9)))
	})
}
