package invoicing

import (
	"context"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// BillIn bills the accounts of subscriptions in the transaction of a change that
// somebody wants to be invoiced at once. The accounts are locked. It fails if one
// of them cannot be billed.
func (s *Service) BillIn(ctx context.Context, tx *store.Tx, subs []subscription.Subscription) (issued subscriptions.Issued, err error) {
	changed := map[billing.SubscriptionID]bool{}
	onClock := map[billing.TestClockID][]billing.AccountID{} // 0 stands for real time
	for n := range subs {
		changed[subs[n].ID] = true
		var clock billing.TestClockID
		if subs[n].TestClockID != nil {
			clock = *subs[n].TestClockID
		}
		onClock[clock] = append(onClock[clock], subs[n].AccountID)
	}
	var further subscriptions.Issued // documents without anything of the subscriptions
	for _, clock := range slices.Sorted(maps.Keys(onClock)) {
		o := order{accounts: operation.Unique(onClock[clock]), everything: true, calm: true}
		if clock != 0 {
			o.clock = &clock
		}
		r, err := s.bill(ctx, tx, o)
		if err != nil {
			return issued, err
		}
		if err := r.checkAll(); err != nil {
			return issued, err
		}
		if err := r.issue(ctx); err != nil {
			return issued, err
		}
		credited := r.itemsOf(changed)
		for _, b := range r.books {
			if err := b.auditAtOnce(ctx, tx); err != nil {
				return issued, err
			}
			b.tell(changed, credited, &issued, &further)
		}
	}
	issued.Invoices = append(issued.Invoices, further.Invoices...)
	issued.CreditNotes = append(issued.CreditNotes, further.CreditNotes...)
	return issued, nil
}

// checkAll fails if not all accounts of the order can be billed.
func (r *run) checkAll() error {
	for _, id := range r.accounts {
		at := slices.IndexFunc(r.books, func(b *book) bool { return b.ID == id })
		if at < 0 {
			return billing.Fail(billing.NotAllowed, "invoiceImmediately", "Account %d cannot be invoiced, because invoicing has not started: give its entity a first day, invoicingStartsOn.", id)
		}
		b := r.books[at]
		if _, known := billing.AsProblems(b.problem); known {
			return billing.Fail(billing.NotAllowed, "invoiceImmediately", "Account %d cannot be invoiced. %s", id, problemText(b.problem))
		}
		if b.problem != nil {
			return b.problem
		}
	}
	return nil
}

// auditAtOnce notes who had an account billed.
func (b *book) auditAtOnce(ctx context.Context, tx *store.Tx) error {
	changes := b.auditChanges()
	if len(changes) == 0 {
		return nil
	}
	return operation.Audit(ctx, tx, "accountInvoice", "account", int64(b.ID), changes)
}

// itemsOf are the items of some subscriptions on older invoices that something was
// done to.
func (r *run) itemsOf(subs map[billing.SubscriptionID]bool) map[billing.InvoiceItemID]bool {
	found := map[billing.InvoiceItemID]bool{}
	for _, i := range r.invoices {
		for n := range i.Items {
			if id := i.Items[n].SubscriptionID; id != nil && subs[*id] {
				found[i.Items[n].ID] = true
			}
		}
	}
	return found
}

// tell names the documents of an account, those of some subscriptions apart from
// the others.
func (b *book) tell(subs map[billing.SubscriptionID]bool, credited map[billing.InvoiceItemID]bool, issued, further *subscriptions.Issued) {
	for _, i := range slices.Concat(b.documents.Invoices, b.drafts) {
		to := further
		if slices.ContainsFunc(i.Items, func(item document.Item) bool { return item.SubscriptionID != nil && subs[*item.SubscriptionID] }) {
			to = issued
		}
		to.Invoices = append(to.Invoices, i.ID)
	}
	for n := range b.documents.CreditNotes {
		note, to := &b.documents.CreditNotes[n], further
		if slices.ContainsFunc(note.Items, func(item document.CreditItem) bool { return item.ItemID != nil && credited[*item.ItemID] }) {
			to = issued
		}
		to.CreditNotes = append(to.CreditNotes, note.ID)
	}
}
