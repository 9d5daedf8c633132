package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// tellBusiness has event endpoints told of what was issued and what is paid.
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
	return outbox.RecordBusiness(ctx, r.tx, events...)
}
