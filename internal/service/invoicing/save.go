package invoicing

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// each calls do for every account that is billed.
func (r *run) each(do func(*book)) {
	for _, b := range r.books {
		if b.problem == nil {
			do(b)
		}
	}
}

// saveInvoices writes the invoices that were issued, and drafts. One that was a
// draft before keeps its id.
func (r *run) saveInvoices(ctx context.Context) error {
	var fresh, known []*document.Invoice
	var items []*document.Item
	r.each(func(b *book) {
		for _, i := range slices.Concat(b.documents.Invoices, b.drafts) {
			if i.ID == 0 {
				fresh = append(fresh, i)
			} else {
				known = append(known, i)
			}
		}
		known = append(known, b.renewed...)
	})
	if err := store.Invoices.InsertAll(ctx, r.tx, fresh); err != nil {
		return err
	}
	if err := r.replaceDrafts(ctx, known); err != nil {
		return err
	}
	for _, i := range slices.Concat(fresh, known) {
		for n := range i.Items {
			i.Items[n].ID, i.Items[n].InvoiceID = 0, i.ID
			items = append(items, &i.Items[n])
		}
	}
	return store.InvoiceItems.InsertAll(ctx, r.tx, items)
}

// saveNotes writes the credit notes.
func (r *run) saveNotes(ctx context.Context) error {
	var notes []*document.CreditNote
	var items []*document.CreditItem
	r.each(func(b *book) {
		for n := range b.documents.CreditNotes {
			notes = append(notes, &b.documents.CreditNotes[n])
		}
	})
	if err := store.CreditNotes.InsertAll(ctx, r.tx, notes); err != nil {
		return err
	}
	for _, note := range notes {
		for n := range note.Items {
			note.Items[n].CreditNoteID = note.ID
			items = append(items, &note.Items[n])
		}
	}
	return store.CreditNoteItems.InsertAll(ctx, r.tx, items)
}

// saveOutcomes writes what became of older documents and payments.
func (r *run) saveOutcomes(ctx context.Context) error {
	var invoices []*document.Invoice
	var items []*document.Item
	var notes []*document.CreditNote
	var payments []*document.Payment
	r.each(func(b *book) {
		fresh := b.documents.Invoices
		for i := range b.touched {
			if !slices.Contains(fresh, i) {
				invoices = append(invoices, i)
			}
		}
		for note := range b.used {
			if !b.isNew(note) {
				notes = append(notes, note)
			}
		}
		for p := range b.spent {
			if p != b.payment {
				payments = append(payments, p)
			}
		}
	})
	slices.SortFunc(invoices, func(a, b *document.Invoice) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(notes, func(a, b *document.CreditNote) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(payments, func(a, b *document.Payment) int { return cmp.Compare(a.ID, b.ID) })
	for _, i := range invoices {
		for n := range i.Items {
			if i.Items[n].Credited+i.Items[n].WrittenOff > 0 {
				items = append(items, &i.Items[n])
			}
		}
	}
	if err := store.SaveOutcomes(ctx, r.tx, invoices); err != nil {
		return err
	}
	if err := store.SaveCredited(ctx, r.tx, items); err != nil {
		return err
	}
	if err := store.SaveUsedCreditNotes(ctx, r.tx, notes); err != nil {
		return err
	}
	return store.SaveUsedPayments(ctx, r.tx, payments)
}

// isNew reports whether a credit note is one of this run.
func (b *book) isNew(note *document.CreditNote) bool {
	for n := range b.documents.CreditNotes {
		if note == &b.documents.CreditNotes[n] {
			return true
		}
	}
	return false
}

// saveApplications writes what pays for what, with a payment that is new.
func (r *run) saveApplications(ctx context.Context) error {
	var rows []*document.Application
	var payments []*document.Payment
	var gone []billing.ApplicationID
	r.each(func(b *book) {
		if b.payment != nil {
			payments = append(payments, b.payment)
		}
		for _, a := range b.unapplied {
			gone = append(gone, a.id)
		}
	})
	if err := store.Payments.InsertAll(ctx, r.tx, payments); err != nil {
		return err
	}
	if err := store.DeleteApplications(ctx, r.tx, gone); err != nil {
		return err
	}
	r.each(func(b *book) {
		for _, a := range b.applications {
			row := &document.Application{InvoiceID: a.invoice.ID, Amount: a.amount, AppliedOn: r.cal.Today}
			if a.note != nil {
				row.CreditNoteID = &a.note.ID
			} else {
				row.PaymentID = &a.payment.ID
			}
			rows = append(rows, row)
		}
	})
	return store.Applications.InsertAll(ctx, r.tx, rows)
}

// saveEntries adds the documents to the statement of account.
func (r *run) saveEntries(ctx context.Context) error {
	var rows []*document.Entry
	r.each(func(b *book) {
		for _, i := range b.documents.Invoices {
			e := document.NewEntry(document.InvoiceEntry, int64(i.ID), i.IssuedAt, i.Amount)
			e.AccountID, e.EntityID, e.Currency, e.Number = i.AccountID, i.EntityID, i.Currency, i.Number
			rows = append(rows, &e)
		}
		for n := range b.documents.CreditNotes {
			note := &b.documents.CreditNotes[n]
			e := document.NewEntry(document.CreditNoteEntry, int64(note.ID), note.IssuedAt, note.Amount)
			e.AccountID, e.EntityID, e.Currency, e.Number = note.AccountID, note.EntityID, note.Currency, note.Number
			rows = append(rows, &e)
		}
		if p := b.payment; p != nil {
			e := document.NewEntry(document.PaymentEntry, int64(p.ID), p.ReceivedAt, p.Amount)
			e.AccountID, e.EntityID, e.Currency, e.Number = p.AccountID, p.EntityID, p.Currency, p.Reference
			rows = append(rows, &e)
		}
		for _, back := range b.returned {
			p := back.payment
			e := document.NewEntry(document.RefundEntry, int64(p.ID), r.cal.Today, back.amount)
			e.AccountID, e.EntityID, e.Currency, e.Number = p.AccountID, p.EntityID, p.Currency, p.Reference
			rows = append(rows, &e)
		}
	})
	return store.AccountEntries.InsertAll(ctx, r.tx, rows)
}

func (r *run) saveLedger(ctx context.Context) error {
	var keys []store.LedgerKey
	var pending []billing.PendingItemID
	r.each(func(b *book) {
		for _, k := range b.documents.Ledger {
			keys = append(keys, store.LedgerKey(k))
		}
		pending = append(pending, b.documents.Pending...)
	})
	if err := store.SaveLedger(ctx, r.tx, keys); err != nil || len(pending) == 0 {
		return err
	}
	return store.DeletePendingItems(ctx, r.tx, pending)
}

// saveProgress writes when accounts have to be looked at again.
func (r *run) saveProgress(ctx context.Context) error {
	var subs []*subscription.Subscription
	var billed []store.AccountBilling
	r.each(func(b *book) {
		if b.keep {
			return
		}
		billed := map[billing.SubscriptionID]bool{}
		for n := range b.documents.Ledger {
			billed[b.documents.Ledger[n].SubscriptionID] = true
		}
		for _, s := range b.Subscriptions {
			if billed[s.ID] {
				s.BillingSince = b.Since(s)
			}
			s.BillOn, s.DirtyFrom, s.ChangedOn, s.BilledOn = s.Next.BillOn, s.Next.DirtyFrom, s.Next.ChangedOn, s.Next.BilledOn
			subs = append(subs, s.Subscription)
		}
		subs = append(subs, b.leftOut...)
		lookOn, collectOn := optionalDay(b.LookOn()), optionalDay(b.CollectOn)
		b.moved = !sameDay(lookOn, b.billing.BillOn) || !sameDay(collectOn, b.billing.CollectOn)
		b.billing.BillOn, b.billing.CollectOn = lookOn, collectOn
	})
	if err := store.SaveBilled(ctx, r.tx, subs); err != nil {
		return err
	}
	for id, from := range r.claims.owed {
		if err := store.MarkToBill(ctx, r.tx, id, from, r.cal.Today); err != nil {
			return err
		}
	}
	for _, b := range r.books {
		var err error
		switch {
		case b.keep:
		case b.problem != nil:
			err = store.SetBillingProblem(ctx, r.tx, b.ID, problemText(b.problem))
		case b.notice != "" && (b.BillingProblem == nil || *b.BillingProblem != b.notice):
			err = store.NoteBillingProblem(ctx, r.tx, b.ID, &b.notice)
		case b.notice == "" && b.BillingProblem != nil:
			err = store.NoteBillingProblem(ctx, r.tx, b.ID, nil)
		}
		if err != nil {
			return err
		}
	}
	r.each(func(b *book) {
		if b.moved || b.changed() {
			b.billing.LastEvent += int64(len(b.events()))
			billed = append(billed, b.billing)
		}
	})
	return store.SaveBilling(ctx, r.tx, billed)
}

func optionalDay(d billing.Date) *billing.Date {
	if d == (billing.Date{}) {
		return nil
	}
	return &d
}

// changed reports whether anything of the account was billed, or waits to be.
func (b *book) changed() bool {
	return len(b.documents.Invoices)+len(b.documents.CreditNotes)+len(b.applications)+len(b.unapplied)+len(b.drafts)+len(b.documents.Ledger)+len(b.Pending)+len(b.returned) > 0 ||
		b.payment != nil
}

// problemText is what the billing team reads.
func problemText(err error) string {
	if problems, known := billing.AsProblems(err); known && len(problems) > 0 {
		return problems[0].Message
	}
	return err.Error()
}
