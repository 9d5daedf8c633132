package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// paymentKind is what can be done with a payment.
var paymentKind = documentKind[document.Payment]{
	path: "/payments", list: paymentList, find: findPayment, name: paymentName, href: func(p *document.Payment) string { return paymentHref(p.ID) },
	actions: []documentAction[document.Payment]{
		{
			path: "apply", title: "Apply to invoices", allowed: func(p *document.Payment) bool { return p.AmountUnapplied() > 0 }, begin: emptyOrder[document.Payment],
			about: "What is left of the payment pays invoices of its customer, in its currency. If you choose none, it pays those that are due first.",
			inputs: func(c *call, p *document.Payment) ([]ui.Section[billingOrder], error) {
				return openInput(c, p.AccountID, p.EntityID, p.Currency)
			},
			says: func(c *call, p *document.Payment, o *billingOrder) ([]string, error) {
				return appliedWords(c, p.AmountUnapplied(), p.Currency, o)
			},
			do: func(c *call, ctx context.Context, p *document.Payment, o *billingOrder) (*invoicing.Outcome, error) {
				return c.service.Invoicing.PaymentApplyToInvoices(ctx, p.ID, o.invoiceIDs())
			},
			done: func(p *document.Payment, _ *invoicing.Outcome) (string, string) {
				return paymentHref(p.ID), "Applied " + paymentName(p) + "."
			},
		},
		{
			path: "unapply", title: "Take back from invoices", quiet: true, allowed: func(p *document.Payment) bool { return p.AmountApplied > 0 }, begin: emptyOrder[document.Payment],
			about:  "The invoices are open again, and the payment waits as credit.",
			inputs: paidInput,
			says: func(c *call, p *document.Payment, o *billingOrder) ([]string, error) {
				numbers, err := invoiceNumbers(c, o)
				return []string{"What " + paymentName(p) + " pays of " + ui.Enumerated(numbers) + " is taken back, and waits as credit."}, err
			},
			do: func(c *call, ctx context.Context, p *document.Payment, o *billingOrder) (*invoicing.Outcome, error) {
				if len(o.Invoices) == 0 {
					return nil, billing.Fail(billing.Required, "invoiceIds", "Choose at least one invoice.")
				}
				return c.service.Invoicing.PaymentUnapplyFromInvoices(ctx, p.ID, o.invoiceIDs())
			},
			done: func(p *document.Payment, _ *invoicing.Outcome) (string, string) {
				return paymentHref(p.ID), paymentName(p) + " waits as credit again."
			},
		},
		refundPayment,
	},
}

// creditNoteKind is what can be done with a credit note.
var creditNoteKind = documentKind[document.CreditNote]{
	path: "/credit-notes", list: creditNoteList, find: findCreditNote, name: func(n *document.CreditNote) string { return n.Number },
	href: func(n *document.CreditNote) string { return creditNoteHref(n.ID) },
	actions: []documentAction[document.CreditNote]{{
		path: "apply", title: "Apply to invoices", allowed: func(n *document.CreditNote) bool { return n.AmountUnapplied() > 0 }, begin: emptyOrder[document.CreditNote],
		about: "What is left of the credit note pays invoices of its customer, in its currency. If you choose none, it pays those that are due first.",
		inputs: func(c *call, n *document.CreditNote) ([]ui.Section[billingOrder], error) {
			return openInput(c, n.AccountID, n.EntityID, n.Currency)
		},
		says: func(c *call, n *document.CreditNote, o *billingOrder) ([]string, error) {
			return appliedWords(c, n.AmountUnapplied(), n.Currency, o)
		},
		do: func(c *call, ctx context.Context, n *document.CreditNote, o *billingOrder) (*invoicing.Outcome, error) {
			return c.service.Invoicing.CreditNoteApplyToInvoices(ctx, n.ID, o.invoiceIDs())
		},
		done: func(n *document.CreditNote, _ *invoicing.Outcome) (string, string) {
			return creditNoteHref(n.ID), "Applied " + n.Number + "."
		},
	}},
}

// invoiceIDs are the invoices that were chosen.
func (o *billingOrder) invoiceIDs() (all []billing.InvoiceID) {
	for _, id := range o.Invoices {
		all = append(all, parseID[billing.InvoiceID](id))
	}
	return all
}

// invoicesInput asks for some of the invoices.
func invoicesInput(options []ui.Option, none string) []ui.Section[billingOrder] {
	if len(options) == 0 {
		return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{ui.Fixed[billingOrder]("", "Invoices", none).Wide()}}}
	}
	return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{{
		Field:   ui.Field{Name: "invoiceIds", Label: "Invoices", Kind: ui.FieldChecks, Options: options, Wide: true},
		GetMany: func(o *billingOrder) []string { return o.Invoices },
		SetMany: func(o *billingOrder, typed []string) { o.Invoices = typed },
	}}}}
}

// openInput offers the invoices that a credit note or a payment can pay.
func openInput(c *call, account billing.AccountID, entity billing.EntityID, in money.Currency) ([]ui.Section[billingOrder], error) {
	open, err := store.OpenInvoices(c.ctx(), c.q(), []billing.AccountID{account})
	var options []ui.Option
	for n := range open {
		if i := &open[n]; i.EntityID == entity && i.Currency == in && len(options) < itemsShown {
			options = append(options, ui.Option{Value: ui.IDText(i.ID), Text: i.Number + ": " + amountText(i.AmountDue(), in) + " due on " + ui.DayText(i.DueAt)})
		}
	}
	return invoicesInput(options, "The customer has no open invoice in "+in.Code+"."), err
}

// paidInput offers the invoices that a payment pays.
func paidInput(c *call, p *document.Payment) ([]ui.Section[billingOrder], error) {
	applied, _, err := few(c, store.Applications, itemsShown, numbered("payment", p.ID))
	if err != nil {
		return nil, err
	}
	invoices, err := byID(c, store.Invoices, func(i *document.Invoice) billing.InvoiceID { return i.ID }, ids(applied, func(a *document.Application) billing.InvoiceID { return a.InvoiceID }))
	var options []ui.Option
	for n := range applied {
		if i := invoices[applied[n].InvoiceID]; i != nil {
			options = append(options, ui.Option{Value: ui.IDText(i.ID), Text: i.Number + ": " + amountText(applied[n].Amount, i.Currency)})
		}
	}
	return invoicesInput(options, "It pays no invoice."), err
}

// invoiceNumbers are the numbers of the invoices that were chosen.
func invoiceNumbers(c *call, o *billingOrder) (numbers []string, err error) {
	rows, err := store.Invoices.ByIDs(c.ctx(), c.q(), o.invoiceIDs())
	for n := range rows {
		numbers = append(numbers, invoiceName(&rows[n]))
	}
	return numbers, err
}

// appliedWords say what is applied to which invoices.
func appliedWords(c *call, left money.Amount, in money.Currency, o *billingOrder) ([]string, error) {
	numbers, err := invoiceNumbers(c, o)
	if len(numbers) == 0 {
		numbers = []string{"the invoices that are due first"}
	}
	return []string{"Up to " + amountText(left, in) + " is applied to " + ui.Enumerated(numbers) + ". What is left then waits as credit."}, err
}
