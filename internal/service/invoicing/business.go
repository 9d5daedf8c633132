package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// tellBusiness has event endpoints told of what was issued and what is paid, and then of
// the standings that follow.
func (r *run) tellBusiness(ctx context.Context) error {
	var events []webhook.BusinessEvent
	r.each(func(b *book) {
		for n := range b.documents.CreditNotes {
			events = append(events, webhook.CreditNoteEvent(&b.documents.CreditNotes[n]))
		}
		for _, i := range b.documents.Invoices {
			events = append(events, webhook.InvoiceEvent(webhook.InvoiceIssued, i))
		}
		for _, i := range b.paidOff() {
			events = append(events, webhook.InvoiceEvent(webhook.InvoicePaid, i))
		}
	})
	for _, i := range r.claims.overdue {
		events = append(events, webhook.OverdueEvent(i, i.DueAt.DaysUntil(r.cal.Today)))
	}
	for n := range r.claims.failures {
		f := &r.claims.failures[n]
		f.NextAttemptOn = r.nextAttempt(f.Invoices)
		events = append(events, webhook.PaymentFailedEvent(f.PaymentFailure))
	}
	if err := outbox.RecordBusiness(ctx, r.tx, events...); err != nil {
		return err
	}
	return subscriptions.TellStandings(ctx, r.tx, r.claims.standings)
}

// nextAttempt is when invoices are collected again if nothing changes, nil if they are
// not.
func (r *run) nextAttempt(invoices []*document.Invoice) *billing.Date {
	for _, i := range invoices {
		for _, b := range r.books {
			if b.ID != i.AccountID {
				continue
			}
			if day := r.planned(b, i, r.claims.known[i.ID], dunning.Collect); day != nil {
				return day
			}
		}
	}
	return nil
}

// planned is the day on which a step of an invoice will be carried out if it stays unpaid,
// nil if none will.
func (r *run) planned(b *book, i *document.Invoice, record *dunning.Record, action dunning.Action) *billing.Date {
	if record == nil {
		return nil
	}
	for _, step := range r.sellers.policyOf(b.Account.Account, i.EntityID).Upcoming(r.claimOf(b, i, record), r.moment(i.EntityID)) {
		if step.Step.Action == action {
			return &step.Day
		}
	}
	return nil
}
