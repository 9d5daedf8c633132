package invoicing

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// order says which accounts are billed, and how.
type order struct {
	accounts []billing.AccountID
	// locked are the same if they have been locked before, and waiting and billed what
	// was read of them then: of all together, and of each.
	locked  []billing.Account
	waiting store.Waiting
	billed  map[billing.AccountID]store.AccountBilling
	// clock is the test clock that they are on, nil for real time.
	clock *billing.TestClockID
	// through is the last day that is billed, nil for today.
	through *billing.Date
	// most is how many of the accounts are billed, passing over those that somebody
	// else has; 0 for all of them.
	most int
	// everything has what is due billed even if nothing calls for an invoice yet, and
	// issued even where invoices begin as drafts.
	everything, issue bool
	// draft is the only draft that is issued, 0 if that is not what is ordered.
	draft billing.InvoiceID
	// all reads every subscription, to tell what comes next.
	all bool
	// early counts with an account whose invoicing starts on a day to come, as of that
	// day.
	early bool
	// calm leaves an account with a problem out of the run, instead of failing.
	calm bool
}

// run bills accounts in one transaction.
type run struct {
	order
	tx      *store.Tx
	cal     calendar.Calendar
	sellers *sellers
	books   []*book
	// invoices are those in the database that something is done to.
	invoices map[billing.InvoiceID]*document.Invoice
	claims   claims
}

// book is an account with its documents.
type book struct {
	bill.Account
	billing   store.AccountBilling
	documents *bill.Documents
	// problem is why the account cannot be billed, and notice what was left out.
	problem error
	notice  string
	// leftOut are subscriptions that were set aside.
	leftOut []*subscription.Subscription
	// before are the drafts that billing has made, and byHand those that somebody made.
	before, byHand []document.Invoice
	// drafts are invoices that are not issued yet, renewed those made by hand that have
	// changed, and obsolete those that are none any more.
	drafts, renewed []*document.Invoice
	obsolete        []billing.InvoiceID
	// more are further billing events, and payment one that is recorded.
	more    []document.Event
	payment *document.Payment
	// returned is what was given back of payments, or taken back by a bank.
	returned []returned
	// moved says that the account is looked at on another day than before.
	moved bool
	// keep says that only documents are made, and nothing is decided about what is
	// due.
	keep bool
	funds
}

// bill finds what is due for accounts, and makes their documents. Nothing is
// written yet but what passing time brings.
func (s *Service) bill(ctx context.Context, tx *store.Tx, o order) (*run, error) {
	r := &run{order: o, tx: tx, invoices: map[billing.InvoiceID]*document.Invoice{}}
	var err error
	if r.cal, err = calendar.In(ctx, tx, o.clock); err != nil {
		return nil, err
	}
	switch {
	case o.through == nil || !o.through.After(r.cal.Today):
	case o.calm:
		r.through = nil // the clock was set back since
	default:
		return nil, billing.Fail(billing.Invalid, "on", "Only what is due by today, %s, can be billed. To see what will be, use a preview.", r.cal.Today)
	}
	if r.sellers, err = loadSellers(ctx, tx.Queries); err != nil {
		return nil, err
	}
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	for _, b := range r.books {
		if err := b.check(func() error { return b.Due() }); err != nil && !r.calm {
			return nil, err
		}
	}
	items, err := r.creditedItems(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range r.books {
		err := b.check(func() (err error) { b.documents, err = b.Documents(items); return err })
		if err != nil && !r.calm {
			return nil, err
		}
	}
	return r, nil
}

// check notes what keeps an account from being billed. What breaks is the
// account's problem, and not that of the others.
func (b *book) check(do func() error) error {
	if b.problem == nil {
		b.problem = func() (err error) {
			defer operation.Recovered(&err)
			return do()
		}()
	}
	return b.problem
}

func (r *run) lock(ctx context.Context) ([]billing.Account, error) {
	if r.locked != nil {
		return r.locked, nil
	}
	if r.most > 0 {
		return store.LockFreeAccounts(ctx, r.tx, r.accounts, r.most)
	}
	return store.LockAccounts(ctx, r.tx, r.accounts)
}

// load locks accounts and their subscriptions, does what is due on those, and
// reads what was billed.
func (r *run) load(ctx context.Context) error {
	accounts, err := r.lock(ctx)
	if err != nil {
		return err
	}
	at := make(map[billing.AccountID]*book, len(accounts))
	ids := make([]billing.AccountID, 0, len(accounts))
	for n := range accounts {
		a := &accounts[n]
		if (a.TestClockID == nil) != (r.clock == nil) || r.clock != nil && *a.TestClockID != *r.clock {
			continue // it was put on another clock just now
		}
		b := &book{Account: bill.Account{Account: a, Entity: r.sellers.of(a), Rates: r.sellers.Rates, Today: r.cal.Today, Everything: r.everything}}
		if r.through != nil {
			b.Today, b.IssuedOn = *r.through, r.cal.Today
		}
		if b.Entity == nil || b.Entity.InvoicingStartsOn == nil {
			continue
		}
		if first := *b.Entity.InvoicingStartsOn; first.After(r.cal.Today) {
			if !r.early {
				continue
			}
			b.Today = first
		}
		r.books, at[a.ID], ids = append(r.books, b), b, append(ids, a.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	if r.locked == nil {
		if r.waiting, err = store.WaitingOf(ctx, r.tx.Queries, ids); err != nil {
			return err
		}
		if r.billed, err = store.BillingOf(ctx, r.tx.Queries, ids); err != nil {
			return err
		}
	}
	if err := r.loadDrafts(ctx, ids, at); err != nil {
		return err
	}
	if err := r.loadSubscriptions(ctx, ids, at); err != nil {
		return err
	}
	return r.loadWaiting(ctx, ids, at)
}

// loadWaiting reads what waits of accounts, as far as there is any.
func (r *run) loadWaiting(ctx context.Context, ids []billing.AccountID, at map[billing.AccountID]*book) error {
	if r.waiting.Items {
		pending, err := store.PendingItemsOf(ctx, r.tx.Queries, ids)
		if err != nil {
			return err
		}
		for n := range pending {
			b := at[pending[n].AccountID]
			b.Pending = append(b.Pending, pending[n])
		}
	}
	return r.loadFunds(ctx, ids, at)
}

func (r *run) loadSubscriptions(ctx context.Context, ids []billing.AccountID, at map[billing.AccountID]*book) error {
	var all []billing.AccountID   // of which more is billed than what calls for an invoice
	var aside []billing.AccountID // about which something was noted
	for _, b := range r.books {
		if r.all || b.Everything {
			all = append(all, b.ID)
		}
		if b.BillingProblem != nil {
			aside = append(aside, b.ID)
		}
	}
	subs, err := store.LockSubscriptionsToBill(ctx, r.tx, ids, r.cal.Today, all, aside)
	if err != nil {
		return err
	}
	codes := map[billing.TenantID]string{}
	if err := store.TenantCodes(ctx, r.tx.Queries, tenantsOf(subs), codes); err != nil {
		return err
	}
	offers := subscriptions.OffersIn(ctx, r.tx.Queries)
	from := make([]store.LedgerFrom, 0, len(subs))
	byID := make(map[billing.SubscriptionID]*bill.Subscription, len(subs))
	for n := range subs {
		b := at[subs[n].AccountID]
		if b == nil {
			continue
		}
		if subs[n].Problem != nil {
			b.notice = fmt.Sprintf("Subscription %d was left out, because it was set aside: %s", subs[n].ID, *subs[n].Problem)
			subs[n].BillOn, b.leftOut = nil, append(b.leftOut, &subs[n])
			continue
		}
		sub := &subs[n]
		if due, some := sub.Due(); some && !due.After(r.cal.Today) {
			caught, err := r.catchUp(ctx, sub.ID)
			if err != nil {
				b.problem = err
				continue
			}
			sub = caught
		}
		one := &bill.Subscription{Subscription: sub, Offers: offers}
		b.Subscriptions, byID[sub.ID] = append(b.Subscriptions, one), one
		from = append(from, store.LedgerFrom{SubscriptionID: sub.ID, From: sub.LedgerFrom()})
	}
	keys, err := store.LedgerKeys(ctx, r.tx, from) // and the codes
	for _, one := range byID {
		if one.TenantID != nil {
			one.TenantCode = codes[*one.TenantID]
		}
	}
	for n := range keys {
		one := byID[keys[n].SubscriptionID]
		one.Billed = append(one.Billed, keys[n].Billed)
	}
	return err
}

// catchUp does what is due on a subscription, for which all of it is needed.
func (r *run) catchUp(ctx context.Context, id billing.SubscriptionID) (*subscription.Subscription, error) {
	sub, err := store.LockSubscription(ctx, r.tx, id)
	if err != nil {
		return nil, err
	}
	caught, err := subscriptions.CatchUp(ctx, r.tx, *sub, r.cal)
	return &caught, err
}

// tenantsOf are the tenants of subscriptions.
func tenantsOf(subs []subscription.Subscription) (ids []billing.TenantID) {
	for n := range subs {
		if id := subs[n].TenantID; id != nil {
			ids = append(ids, *id)
		}
	}
	return operation.Unique(ids)
}

// creditedItems reads the items of the keys that something is credited of, with
// their invoices.
func (r *run) creditedItems(ctx context.Context) (map[bill.Ref][]bill.Item, error) {
	var refs []store.LedgerRef
	for _, b := range r.books {
		for _, ref := range b.Credited() {
			refs = append(refs, store.LedgerRef(ref))
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	items, err := store.ItemsOfKeys(ctx, r.tx.Queries, refs)
	if err != nil {
		return nil, err
	}
	var ids []billing.InvoiceID
	for n := range items {
		ids = append(ids, items[n].InvoiceID)
	}
	invoices, err := store.Invoices.ByIDs(ctx, r.tx.Queries, operation.Unique(ids))
	if err != nil {
		return nil, err
	}
	for n := range invoices {
		if r.invoices[invoices[n].ID] == nil {
			r.invoices[invoices[n].ID] = &invoices[n]
		}
	}
	found := map[bill.Ref][]bill.Item{}
	for n := range items {
		i := r.invoices[items[n].InvoiceID]
		at := slices.IndexFunc(i.Items, func(known document.Item) bool { return known.ID == items[n].ID })
		if at < 0 { // a preview may have credited it before
			at, i.Items = len(i.Items), append(i.Items, items[n])
		}
		key, _ := items[n].Key()
		ref := bill.Ref{SubscriptionID: *items[n].SubscriptionID, Key: key}
		found[ref] = append(found[ref], bill.Item{Invoice: i, Index: at})
	}
	return found, nil
}
