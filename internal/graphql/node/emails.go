package node

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/store"
)

// To is the address that it goes to, nil if the account has none.
func (e *Email) To() *string { return textOrNone(e.Email.To) }

// Reason is why it was not sent.
func (e *Email) Reason() *string { return textOrNone(e.Email.Reason) }

// NextAttemptAt is when it is tried again.
func (e *Email) NextAttemptAt() *time.Time { return e.NextAt }

// RecordedAt is when it was recorded, by the clock of the account.
func (e *Email) RecordedAt() time.Time { return e.At }

// Emails are the messages about the invoice.
func (i *Invoice) Emails(ctx context.Context) ([]*Email, error) {
	of, err := together(i.group, "emails", func(rows []document.Invoice) (map[billing.InvoiceID][]*Email, error) {
		ids := make([]billing.InvoiceID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		found, err := store.EmailsOfInvoices(ctx, i.group.reader.q(), ids)
		of := map[billing.InvoiceID][]*Email{}
		for _, e := range i.group.reader.Emails(found) {
			of[*e.InvoiceID] = append(of[*e.InvoiceID], e)
		}
		return of, err
	})
	return of[i.ID], err
}

// EmailPreview is a message as a sample customer would get it.
type EmailPreview struct {
	mail.Content
	Facts []*EmailFact
}

// EmailFact is a fact that a message can say.
type EmailFact struct{ mail.Field }

// About is what it is.
func (f *EmailFact) About() string { return f.Help }

// EmailPreviewOf is what a message says, with the facts that it could say.
func EmailPreviewOf(content mail.Content, fields []mail.Field) *EmailPreview {
	p := &EmailPreview{Content: content}
	for _, f := range fields {
		p.Facts = append(p.Facts, &EmailFact{f})
	}
	return p
}
