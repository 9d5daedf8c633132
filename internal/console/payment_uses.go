package console

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// mostPaid is how many invoices are named that a payment pays, or that are open.
const mostPaid = 10

// learnUses notes what a payment that was rehearsed pays, and what is left of it.
func learnUses(c *call, ctx context.Context, made *invoicing.Outcome, o *billingOrder) error {
	p, err := store.Payments.Get(ctx, c.q(), made.PaymentID)
	if err != nil || p == nil {
		return err
	}
	applied, err := store.ApplicationsOfPayment(ctx, c.q(), p.ID)
	if err != nil {
		return err
	}
	invoices, err := store.Invoices.ByIDs(ctx, c.q(), ids(applied, func(a *document.Application) billing.InvoiceID { return a.InvoiceID }))
	o.Uses = nil
	for n := range applied {
		at := slices.IndexFunc(invoices, func(i document.Invoice) bool { return i.ID == applied[n].InvoiceID })
		if n == mostPaid {
			o.Uses = append(o.Uses, "It pays "+ui.Plural(len(applied)-n, "other invoice", "other invoices")+".")
			break
		}
		if at >= 0 {
			o.Uses = append(o.Uses, paidWords(&applied[n], &invoices[at]))
		}
	}
	if left := p.AmountUnapplied(); left > 0 {
		o.Uses = append(o.Uses, amountText(left, p.Currency)+" are left and wait as credit.")
	}
	return err
}

// paidWords are what a payment does for an invoice, which has been applied to it.
func paidWords(a *document.Application, i *document.Invoice) string {
	text := amountText(a.Amount, i.Currency) + " are applied to invoice " + i.Number
	if due := i.AmountDue(); due > 0 {
		return text + ", of which " + amountText(due, i.Currency) + " stay due."
	}
	return text + ", which is paid then."
}

// openInvoiceWords are the open invoices of an account, in a sentence.
func openInvoiceWords(c *call, a *billing.Account) (string, error) {
	open, err := store.OpenInvoices(c.ctx(), c.q(), []billing.AccountID{a.ID})
	if err != nil || len(open) == 0 {
		return "No invoice is open: it waits as credit.", err
	}
	var words []string
	for n := range open[:min(len(open), mostPaid)] {
		words = append(words, open[n].Number+" with "+amountText(open[n].AmountDue(), open[n].Currency))
	}
	if more := len(open) - mostPaid; more > 0 {
		words = append(words, ui.Plural(more, "other", "others"))
	}
	return "Open: " + ui.Enumerated(words) + ".", nil
}
