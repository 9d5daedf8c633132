package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestStatesOfAnInvoice takes invoices along every way between their states.
func TestStatesOfAnInvoice(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.AutoApplyCredits = true, false })
		today := "2026-01-15"
		state := func(what string, id billing.InvoiceID, want string) {
			t.Helper()
			i, err := store.Invoices.Get(o.Ctx, o.Read(), id)
			o.OK(err)
			if have := string(i.State(servicetest.Day(today))) + " " + i.Currency.Format(i.AmountDue()); have != want {
				t.Errorf("%s: %s, want %s", what, have, want)
			}
		}
		create := func(draft bool) billing.InvoiceID {
			t.Helper()
			made, err := o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Draft: draft, Items: []invoicing.ItemAttributes{{LineText: "Work", Amount: "100.00"}}})
			o.OK(err)
			return made.Invoices[0]
		}
		pay := func(id billing.InvoiceID, amount string) billing.PaymentID {
			t.Helper()
			paid, err := o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{AccountID: a.ID, Amount: amount, CurrencyID: "EUR", InvoiceIDs: []billing.InvoiceID{id}})
			o.OK(err)
			return paid.PaymentID
		}
		takeBack := func(payment billing.PaymentID, id billing.InvoiceID) {
			t.Helper()
			o.OK(servicetest.ErrorOf(o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, payment, []billing.InvoiceID{id})))
		}

		gone := create(true)
		state("a draft", gone, "DRAFT 100.00")
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceDelete(o.Ctx, gone)))
		first := create(true)
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceIssue(o.Ctx, first)))
		state("issued", first, "NOT_DUE 100.00")
		payment := pay(first, "100.00")
		state("paid", first, "PAID 0.00")
		takeBack(payment, first)
		state("a payment taken back", first, "NOT_DUE 100.00")
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceVoid(o.Ctx, first, "wrong", false)))
		state("voided", first, "VOIDED 0.00")

		second := create(false)
		partly := pay(second, "40.00")
		o.writeOff(second, false)
		state("written off", second, "UNPAID 0.00")
		takeBack(partly, second)
		state("a payment of what was written off, taken back", second, "NOT_DUE 40.00")
		today = "2026-03-01"
		state("later", second, "DUE 40.00")
		o.OK(servicetest.ErrorOf(o.Invoicing.PaymentApplyToInvoices(o.Ctx, partly, []billing.InvoiceID{second})))
		state("applied again", second, "PAID 0.00")
		takeBack(partly, second)
		o.writeOff(second, true)
		state("written off again", second, "UNPAID 0.00")
		o.soundDocuments()

		third := create(false)
		whole := pay(third, "30.00")
		o.writeOff(third, true)
		takeBack(whole, third)
		_, err := o.Invoicing.InvoiceCredit(o.Ctx, third, nil, "Goodwill")
		o.OK(err)
		state("the rest was credited", third, "PAID 0.00")
		o.Equal("the credit", o.QueryText(`SELECT CAST(MAX(amount) AS BIGINT) FROM credit_note WHERE kind = 'CREDIT'`), "3000")
		o.soundDocuments()
	})
}
