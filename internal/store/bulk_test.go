package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// many is more than one statement writes on any engine.
const many = 150

// testInsertAll adds rows many at once, and expects what adding them one by one
// would have made of them, words to find them by included.
func testInsertAll(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	accounts, contacts := make([]*billing.Account, many), make([]*billing.Contact, 2*many)
	tenants, subscriptions := make([]*billing.Tenant, many), make([]*subscription.Subscription, many)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, o := m.platform().ID, m.offer()
		for i := range many {
			accounts[i] = &billing.Account{}
			fill(accounts[i], i+1)
			accounts[i].ID, accounts[i].TestClockID, accounts[i].EntityID, accounts[i].BillingContactID, accounts[i].DunningPolicyID = 0, nil, nil, nil, nil
			accounts[i].Name, accounts[i].Code = fmt.Sprintf("Firm%d", i), ptr(fmt.Sprintf("A-%d", i))
		}
		emails := make([][]string, many) // of the first contacts only, so that others are still to be indexed
		for i := range emails {
			emails[i] = []string{fmt.Sprintf("ann%d@mail.example", 2*i)}
		}
		must(store.InsertAccounts(ctx, tx, accounts[:many-1], emails))
		must(store.InsertAccounts(ctx, tx, nil, nil))
		must(store.Accounts.InsertAll(ctx, tx, accounts[many-1:]))
		for i := range contacts {
			if i == 1 {
				same(t, "accounts by the address of a contact to come", len(listedIn(ctx, tx, filter(t, "ann100@mail"))), 1)
			}
			contacts[i] = &billing.Contact{AccountID: accounts[i/2].ID, FirstName: "Ann", Email: ptr(fmt.Sprintf("ann%d@mail.example", i))}
		}
		must(store.Contacts.InsertAll(ctx, tx, contacts))
		for i := range many {
			tenants[i] = &billing.Tenant{PlatformID: p, AccountID: accounts[i].ID, Code: fmt.Sprintf("t-%d", i), Name: fmt.Sprintf("House%d", i)}
		}
		must(store.Tenants.InsertAll(ctx, tx, tenants))
		for i := range many {
			first := date("2026-01-01")
			subscriptions[i] = &subscription.Subscription{
				Code: ptr(fmt.Sprintf("S-%d", i)), AccountID: accounts[i].ID, ProductID: o.product, PriceListID: o.list, TenantID: &tenants[i].ID,
				State: subscription.StateActive, RenewalTermMonths: 1, StartDate: first, TermStartDate: first, EndDate: date("2026-01-31"), AnchorDay: 1, AsOf: first,
				NextPriceList: &subscription.NextPriceList{ID: o.list, On: date("2026-02-01")}, Charges: []subscription.Line{},
			}
			subscriptions[i].Epochs = subscriptions[i].LikelyEpochs()
		}
		must(store.Subscriptions.InsertAll(ctx, tx, subscriptions))
		must(store.Subscriptions.InsertAll(ctx, tx, nil))
	})
	for i := range many {
		same(t, "an account", got[*billing.Account](t)(store.Accounts.Get(ctx, q, accounts[i].ID)), accounts[i])
		same(t, "a tenant", got[*billing.Tenant](t)(store.Tenants.Get(ctx, q, tenants[i].ID)), tenants[i])
		same(t, "a subscription", got[*subscription.Subscription](t)(store.Subscriptions.Get(ctx, q, subscriptions[i].ID)), subscriptions[i])
	}
	same(t, "AllContactsOf", got[[]billing.Contact](t)(store.AllContactsOf(ctx, q, []billing.AccountID{accounts[3].ID, accounts[1].ID})),
		[]billing.Contact{*contacts[2], *contacts[3], *contacts[6], *contacts[7]})
	same(t, "accounts by the address of a contact", listed(t, s, store.Accounts, filter(t, "ann101@mail")), []billing.Account{*accounts[50]})
	same(t, "subscriptions by the name of the tenant", len(listed(t, s, store.Subscriptions, filter(t, "firm77 house77"))), 1)
	same(t, "subscriptions by code", listed(t, s, store.Subscriptions, filter(t, "code:S-99")), []subscription.Subscription{*subscriptions[99]})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		again := *accounts[0]
		must(store.Accounts.InsertAll(ctx, tx, []*billing.Account{{Name: "New", BillingDay: 1}, &again}))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("an account with a code that is taken: %v, want a duplicate", err)
	}
}

// listedIn returns the accounts that match a filter in a transaction.
func listedIn(ctx context.Context, tx *store.Tx, f billing.Filter) []billing.Account {
	rows, err := store.Accounts.List(ctx, tx.Queries, store.Page{Filter: f, Limit: 10})
	must(err)
	return rows
}

func testByCodes(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b *billing.Account
	var x, y *billing.Tenant
	var sub *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A"), m.account("B")
		a.Code, b.Code = ptr("a"), ptr("b")
		must(store.Accounts.Update(ctx, tx, a))
		must(store.Accounts.Update(ctx, tx, b))
		x, y = m.tenant(m.platform().ID, a.ID), m.tenant(m.platform().ID, b.ID)
		y.Code = x.Code
		must(store.Tenants.Update(ctx, tx, y))
		sub = m.subscription(a.ID, m.offer(), func(s *subscription.Subscription) { s.Code = ptr("S-1") })
	})
	codes := []string{"b", "a", "none"}
	for i := range many {
		codes = append(codes, fmt.Sprint("unknown ", i))
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, lock := range []bool{true, false} {
			accounts, err := store.AccountsByCode(ctx, tx, codes, lock)
			must(err)
			same(t, "AccountsByCode", accounts, []billing.Account{*a, *b})
			subscriptions, err := store.SubscriptionsByCode(ctx, tx, []string{"S-2", "S-1"}, lock)
			must(err)
			same(t, "SubscriptionsByCode", len(subscriptions), 1)
			same(t, "SubscriptionsByCode", subscriptions[0].ID, sub.ID)
		}
		tenants, err := store.TenantsByCode(ctx, tx, []store.TenantCode{{y.PlatformID, y.Code}, {x.PlatformID, "none"}})
		must(err)
		same(t, "TenantsByCode", tenants, []billing.Tenant{*y})
		none, err := store.AccountsByCode(ctx, tx, nil, true)
		must(err)
		same(t, "AccountsByCode of none", len(none), 0)
	})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.subscription(a.ID, maker{ctx, tx}.offer(), func(s *subscription.Subscription) { s.Code = ptr("S-1") })
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a second subscription of one code: %v, want a duplicate", err)
	}
}

func testHistories(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var id billing.SubscriptionID
	entries := make([]subscription.HistoryEntry, many)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		id = m.subscription(m.account("A").ID, m.offer()).ID
		for i := range entries {
			from := subscription.StateTrial
			entries[i] = subscription.HistoryEntry{
				SubscriptionID: id, At: tx.Now, EffectiveAt: tx.Now.Add(-time.Hour), Actor: "command", Kind: subscription.KindCreated,
				From: &from, To: subscription.StateActive, Detail: map[string]any{"line": float64(i)},
			}
		}
		must(store.InsertHistories(ctx, tx, entries))
		must(store.InsertHistories(ctx, tx, nil))
	})
	found := got[[]subscription.HistoryEntry](t)(store.HistoryOf(t.Context(), s.Queries(), []billing.SubscriptionID{id}))
	same(t, "how many", len(found), many)
	for i := range found {
		found[i].ID = 0
	}
	same(t, "history", found, entries)
}

func testBillingContacts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	accounts := make([]*billing.Account, many)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for i := range accounts {
			accounts[i] = m.account(fmt.Sprint("A", i))
			if i%2 == 0 {
				accounts[i].BillingContactID = &m.contact(accounts[i].ID, "Ann", nil).ID
			}
		}
		must(store.SetBillingContacts(ctx, tx, accounts))
		must(store.SetBillingContacts(ctx, tx, nil))
	})
	for _, a := range accounts {
		same(t, "an account", got[*billing.Account](t)(store.Accounts.Get(t.Context(), s.Queries(), a.ID)), a)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		accounts[0].BillingContactID = nil
		must(store.SetBillingContacts(ctx, tx, accounts[:1]))
	})
	same(t, "an account without one", got[*billing.Account](t)(store.Accounts.Get(t.Context(), s.Queries(), accounts[0].ID)).BillingContactID, (*billing.ContactID)(nil))
}

func testStartStreams(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var tenants []*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenants = m.tenants(m.provisioningPlatform().ID, 3)
		m.tell(tenants[2])
		must(outbox.StartStreams(ctx, tx, []outbox.TenantSequence{{TenantID: tenants[1].ID, Sequence: 57}, {TenantID: tenants[2].ID, Sequence: 99}}))
		position, err := outbox.NextPosition(ctx, tx, tenants[0].ID)
		must(err)
		same(t, "the first event of a tenant", position, outbox.StreamPosition{Stream: position.Stream, Sequence: 1, Position: 1})
	})
	ids := []billing.TenantID{tenants[0].ID, tenants[1].ID, tenants[2].ID}
	streams := got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), s.Queries(), ids))
	same(t, "a tenant that was told elsewhere", *streams[ids[1]], webhook.Stream{
		ID: streams[ids[1]].ID, Subject: webhook.Subject{Kind: webhook.SubjectTenant, ID: int64(ids[1])}, PlatformID: tenants[1].PlatformID, LastSequence: 57, DeliveredSequence: 57, HighestSequence: 57,
	})
	same(t, "a tenant that was told here", streams[ids[2]].LastSequence, 1)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		position, err := outbox.NextPosition(ctx, tx, ids[1])
		must(err)
		same(t, "the next event", position, outbox.StreamPosition{Stream: streams[ids[1]].ID, Sequence: 58, Position: 1})
	})
}

func testFrozen(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
	count := func(ctx context.Context, q store.Queries) int {
		return got[int](t)(store.Accounts.Count(ctx, q, billing.Filter{}))
	}
	err := s.Frozen(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		same(t, "before", count(ctx, tx.Queries), 1)
		write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("B") })
		same(t, "in the frozen database", count(ctx, tx.Queries), 1)
		same(t, "beside it", count(ctx, s.Queries()), 2)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "afterwards", count(t.Context(), s.Queries()), 2)
	for range 30 { // connections come back, also from what fails
		if err := s.Frozen(t.Context(), func(context.Context, *store.Tx) error { return context.Canceled }); err == nil {
			t.Fatal("the failure is lost")
		}
	}
	same(t, "after failures", count(t.Context(), s.Queries()), 2)
}
