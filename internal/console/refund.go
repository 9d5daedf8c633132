package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// refundPayment gives money of a payment back.
var refundPayment = documentAction[document.Payment]{
	path: "refund", title: "Refund", quiet: true, allowed: func(p *document.Payment) bool { return p.AmountReturned < p.Amount }, begin: emptyOrder[document.Payment],
	about: "Gives money back to where it came from. It takes credit that waits: what is left of the payment, or that of a credit note. " +
		"If you recorded the payment yourself, you make the transfer, and this records it.",
	inputs: func(c *call, p *document.Payment) ([]ui.Section[billingOrder], error) {
		notes, err := store.WaitingCreditNotes(c.ctx(), c.q(), []billing.AccountID{p.AccountID})
		if err != nil {
			return nil, err
		}
		var from []ui.Option
		if p.AmountUnapplied() > 0 {
			from = append(from, ui.Option{Text: "What is left of the payment: " + amountText(p.AmountUnapplied(), p.Currency)})
		}
		for n := range notes {
			if note := &notes[n]; note.EntityID == p.EntityID && note.Currency == p.Currency {
				from = append(from, ui.Option{Value: ui.IDText(note.ID), Text: "Credit note " + note.Number + ": " + amountText(note.AmountUnapplied(), note.Currency)})
			}
		}
		if len(from) == 0 {
			return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
				ui.Fixed[billingOrder]("", "Credit", "Nothing waits that could be given back. Credit the invoice first; then refund the credit note.").Wide(),
			}}}, nil
		}
		return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
			ui.Choice("creditNoteId", "Credit", func(o *billingOrder) *string { return &o.CreditNote }, from...),
			ui.Text("amount", "Amount", func(o *billingOrder) *string { return &o.Amount }).Help("Empty for all that waits."),
		}}}, nil
	},
	says: sentences(func(p *document.Payment, o *billingOrder) []string {
		if o.Amount == "" {
			return []string{"All that waits is given back of " + paymentName(p) + "."}
		}
		return []string{o.Amount + " " + p.Currency.Code + " are given back of " + paymentName(p) + "."}
	}),
	do: func(c *call, ctx context.Context, p *document.Payment, o *billingOrder) (*invoicing.Outcome, error) {
		var note *billing.CreditNoteID
		if id := parseID[billing.CreditNoteID](o.CreditNote); id != 0 {
			note = &id
		}
		_, err := c.service.Invoicing.PaymentRefund(ctx, p.ID, typedAmount(o.Amount, p.Currency.Code), note)
		return nil, operation.RenameField(err, "id", "creditNoteId")
	},
	done: func(p *document.Payment, _ *invoicing.Outcome) (string, string) {
		return paymentHref(p.ID), "Refunded. The outcome is below."
	},
}

// refundBlock has what was given back of a payment.
func refundBlock(c *call, p *document.Payment) (ui.Block, error) {
	b := ui.Block{Title: "Refunds", Table: ui.Table{Columns: []string{"Ordered", "Amount", "State", "Why"}}, Empty: "Nothing was given back."}
	refunds, err := store.RefundsOf(c.ctx(), c.q(), []billing.PaymentID{p.ID})
	for n := range refunds {
		r := &refunds[n]
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Moment(r.CreatedAt), amount(r.Amount, r.Currency), refundCell(r), ui.OrDash(r.Message)})
	}
	return b, err
}

func refundCell(r *collect.Refund) ui.Cell {
	switch r.State {
	case collect.Succeeded:
		return ui.Badge("given back", "good")
	case collect.Failed:
		return ui.Badge("failed", "bad")
	}
	return ui.Badge("under way", "info")
}
