package invoicing

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// loadDrafts reads the drafts of accounts, and decides what is billed because of them.
func (r *run) loadDrafts(ctx context.Context, ids []billing.AccountID, at map[billing.AccountID]*book) error {
	if !r.waiting.Drafts {
		return nil
	}
	all, err := store.DraftsOf(ctx, r.tx.Queries, ids)
	if err != nil {
		return err
	}
	for _, draft := range all {
		if b := at[draft.AccountID]; draft.Kind == document.SubscriptionInvoice {
			b.before = append(b.before, draft)
		} else {
			b.byHand = append(b.byHand, draft)
		}
	}
	for _, b := range r.books {
		if len(b.before) > 0 {
			r.fillDrafts(b)
		}
		if err := store.WithItems(ctx, r.tx.Queries, b.byHand); err != nil {
			return err
		}
	}
	return nil
}

// fillDrafts has everything that is due by now on the drafts of an account, even if
// nothing calls for an invoice yet. Before the time of day at which its entity issues
// invoices, what is due today is on drafts, but not on what is issued.
func (r *run) fillDrafts(b *book) {
	if b.Everything = true; r.calm && r.through != nil && b.beginsAsDraft() {
		b.Today, b.IssuedOn = r.cal.Today, billing.Date{}
	}
}

// beginsAsDraft says whether invoices of the account begin as drafts.
func (b *book) beginsAsDraft() bool { return b.DraftInvoices || b.Entity.GraceHours > 0 }

// keepDrafts makes drafts of invoices, if the account wants that, and lets what
// was a draft before keep its identity, whether it is issued now or stays one.
func (b *book) keepDrafts(r *run) {
	if b.keep {
		return // what somebody made by hand is no draft of billing
	}
	b.drafts = b.KeepAsDrafts(b.documents, func(i *document.Invoice) bool {
		at := slices.IndexFunc(b.before, func(draft document.Invoice) bool { return becomes(&draft, i) })
		if at < 0 {
			return r.staysDraft(b, nil)
		}
		return r.staysDraft(b, &b.before[at])
	})
	for _, i := range b.drafts {
		i.UUID = secret.UUID()
		if !b.DraftInvoices {
			after := r.cal.Now.Add(time.Duration(b.Entity.GraceHours) * time.Hour)
			i.IssueAfter = &after
		}
	}
	for n := range b.before {
		b.adopt(&b.before[n])
	}
	for n := range b.byHand {
		b.renew(&b.byHand[n], r.cal.Today)
	}
}

// renew computes a draft anew that somebody made by hand. One that cannot be taxed now
// stays as it is: whoever issues it is told why.
func (b *book) renew(draft *document.Invoice, today billing.Date) {
	now := *draft
	now.Items = slices.Clone(draft.Items)
	if err := b.redo(&now, today); err == nil && !reflect.DeepEqual(&now, draft) {
		b.renewed = append(b.renewed, &now)
	}
}

// redo computes an invoice that somebody made by hand with the data of now.
func (b *book) redo(i *document.Invoice, today billing.Date) error {
	if err := b.date(i, today); err != nil {
		return err
	}
	b.Address(i)
	usePONumber(i)
	return nil
}

// usePONumber writes on an invoice the purchase order that somebody gave it, if any.
func usePONumber(i *document.Invoice) {
	if i.GivenPONumber != "" {
		i.PONumber = i.GivenPONumber
	}
}

// staysDraft says whether an invoice is not issued now. before is the draft that it
// was, nil if it is new.
func (r *run) staysDraft(b *book, before *document.Invoice) bool {
	switch {
	case r.order.issue:
		return false
	case before != nil && r.order.draft != 0:
		return before.ID != r.order.draft
	case before != nil && before.IssueAfter != nil && !before.IssueAfter.After(r.cal.Now):
		return false
	}
	return b.beginsAsDraft()
}

// becomes reports whether an invoice is what a draft is now. The entity may be another
// one by now: all invoices of an account are of its entity.
func becomes(draft, i *document.Invoice) bool {
	separate := (i.SubscriptionID == nil) == (draft.SubscriptionID == nil) && (i.SubscriptionID == nil || *i.SubscriptionID == *draft.SubscriptionID)
	return separate && i.Currency == draft.Currency
}

// adopt gives the identity of a draft to the invoice that it is now. One that is
// none any more is deleted.
func (b *book) adopt(draft *document.Invoice) {
	for _, i := range slices.Concat(b.documents.Invoices, b.drafts) {
		if i.ID != 0 || !becomes(draft, i) {
			continue
		}
		i.ID, i.UUID, i.Notes, i.GivenPONumber, i.CreatedAt = draft.ID, draft.UUID, draft.Notes, draft.GivenPONumber, draft.CreatedAt
		usePONumber(i)
		if i.IssueAfter != nil && draft.IssueAfter != nil {
			i.IssueAfter = draft.IssueAfter
		}
		return
	}
	b.obsolete = append(b.obsolete, draft.ID)
}

// replaceDrafts writes what became of drafts.
func (r *run) replaceDrafts(ctx context.Context, known []*document.Invoice) error {
	var ids, gone []billing.InvoiceID
	for _, i := range known {
		ids = append(ids, i.ID)
	}
	r.each(func(b *book) { gone = append(gone, b.obsolete...) })
	if len(ids)+len(gone) == 0 {
		return nil
	}
	if err := store.DeleteItems(ctx, r.tx, append(ids, gone...)); err != nil {
		return err
	}
	for _, i := range known {
		if err := store.Invoices.Update(ctx, r.tx, i); err != nil {
			return err
		}
	}
	for _, id := range gone {
		if err := store.Invoices.Delete(ctx, r.tx, &document.Invoice{ID: id}); err != nil {
			return err
		}
	}
	return nil
}
