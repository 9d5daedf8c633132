package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// TestVoidLeavesNothingDue credits part of a paid invoice, which pays for the next one, and
// takes its payment back: a credit note on the rest would leave something due of it.
func TestVoidLeavesNothingDue(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "5 SUSPEND"))
		_, a := o.overdue("acme")
		paid := o.pays(a, "119.00")
		_, err := o.Invoicing.InvoiceCredit(o.Ctx, a.ID, []invoicing.CreditPart{{InvoiceItemID: 1, Amount: "50.00"}}, "Goodwill")
		o.OK(err)
		o.days("2026-02-15")
		b := o.lastInvoice()
		o.Equal("credit on the next invoice", o.read(b.ID).Credits, money.Amount(5950))
		_, err = o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, paid.PaymentID, []billing.InvoiceID{a.ID})
		o.OK(err)
		_, err = o.Invoicing.PaymentRefund(o.Ctx, paid.PaymentID, "", nil)
		o.OK(err)
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, a.ID, "The transfer bounced", false)
		o.Refused("to void it", err, "NOT_ALLOWED id")
		_, err = o.Invoicing.InvoiceCredit(o.Ctx, a.ID, nil, "The transfer bounced")
		o.OK(err)
		o.Equal("due after a credit note", o.read(a.ID).AmountDue(), money.Amount(5950))
	})
}
