package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Preview is what an account would be billed on a day. Its documents have no ids
// and no numbers. Invoices that would begin as drafts have no dates, and take no
// credit yet.
type Preview struct {
	AccountID   billing.AccountID
	On          billing.Date
	Invoices    []*document.Invoice
	CreditNotes []document.CreditNote
	// Totals has one for each currency.
	Totals []Total
}

// Total is what a preview comes to in a currency: Amount is that of invoices less
// that of credit notes, CreditsApplied what waiting credit pays of it, and AmountDue
// what is left to pay of the invoices.
type Total struct {
	Currency                          money.Currency
	Amount, CreditsApplied, AmountDue money.Amount
}

// InvoicePreview returns what an account would be billed on a day if nobody acts;
// on the next day on which something is billed if on is nil, which is the first of
// all if invoicing has not started yet. It is nil if nothing is.
func (s *Service) InvoicePreview(ctx context.Context, id billing.AccountID, on *billing.Date) (*Preview, error) {
	var p *Preview
	err := s.TakenBack(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := s.billOne(ctx, tx, id, order{issue: true, all: true, early: true})
		if err != nil {
			return err
		}
		if err := checkAhead(on, r.cal.Today); err != nil {
			return err
		}
		if err := r.prepare(ctx); err != nil {
			return err
		}
		b := r.books[0]
		if p = b.preview(); !b.IsEmpty() && (on == nil || *on == b.Today) {
			return nil
		}
		for p != nil && (on == nil || p.On.Before(*on)) {
			if p, err = r.ahead(ctx); err != nil || on == nil {
				return err
			}
		}
		if p != nil && p.On != *on {
			p = nil
		}
		return nil
	})
	return p, err
}

// checkAhead bounds how far a preview looks.
func checkAhead(on *billing.Date, today billing.Date) error {
	switch {
	case on == nil:
	case on.Before(today):
		return billing.Fail(billing.Invalid, "on", "A preview is of today, %s, or a day to come. What was billed before is in the invoices.", today)
	case on.After(today.AddMonths(maxMonthsAhead)):
		return billing.Fail(billing.Invalid, "on", "A preview looks at most %d months ahead.", maxMonthsAhead)
	}
	return nil
}

const maxMonthsAhead = 24

// AccruedItem is an item that is on no document yet. Credits are negative.
type AccruedItem struct {
	document.Item
	Currency money.Currency
}

// AccruedItems are what an account owes by now and has no document for.
func (s *Service) AccruedItems(ctx context.Context, id billing.AccountID) ([]AccruedItem, error) {
	var items []AccruedItem
	err := s.TakenBack(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := s.billOne(ctx, tx, id, order{everything: true, issue: true})
		if err != nil {
			return err
		}
		items = nil
		for _, i := range r.books[0].documents.Invoices {
			for n := range i.Items {
				items = append(items, AccruedItem{i.Items[n], i.Currency})
			}
		}
		credited, err := creditedSubscriptions(ctx, tx, r.books[0].documents.CreditNotes)
		if err != nil {
			return err
		}
		for n := range r.books[0].documents.CreditNotes {
			note := &r.books[0].documents.CreditNotes[n]
			for _, c := range note.Items {
				items = append(items, AccruedItem{document.Item{
					SubscriptionID: credited[creditedItem(&c)], Kind: document.DifferenceItem, LineText: c.LineText, Quantity: "1", StartDate: c.StartDate, EndDate: c.EndDate, Tax: c.Tax,
					Priced: -c.Priced, Amount: -c.Amount, Explanation: c.Explanation,
				}, note.Currency})
			}
		}
		return nil
	})
	return items, err
}

// creditedSubscriptions are the subscriptions of the items that are credited.
func creditedSubscriptions(ctx context.Context, tx *store.Tx, notes []document.CreditNote) (map[billing.InvoiceItemID]*billing.SubscriptionID, error) {
	var ids []billing.InvoiceItemID
	for n := range notes {
		for _, c := range notes[n].Items {
			ids = append(ids, creditedItem(&c))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := store.InvoiceItems.ByIDs(ctx, tx.Queries, ids)
	of := make(map[billing.InvoiceItemID]*billing.SubscriptionID, len(items))
	for n := range items {
		of[items[n].ID] = items[n].SubscriptionID
	}
	return of, err
}

// creditedItem is the item that a credit is on, 0 if it is on a whole invoice.
func creditedItem(c *document.CreditItem) billing.InvoiceItemID {
	if c.ItemID == nil {
		return 0
	}
	return *c.ItemID
}

// ahead finds what the account is billed on the next day on which it is, after what
// it was billed today: nil if nothing is to come. Nothing is written.
func (r *run) ahead(ctx context.Context) (*Preview, error) {
	b := r.books[0]
	b.open = append(b.open, b.documents.Invoices...)
	for range maxAhead {
		next, some := b.Carry(b.documents)
		if !some {
			return nil, nil
		}
		b.Today, b.Everything = next, false
		if err := b.Due(); err != nil {
			return nil, err
		}
		if b.IsEmpty() {
			b.documents = &bill.Documents{}
			continue // a day on which something could have become due
		}
		items, err := r.creditedItems(ctx)
		if err != nil {
			return nil, err
		}
		if b.documents, err = b.Documents(items); err != nil {
			return nil, err
		}
		if err := r.loadOpen(ctx); err != nil {
			return nil, err
		}
		r.settle(b)
		return b.preview(), nil
	}
	return nil, nil
}

// maxAhead is how many days without anything to bill are looked at.
const maxAhead = 100

// settle applies credit to what a preview made.
func (r *run) settle(b *book) {
	for n := range b.documents.CreditNotes {
		r.addNote(b, &b.documents.CreditNotes[n])
		b.documents.CreditNotes[n].IssuedAt = b.Today
	}
	for _, i := range b.documents.Invoices {
		i.IssuedAt, i.DueAt = b.Today, b.DueAt(b.Today)
		if b.AutoApplyCredits {
			b.take(i)
		}
	}
}

// preview is what the account would be billed.
func (b *book) preview() *Preview {
	p := &Preview{AccountID: b.ID, On: b.Today, Invoices: b.documents.Invoices, CreditNotes: b.documents.CreditNotes}
	if b.beginsAsDraft() {
		p.Invoices = make([]*document.Invoice, len(b.documents.Invoices))
		for n, i := range b.documents.Invoices {
			p.Invoices[n] = i.AsDraft()
		}
	}
	at := func(c money.Currency) *Total {
		for n := range p.Totals {
			if p.Totals[n].Currency == c {
				return &p.Totals[n]
			}
		}
		p.Totals = append(p.Totals, Total{Currency: c})
		return &p.Totals[len(p.Totals)-1]
	}
	for _, i := range p.Invoices {
		t := at(i.Currency)
		t.Amount += i.Amount
		t.CreditsApplied += i.Credits + i.AmountPaid
		t.AmountDue += i.AmountDue()
	}
	for n := range p.CreditNotes {
		at(p.CreditNotes[n].Currency).Amount -= p.CreditNotes[n].Amount
	}
	return p
}

// ChangePreview is what a change of subscriptions would bring: the webhooks that
// would be sent, what would be billed at once, and what with the next invoice.
type ChangePreview struct {
	Webhooks []operation.Planned
	// Now is nil if nothing would be billed today, and Next if nothing is to come.
	Now, Next *Preview
	// Problem is why billing cannot tell.
	Problem string
}

// PreviewChange previews an operation on a subscription with the money that it
// costs. immediately says that what is due would be billed at once.
func (s *Service) PreviewChange(ctx context.Context, account billing.AccountID, immediately bool, do func(context.Context) error) (*ChangePreview, error) {
	var p *ChangePreview
	err := s.Rehearse(ctx, func(ctx context.Context, effects *operation.Effects) error {
		p = &ChangePreview{}
		effects.KeepBodies = true
		if err := do(ctx); err != nil {
			return err
		}
		p.Webhooks = effects.Planned
		return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error { return s.previewMoney(ctx, tx, account, immediately, p) })
	})
	return p, err
}

// previewMoney fills in what would be billed. An account that cannot be billed says
// why; the webhooks are shown nevertheless.
func (s *Service) previewMoney(ctx context.Context, tx *store.Tx, account billing.AccountID, immediately bool, p *ChangePreview) error {
	r, err := s.billOne(ctx, tx, account, order{everything: immediately, issue: true, all: true})
	if err == nil {
		err = r.prepare(ctx)
	}
	if err == nil {
		if b := r.books[0]; !b.IsEmpty() {
			p.Now = b.preview()
		}
		p.Next, err = r.ahead(ctx)
	}
	if problems, known := billing.AsProblems(err); known {
		p.Problem = problems[0].Message
		return nil
	}
	return err
}
