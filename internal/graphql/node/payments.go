package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// CurrencyID is that of the amount.
func (p *Payment) CurrencyID() string { return p.Currency.Code }

// Amount is how much was paid.
func (p *Payment) Amount() string { return p.Currency.Format(p.Payment.Amount) }

// AmountApplied is how much of it pays for invoices.
func (p *Payment) AmountApplied() string { return p.Currency.Format(p.Payment.AmountApplied) }

// AmountUnapplied is how much of it waits as credit.
func (p *Payment) AmountUnapplied() string { return p.Currency.Format(p.Payment.AmountUnapplied()) }

// Reference is what the bank or the program says of it.
func (p *Payment) Reference() *string { return textOrNone(p.Payment.Reference) }

// Test says whether the payment is only a test.
func (p *Payment) Test() bool { return p.TestClockID != nil }

func paymentID(p *document.Payment) billing.PaymentID { return p.ID }

// PaymentApplications are what the payment pays for.
func (p *Payment) PaymentApplications(ctx context.Context) ([]*PaymentApplication, error) {
	return applications(ctx, p.group, p.ID, "paymentId", paymentID, func(a *PaymentApplication) billing.PaymentID { return *a.PaymentID })
}

// PaymentApplication is how much of a payment or of a credit note pays for an
// invoice, in the API.
type PaymentApplication struct {
	*document.Application
	group *group[document.Application]
}

// applications are those in which a field is the id of a row.
func applications[T any, K ~int64](ctx context.Context, g *group[T], id K, field string, own func(*T) K, owner func(*PaymentApplication) K) ([]*PaymentApplication, error) {
	return many(ctx, g, "paymentApplications", id, nil, store.Applications, field, own, (*Reader).paymentApplications, owner)
}

func (r *Reader) paymentApplications(rows []document.Application) []*PaymentApplication {
	return wrap(r, rows, func(row *document.Application, g *group[document.Application]) PaymentApplication {
		return PaymentApplication{row, g}
	})
}

// Invoice is what is paid.
func (a *PaymentApplication) Invoice(ctx context.Context) (*Invoice, error) {
	return one(ctx, a.group, "invoice", a.InvoiceID, func(row *document.Application) billing.InvoiceID { return row.InvoiceID }, (*Reader).invoicesByID)
}

// Payment is what pays, if it is no credit note.
func (a *PaymentApplication) Payment(ctx context.Context) (*Payment, error) {
	return oneIfAny(ctx, a.group, "payment", a.PaymentID, func(row *document.Application) *billing.PaymentID { return row.PaymentID }, (*Reader).paymentsByID)
}

// CreditNote is what pays, if it is no payment.
func (a *PaymentApplication) CreditNote(ctx context.Context) (*CreditNote, error) {
	return oneIfAny(ctx, a.group, "creditNote", a.CreditNoteID, func(row *document.Application) *billing.CreditNoteID { return row.CreditNoteID }, (*Reader).creditNotesByID)
}

// Amount is how much is paid.
func (a *PaymentApplication) Amount(ctx context.Context) (string, error) {
	i, err := a.Invoice(ctx)
	if err != nil || i == nil {
		return "", err
	}
	return i.Currency.Format(a.Application.Amount), nil
}

func (r *Reader) paymentsByID(ctx context.Context, ids []billing.PaymentID) (map[billing.PaymentID]*Payment, error) {
	found, err := store.Payments.ByIDs(ctx, r.q(), ids)
	return index(r.Payments(found), func(n *Payment) billing.PaymentID { return n.ID }), err
}

func (r *Reader) creditNotesByID(ctx context.Context, ids []billing.CreditNoteID) (map[billing.CreditNoteID]*CreditNote, error) {
	found, err := store.CreditNotes.ByIDs(ctx, r.q(), ids)
	return index(r.CreditNotes(found), func(n *CreditNote) billing.CreditNoteID { return n.ID }), err
}
