package invoicing

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// drafts are the drafts that billing has made of accounts. Those that somebody
// made by hand are not touched.
func (r *run) drafts(ctx context.Context) (map[billing.AccountID][]document.Invoice, error) {
	var ids []billing.AccountID
	for _, b := range r.books {
		ids = append(ids, b.ID)
	}
	if len(ids) == 0 || !r.waiting.Drafts {
		return nil, nil
	}
	all, err := store.DraftsOf(ctx, r.tx.Queries, ids)
	found := map[billing.AccountID][]document.Invoice{}
	for _, draft := range all {
		if draft.Kind == document.SubscriptionInvoice {
			found[draft.AccountID] = append(found[draft.AccountID], draft)
		}
	}
	return found, err
}

// keepDrafts makes drafts of invoices, if the account wants that, and lets what
// was a draft before keep its identity, whether it is issued now or stays one.
func (b *book) keepDrafts(r *run, before []document.Invoice) {
	if b.keep {
		return // what somebody made by hand is no draft of billing
	}
	b.drafts = b.KeepAsDrafts(b.documents, func(i *document.Invoice) bool {
		at := slices.IndexFunc(before, func(draft document.Invoice) bool { return becomes(&draft, i) })
		if at < 0 {
			return r.staysDraft(b, nil)
		}
		return r.staysDraft(b, &before[at])
	})
	for _, i := range b.drafts {
		i.UUID = newUUID()
		if !b.DraftInvoices {
			after := r.cal.Now.Add(time.Duration(b.Entity.GraceHours) * time.Hour)
			i.IssueAfter = &after
		}
	}
	for n := range before {
		b.adopt(&before[n])
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
	return b.DraftInvoices || b.Entity.GraceHours > 0
}

// becomes reports whether an invoice is what a draft is now.
func becomes(draft, i *document.Invoice) bool {
	separate := (i.SubscriptionID == nil) == (draft.SubscriptionID == nil) && (i.SubscriptionID == nil || *i.SubscriptionID == *draft.SubscriptionID)
	return separate && same(i, draft.EntityID, draft.Currency)
}

// adopt gives the identity of a draft to the invoice that it is now. One that is
// none any more is deleted.
func (b *book) adopt(draft *document.Invoice) {
	for _, i := range slices.Concat(b.documents.Invoices, b.drafts) {
		if i.ID != 0 || !becomes(draft, i) {
			continue
		}
		i.ID, i.UUID, i.Notes, i.CreatedAt = draft.ID, draft.UUID, draft.Notes, draft.CreatedAt
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
