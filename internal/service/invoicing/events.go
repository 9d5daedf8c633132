package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// saveEvents writes the billing events of accounts that are no tests. They are
// last, because whoever writes some keeps others from it until the transaction
// ends: so ids are in the order of commits, and nobody who reads passes one over.
func (r *run) saveEvents(ctx context.Context) error {
	var rows []*document.Event
	r.each(func(b *book) {
		events := b.events()
		for n := range events {
			e := &events[n]
			e.AccountID, e.At, e.Sequence = b.ID, r.tx.Now, b.billing.LastEvent-int64(len(events)-n-1)
			rows = append(rows, e)
		}
	})
	return store.AppendEvents(ctx, r.tx, rows)
}

// events are what other systems are told about an account.
func (b *book) events() (events []document.Event) {
	if b.TestClockID != nil {
		return nil
	}
	for n := range b.documents.CreditNotes {
		note := &b.documents.CreditNotes[n]
		events = append(events, document.Event{Kind: document.CreditNoteIssued, DocumentID: int64(note.ID), Data: map[string]any{
			"number": note.Number, "kind": note.Kind, "amount": note.Currency.Format(note.Amount), "currencyId": note.Currency.Code,
		}})
	}
	for _, i := range b.documents.Invoices {
		events = append(events, invoiceEvent(document.InvoiceIssued, i))
	}
	if p := b.payment; p != nil {
		events = append(events, document.Event{Kind: document.PaymentReceived, DocumentID: int64(p.ID), Data: map[string]any{
			"amount": p.Currency.Format(p.Amount), "currencyId": p.Currency.Code, "reference": p.Reference,
		}})
	}
	for _, i := range b.paidOff() {
		events = append(events, invoiceEvent(document.InvoicePaid, i))
	}
	for _, a := range b.unapplied {
		events = append(events, invoiceEvent(document.InvoiceReopened, a.invoice))
	}
	for _, back := range b.returned {
		p := back.payment
		events = append(events, document.Event{Kind: back.kind, DocumentID: int64(p.ID), Data: map[string]any{
			"amount": p.Currency.Format(back.amount), "currencyId": p.Currency.Code, "reference": p.Reference,
		}})
	}
	return append(events, b.more...)
}

func invoiceEvent(kind document.EventKind, i *document.Invoice) document.Event {
	return document.Event{Kind: kind, DocumentID: int64(i.ID), Data: map[string]any{
		"number": i.Number, "amount": i.Currency.Format(i.Amount), "amountDue": i.Currency.Format(i.AmountDue()), "currencyId": i.Currency.Code,
	}}
}

// paidOff are the invoices of which nothing is due any more, in the order in which
// that came about.
func (b *book) paidOff() (paid []*document.Invoice) {
	seen := map[*document.Invoice]bool{}
	for _, a := range b.applications {
		if i := a.invoice; !seen[i] && i.AmountDue() == 0 && !i.Voided && !i.WrittenOff {
			seen[i], paid = true, append(paid, i)
		}
	}
	return paid
}
