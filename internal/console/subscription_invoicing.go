package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// unusedInput asks what becomes of days that were billed in advance.
func unusedInput() ui.Input[order] {
	return ui.Choice("unused", "Unused days", func(o *order) *subscription.UnusedDays { return &o.Unused },
		ui.Option{Value: string(subscription.CreditUnused), Text: "Credit"}, ui.Option{Value: string(subscription.KeepUnused), Text: "Keep"},
	).Help("Days billed in advance that are not used any more. Kept days stay owed to the end of their billing period.")
}

// invoicingInputs ask how a subscription appears on invoices.
func invoicingInputs() []ui.Input[order] {
	return []ui.Input[order]{
		ui.Text("poNumber", "Purchase order", func(o *order) *string { return &o.PONumber }).Help("Invoices quote it."),
		ui.Checkbox("separateInvoice", "Invoices of its own", func(o *order) *bool { return &o.SeparateInvoice }).Help("If not, its charges are on the invoices of the account."),
	}
}

var invoicingAction = subscriptionAction{
	name: "invoicing", title: "Invoicing", quiet: true, allowed: open,
	about: "How the subscription appears on invoices.",
	begin: func(s *subscription.Subscription) order {
		return order{PONumber: ui.Deref(s.PONumber), SeparateInvoice: s.SeparateInvoice}
	},
	inputs: func(*call, *subscription.Subscription) ([]ui.Section[order], error) {
		return []ui.Section[order]{{Inputs: invoicingInputs()}}, nil
	},
	do: func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
		return c.service.Subscriptions.SubscriptionUpdate(ctx, s.ID, subscription.Update{PONumber: &o.PONumber, SeparateInvoice: &o.SeparateInvoice})
	},
}

// atOnceSection asks whether the account is billed with a change, if it can be.
func atOnceSection(c *call, id billing.AccountID) ([]ui.Section[order], error) {
	if !c.may(billing.BillingWrite) {
		return nil, nil
	}
	account, err := store.Accounts.Get(c.ctx(), c.q(), id)
	if err != nil {
		return nil, err
	}
	seller, err := sellerOf(c, account)
	if err != nil || seller == nil {
		return nil, err
	}
	return []ui.Section[order]{{Inputs: []ui.Input[order]{atOnceInput()}}}, nil
}

func atOnceInput() ui.Input[order] {
	return ui.Checkbox("invoiceImmediately", "Invoice at once", func(o *order) *bool { return &o.AtOnce }).Wide().
		Help("Everything that the customer owes by today is billed with it. If not, it is billed when an invoice is due.")
}

// asked are the inputs of an action, with the question about its invoice.
func (a subscriptionAction) asked(c *call, s *subscription.Subscription) ([]ui.Section[order], error) {
	sections, err := a.inputs(c, s)
	if err != nil || !a.billable {
		return sections, err
	}
	more, err := atOnceSection(c, s.AccountID)
	return append(sections, more...), err
}

// billed is the context of an operation, in which the account is billed at once if
// that was asked for.
func (o *order) billed(ctx context.Context) (context.Context, *subscriptions.Issued) {
	if !o.AtOnce {
		return ctx, &subscriptions.Issued{}
	}
	return subscriptions.InvoicedAtOnce(ctx)
}

// issuedHref is the page of a subscription that tells which documents were issued
// with a change.
func issuedHref(id billing.SubscriptionID, issued *subscriptions.Issued) string {
	var all []string
	for _, i := range issued.Invoices {
		all = append(all, "invoice="+ui.IDText(i))
	}
	for _, n := range issued.CreditNotes {
		all = append(all, "creditNote="+ui.IDText(n))
	}
	if len(all) == 0 {
		return subscriptionHref(id)
	}
	return subscriptionHref(id) + "?" + strings.Join(all, "&")
}

// issuedLinks are the documents that the address of a subscription's page names.
func issuedLinks(c *call, s *subscription.Subscription) (links []ui.Link, err error) {
	query := c.r.URL.Query()
	if !c.may(billing.BillingRead) || len(query["invoice"])+len(query["creditNote"]) == 0 {
		return nil, nil
	}
	var invoices []billing.InvoiceID
	for _, id := range query["invoice"] {
		invoices = append(invoices, parseID[billing.InvoiceID](id))
	}
	var notes []billing.CreditNoteID
	for _, id := range query["creditNote"] {
		notes = append(notes, parseID[billing.CreditNoteID](id))
	}
	made, err := store.Invoices.ByIDs(c.ctx(), c.q(), invoices)
	if err != nil {
		return nil, err
	}
	for n := range made {
		if i := &made[n]; i.AccountID == s.AccountID {
			links = append(links, ui.Link{Text: "Invoice " + invoiceName(i) + ", " + amountText(i.Amount, i.Currency), Href: invoiceHref(i.ID)})
		}
	}
	credited, err := store.CreditNotes.ByIDs(c.ctx(), c.q(), notes)
	for k := range credited {
		if n := &credited[k]; n.AccountID == s.AccountID {
			links = append(links, ui.Link{Text: "Credit note " + n.Number + ", " + amountText(n.Amount, n.Currency), Href: creditNoteHref(n.ID)})
		}
	}
	return links, err
}

// invoicingFacts are those of a subscription that matter to invoices.
func invoicingFacts(d *ui.Details, s *subscription.Subscription) {
	if s.UnusedAtCancellation() == subscription.KeepUnused {
		d.Fact("Unused days", ui.Plain("kept"))
	}
	if s.PONumber != nil {
		d.Fact("Purchase order", ui.Plain(*s.PONumber))
	}
	if s.SeparateInvoice {
		d.Fact("Invoices", ui.Plain("of its own"))
	}
	if s.BilledThrough != nil {
		d.Fact("Billed elsewhere through", ui.Days(*s.BilledThrough))
	}
}
