package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentAttributes is what a caller says of a payment.
type PaymentAttributes struct {
	AccountID  billing.AccountID
	Amount     string
	CurrencyID string
	// ReceivedAt is today if it is nil.
	ReceivedAt *billing.Date
	Reference  string
	// InvoiceIDs are the invoices that it is for, in order. If there are none, it is for
	// those whose numbers the reference has, and then the oldest due first.
	InvoiceIDs []billing.InvoiceID
}

// PaymentCreate records a payment and applies it. What is left of it waits as
// credit.
func (s *Service) PaymentCreate(ctx context.Context, p PaymentAttributes) (*Outcome, error) {
	return s.act(ctx, "paymentCreate", theAccount(p.AccountID), func(ctx context.Context, r *run, b *book) error {
		currency, err := money.CurrencyOf(p.CurrencyID)
		if err != nil {
			return err
		}
		amount, err := currency.Parse(p.Amount)
		if err != nil {
			return err
		}
		b.payment = &document.Payment{
			UUID: secret.UUID(), AccountID: b.ID, EntityID: b.Entity.ID, Currency: currency, Amount: amount, ReceivedAt: r.cal.Today, Reference: p.Reference, TestClockID: b.TestClockID,
		}
		if p.ReceivedAt != nil {
			b.payment.ReceivedAt = *p.ReceivedAt
		}
		if err := b.payment.Check(r.cal.Today); err != nil {
			return err
		}
		if err := r.openAll(ctx, b); err != nil {
			return err
		}
		if len(p.InvoiceIDs) > 0 {
			if named := b.find(p.InvoiceIDs[0]); named != nil {
				b.payment.EntityID = named.EntityID
			}
		}
		if len(p.InvoiceIDs) > 0 {
			return b.pay(b.payment, p.InvoiceIDs)
		}
		b.payment.EntityID = b.entityToPay(currency, b.payment.EntityID)
		if err := b.payQuoted(b.payment); err != nil {
			return err
		}
		return b.pay(b.payment, nil)
	})
}

// entityToPay is the entity that a payment is for which names no invoice: the one that invoices
// the account now, unless nothing of it is open in the currency; then the one whose open invoice is
// due first, if there is any.
func (f *funds) entityToPay(currency money.Currency, now billing.EntityID) billing.EntityID {
	var first *document.Invoice
	for _, i := range f.open {
		if i.Currency != currency || i.AmountDue() <= 0 {
			continue
		}
		if i.EntityID == now {
			return now
		}
		if first == nil || i.DueAt.Before(first.DueAt) {
			first = i
		}
	}
	if first == nil {
		return now
	}
	return first.EntityID
}

// payQuoted applies a payment to the invoices whose numbers its reference has, as
// invoices ask those who transfer money to quote them.
func (f *funds) payQuoted(p *document.Payment) error {
	var quoted []billing.InvoiceID
	for _, i := range f.open {
		if i.Currency != p.Currency || !i.QuotedIn(p.Reference) {
			continue
		}
		if len(quoted) == 0 {
			p.EntityID = i.EntityID
		}
		if i.EntityID == p.EntityID {
			quoted = append(quoted, i.ID)
		}
	}
	if len(quoted) == 0 {
		return nil
	}
	return f.pay(p, quoted)
}

// PaymentApplyToInvoices applies what waits of a payment to invoices, in order.
func (s *Service) PaymentApplyToInvoices(ctx context.Context, id billing.PaymentID, invoices []billing.InvoiceID) (*Outcome, error) {
	return s.act(ctx, "paymentApplyToInvoices", accountOfPayment(id), func(ctx context.Context, r *run, b *book) error {
		if err := r.openAll(ctx, b); err != nil {
			return err
		}
		for _, p := range b.payments {
			if p.ID == id {
				return b.pay(p, invoices)
			}
		}
		return billing.Fail(billing.NotAllowed, "paymentId", "Nothing is left of payment %d.", id)
	})
}

// PaymentUnapplyFromInvoices takes a payment back from invoices, which are open
// again then. It waits as credit.
func (s *Service) PaymentUnapplyFromInvoices(ctx context.Context, id billing.PaymentID, invoices []billing.InvoiceID) (*Outcome, error) {
	return s.act(ctx, "paymentUnapplyFromInvoices", accountOfPayment(id), func(ctx context.Context, r *run, b *book) error {
		p, err := operation.Find(ctx, r.tx, store.Payments, "paymentId", "payment", id)
		if err != nil {
			return err
		}
		applied, err := store.ApplicationsOfPayment(ctx, r.tx.Queries, id)
		if err != nil {
			return err
		}
		for _, invoice := range operation.Unique(invoices) {
			i, err := r.invoice(ctx, "invoiceIds", invoice)
			if err != nil {
				return err
			}
			if !b.takeBack(p, i, applied) {
				return billing.Fail(billing.NotAllowed, "invoiceIds", "Payment %d does not pay for invoice %s.", id, i.Number)
			}
		}
		return nil
	})
}

// CreditNoteApplyToInvoices applies what waits of a credit note to invoices, in
// order.
func (s *Service) CreditNoteApplyToInvoices(ctx context.Context, id billing.CreditNoteID, invoices []billing.InvoiceID) (*Outcome, error) {
	account := func(ctx context.Context, tx *store.Tx) (billing.AccountID, error) {
		note, err := operation.Find(ctx, tx, store.CreditNotes, "creditNoteId", "credit note", id)
		if err != nil {
			return 0, err
		}
		return note.AccountID, nil
	}
	return s.act(ctx, "creditNoteApplyToInvoices", account, func(ctx context.Context, r *run, b *book) error {
		if err := r.openAll(ctx, b); err != nil {
			return err
		}
		for _, note := range b.notes {
			if note.ID != id {
				continue
			}
			parts, err := b.fill(note.EntityID, note.Currency, note.AmountUnapplied(), invoices)
			for _, part := range parts {
				b.apply(&application{invoice: b.open[part.ID], note: note, amount: part.Amount})
			}
			return err
		}
		return billing.Fail(billing.NotAllowed, "creditNoteId", "Nothing is left of credit note %d.", id)
	})
}

func accountOfPayment(id billing.PaymentID) func(context.Context, *store.Tx) (billing.AccountID, error) {
	return func(ctx context.Context, tx *store.Tx) (billing.AccountID, error) {
		p, err := operation.Find(ctx, tx, store.Payments, "paymentId", "payment", id)
		if err != nil {
			return 0, err
		}
		return p.AccountID, nil
	}
}

// openAll reads the open invoices of an account.
func (r *run) openAll(ctx context.Context, b *book) error {
	open, err := store.OpenInvoices(ctx, r.tx.Queries, []billing.AccountID{b.ID})
	for n := range open {
		b.open = append(b.open, &open[n])
		r.invoices[open[n].ID] = &open[n]
	}
	return err
}

// find returns an open invoice, nil if it is none.
func (f *funds) find(id billing.InvoiceID) *document.Invoice {
	for _, i := range f.open {
		if i.ID == id {
			return i
		}
	}
	return nil
}

// pay applies what waits of a payment.
func (f *funds) pay(p *document.Payment, invoices []billing.InvoiceID) error {
	parts, err := f.fill(p.EntityID, p.Currency, p.AmountUnapplied(), invoices)
	for _, part := range parts {
		f.apply(&application{invoice: f.open[part.ID], payment: p, amount: part.Amount})
	}
	return err
}

// fill divides an amount among the invoices that were named, in order, or all that
// are open, the oldest due first.
func (f *funds) fill(entity billing.EntityID, currency money.Currency, amount money.Amount, invoices []billing.InvoiceID) ([]document.Filled, error) {
	open := document.OldestFirst(f.openFor(entity, currency))
	if len(invoices) > 0 {
		var at []int64
		for _, id := range invoices {
			index := int64(-1)
			for n, i := range f.open {
				if i.ID == id {
					index = int64(n)
				}
			}
			if index < 0 {
				return nil, billing.Fail(billing.NotAllowed, "invoiceIds", "Invoice %d is not an open invoice of this account.", id)
			}
			if i := f.open[index]; !same(i, entity, currency) {
				return nil, billing.Fail(billing.NotAllowed, "invoiceIds", "Invoice %s is in another currency, %s, or of another entity.", i.Number, i.Currency.Code)
			}
			at = append(at, index)
		}
		var err error
		if open, err = document.Named(open, at); err != nil {
			return nil, err
		}
	}
	filled, _ := document.Apply(amount, open)
	return filled, nil
}

// takeBack takes a payment back from an invoice, and reports whether it was
// applied to it.
func (f *funds) takeBack(p *document.Payment, i *document.Invoice, applied []document.Application) (was bool) {
	for n := range applied {
		a := &applied[n]
		if a.InvoiceID != i.ID {
			continue
		}
		was, i.WrittenOff = true, false // what was written off stays given up; the rest is due again
		i.AmountPaid -= a.Amount
		p.AmountApplied -= a.Amount
		f.unapplied = append(f.unapplied, &application{invoice: i, payment: p, amount: a.Amount, id: a.ID})
		f.touched[i], f.spent[p] = true, true
	}
	return was
}
