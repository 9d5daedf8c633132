package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/subscription"
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
