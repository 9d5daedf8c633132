package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testSubscriptions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ann, bob, none billing.AccountID
	var x, y, idle billing.TenantID
	var sold, next, unsold, left offered
	var a, b, c *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		none, bob, ann = m.account("None").ID, m.account("Bob").ID, m.account("Ann").ID
		p := m.platform().ID
		x, y, idle = m.tenant(p, ann).ID, m.tenant(p, bob).ID, m.tenant(p, ann).ID
		sold, next, unsold, left = m.offer(), m.offer(), m.offer(), m.offer()
		a = m.subscription(ann, sold, forTenant(x))
		b = m.subscription(bob, sold, forTenant(y), inState(subscription.StateCanceled))
		c = m.subscription(ann, next, func(s *subscription.Subscription) {
			s.ProductID, s.Charges = left.product, []subscription.Line{{ID: 1, PriceListID: left.list, StartDate: s.StartDate, EndDate: s.StartDate}}
		})
		a.NextPriceList = &subscription.NextPriceList{ID: next.list, On: date("2026-01-20")}
		must(store.Subscriptions.Update(ctx, tx, a))
	})
	list, number, yes := got[[]subscription.Subscription](t), got[int](t), got[bool](t)
	type subscriptions = []subscription.Subscription
	all := []billing.AccountID{none, bob, ann}
	same(t, "SubscriptionsOfAccounts", list(store.SubscriptionsOfAccounts(ctx, q, all, billing.Filter{})), subscriptions{*a, *b, *c})
	same(t, "SubscriptionsOfAccounts of one", list(store.SubscriptionsOfAccounts(ctx, q, all[2:], billing.Filter{})), subscriptions{*a, *c})
	same(t, "SubscriptionsOfAccounts by state", list(store.SubscriptionsOfAccounts(ctx, q, all, filter(t, "state:CANCELED"))), subscriptions{*b})
	same(t, "SubscriptionsOfAccounts of none", list(store.SubscriptionsOfAccounts(ctx, q, nil, billing.Filter{})), subscriptions{})
	same(t, "subscriptions of tenants", list(store.ChildrenOf(ctx, q, store.Subscriptions, "tenantId", []billing.TenantID{idle, y, x}, billing.Filter{})), subscriptions{*a, *b})
	same(t, "subscriptions of tenants of none", list(store.ChildrenOf(ctx, q, store.Subscriptions, "tenantId", []billing.TenantID{idle}, billing.Filter{})), subscriptions{})
	same(t, "SubscriptionsOfAccount", number(store.SubscriptionsOfAccount(ctx, q, ann)), 2)
	same(t, "SubscriptionsOfAccount of none", number(store.SubscriptionsOfAccount(ctx, q, none)), 0)
	same(t, "SubscriptionsOfTenant", number(store.SubscriptionsOfTenant(ctx, q, x)), 1)
	same(t, "SubscriptionsOfTenant of none", number(store.SubscriptionsOfTenant(ctx, q, idle)), 0)
	same(t, "SubscriptionsOnPriceList", number(store.SubscriptionsOnPriceList(ctx, q, sold.list)), 2)
	same(t, "SubscriptionsOnPriceList now and soon", number(store.SubscriptionsOnPriceList(ctx, q, next.list)), 2)
	same(t, "SubscriptionsOnPriceList of none", number(store.SubscriptionsOnPriceList(ctx, q, unsold.list)), 0)
	for what, c := range map[string]struct {
		list billing.PriceListID
		want bool
	}{"now": {sold.list, true}, "soon": {next.list, true}, "once": {left.list, true}, "never": {unsold.list, false}} {
		same(t, "SoldOnPriceList "+what, yes(store.SoldOnPriceList(ctx, q, c.list)), c.want)
	}
	planned := got[[]store.PlannedFor](t)
	same(t, "SubscriptionsPlannedFor", planned(store.SubscriptionsPlannedFor(ctx, q, next.list, 4)), []store.PlannedFor{{ID: a.ID, Account: "Ann"}})
	same(t, "SubscriptionsPlannedFor none", planned(store.SubscriptionsPlannedFor(ctx, q, next.list, 0)), []store.PlannedFor(nil))
	same(t, "SubscriptionsPlannedFor another list", planned(store.SubscriptionsPlannedFor(ctx, q, sold.list, 4)), []store.PlannedFor(nil))
	same(t, "SubscriptionsForProduct", yes(store.SubscriptionsForProduct(ctx, q, sold.product)), true)
	same(t, "SubscriptionsForProduct without a tenant", yes(store.SubscriptionsForProduct(ctx, q, next.product)), false)
	same(t, "SubscriptionsForProduct of none", yes(store.SubscriptionsForProduct(ctx, q, unsold.product)), false)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for range store.MostCounted + 1 {
			m.subscription(none, unsold, forTenant(idle))
		}
	})
	same(t, "SubscriptionsOfAccount of too many", number(store.SubscriptionsOfAccount(ctx, q, none)), store.MostCounted+1)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.subscription(none, unsold, forTenant(idle)) })
	same(t, "SubscriptionsOfAccount of more", number(store.SubscriptionsOfAccount(ctx, q, none)), store.MostCounted+1)
	same(t, "SubscriptionsOfTenant of more", number(store.SubscriptionsOfTenant(ctx, q, idle)), store.MostCounted+1)
	same(t, "SubscriptionsOnPriceList of more", number(store.SubscriptionsOnPriceList(ctx, q, unsold.list)), store.MostCounted+1)
	for id, want := range map[billing.SubscriptionID]billing.AccountID{a.ID: ann, b.ID: bob, 1 << 40: 0} {
		account, found, err := store.AccountOfSubscription(ctx, q, id)
		if account != want || found != (want != 0) || err != nil {
			t.Errorf("AccountOfSubscription(%d): %d, %v, %v; want %d", id, account, found, err, want)
		}
	}
}

// testTrials finds the first trial of an account, by an index.
func testTrials(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ann, bob billing.AccountID
	var sold, other offered
	var first *subscription.Subscription
	onTrial := func(s *subscription.Subscription) {
		s.TrialStartDate, s.TrialEndDate = ptr(date("2026-01-10")), ptr(date("2026-01-20"))
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ann, bob, sold, other = m.account("Ann").ID, m.account("Bob").ID, m.offer(), m.offer()
		m.subscription(ann, sold)
		m.subscription(bob, sold)
		calledOff := m.subscription(ann, sold, onTrial, inState(subscription.StateCanceled))
		calledOff.CancellationDate = ptr(date("2026-01-09"))
		must(store.Subscriptions.Update(ctx, tx, calledOff))
		first = m.subscription(ann, sold, onTrial, inState(subscription.StateTrialExpired))
		m.subscription(ann, sold, onTrial)
		for range 2000 {
			m.subscription(ann, sold)
		}
	})
	ctx, q, found := t.Context(), s.Queries(), got[*subscription.Subscription](t)
	same(t, "FirstTrial", found(store.FirstTrial(ctx, q, ann, sold.product)), first)
	same(t, "FirstTrial of another", found(store.FirstTrial(ctx, q, bob, sold.product)), (*subscription.Subscription)(nil))
	same(t, "FirstTrial of another product", found(store.FirstTrial(ctx, q, ann, other.product)), (*subscription.Subscription)(nil))
	analyze(t, s)
	p := plan{
		name: "the first trial", sqlite: "SEARCH subscription USING INDEX subscription_trial (account_id=? AND product_id=?)", postgres: "Index Scan using subscription_trial",
		ask: func(ctx context.Context, q store.Queries) error {
			_, err := store.FirstTrial(ctx, q, ann, sold.product)
			return err
		},
	}
	if problem := p.check(t, s); problem != "" {
		t.Error(problem)
	}
}

// testSubscriptionWords finds subscriptions by names that other rows have.
func testSubscriptionWords(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a *billing.Account
	var x *billing.Tenant
	var sub *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a = m.account("Acme")
		x = m.tenant(m.platform().ID, a.ID)
		o := m.offer()
		sub = m.subscription(a.ID, o, forTenant(x.ID))
		m.subscription(a.ID, o)
		m.subscription(m.account("Other").ID, o)
	})
	check := func(words string, want int) {
		t.Helper()
		same(t, words, len(listed(t, s, store.Subscriptions, filter(t, words))), want)
	}
	check("acme", 2)
	check("acme tenant", 1)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		a.Name, a.Code, x.Name = "Zenith", ptr("ZEN-1"), "Shop"
		must(store.Accounts.Update(ctx, tx, a))
		must(store.Tenants.Update(ctx, tx, x))
	})
	check("acme", 0)
	check("tenant", 0)
	check("zenith zen-1", 2)
	check("zenith shop", 1)

	db.Clock.Advance(time.Second)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		sub.Code = ptr("changed")
		must(store.Subscriptions.UpdateSameWords(ctx, tx, sub))
		same(t, "the time of the change", sub.UpdatedAt, tx.Now)
		gone := *sub
		if gone.ID = 1 << 40; store.Subscriptions.UpdateSameWords(ctx, tx, &gone) == nil {
			t.Error("a row that is not there was changed")
		}
	})
	same(t, "UpdateSameWords", listed(t, s, store.Subscriptions, filter(t, "zenith shop")), []subscription.Subscription{*sub})
	check("other", 1)
	same(t, "tenants by name", listed(t, s, store.Tenants, filter(t, "shop")), []billing.Tenant{*x})
}

func testSubscriptionLocks(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var x, idle billing.TenantID
	var clock billing.TestClockID
	var a, b, free *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, p, o := m.account("A").ID, m.platform().ID, m.offer()
		x, idle, clock = m.tenant(p, account).ID, m.tenant(p, account).ID, m.clock().ID
		a, b, free = m.subscription(account, o, forTenant(x)), m.subscription(account, o, forTenant(x), onClock(clock)), m.subscription(account, o)
	})
	lock := func(what string, with func(context.Context, *store.Tx, billing.SubscriptionID) (*subscription.Subscription, error), id billing.SubscriptionID, want *subscription.Subscription) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			have, err := with(ctx, tx, id)
			must(err)
			same(t, what, have, want)
		})
	}
	lock("LockSubscription", store.LockSubscription, a.ID, a)
	lock("LockSubscription of none", store.LockSubscription, 1<<40, nil)
	lock("LockSubscriptionIfFree", store.LockSubscriptionIfFree, a.ID, a)
	lock("LockSubscriptionIfFree of none", store.LockSubscriptionIfFree, 1<<40, nil)
	tenant := func(id billing.TenantID, want int) func(context.Context, *store.Tx) {
		return func(ctx context.Context, tx *store.Tx) {
			n, err := store.LockSubscriptionsOfTenant(ctx, tx, id)
			must(err)
			same(t, "LockSubscriptionsOfTenant", n, want)
		}
	}
	write(t, s, tenant(idle, 0))
	one := func(ctx context.Context, tx *store.Tx) {
		_, err := store.LockSubscription(ctx, tx, b.ID)
		must(err)
	}
	onClock := func(ctx context.Context, tx *store.Tx) { must(store.LockSubscriptionsOnClock(ctx, tx, clock)) }
	checkWaits(t, s, "LockSubscription", one, one)
	checkWaits(t, s, "LockSubscriptionsOfTenant", tenant(x, 2), one)
	checkWaits(t, s, "LockSubscriptionsOnClock", onClock, one)
	if s.Engine() == "postgres" { // where another transaction can be under way
		for _, hold := range []func(context.Context, *store.Tx){one, onClock, tenant(x, 2)} {
			write(t, s, func(ctx context.Context, tx *store.Tx) {
				hold(ctx, tx)
				lock("LockSubscriptionIfFree of one that is not", store.LockSubscriptionIfFree, b.ID, nil)
				lock("LockSubscriptionIfFree of another", store.LockSubscriptionIfFree, free.ID, free)
			})
		}
	}
}

// testDamagedSubscriptions shows that lines which are no JSON hide nothing but
// themselves.
func testDamagedSubscriptions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var bad, good *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, o := m.account("A").ID, m.offer()
		bad = m.subscription(account, o, func(s *subscription.Subscription) { s.Problem = ptr("an older one") })
		good = m.subscription(account, o, func(s *subscription.Subscription) { s.Problem = ptr("another") })
		_, err := store.Exec(ctx, tx, `UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(bad.ID))
		must(err)
	})
	list := listed(t, s, store.Subscriptions, billing.Filter{})
	same(t, "the number of subscriptions", len(list), 2)
	same(t, "the good one", list[1], *good)
	for _, one := range []*subscription.Subscription{&list[0], got[*subscription.Subscription](t)(store.Subscriptions.Get(t.Context(), s.Queries(), bad.ID))} {
		if err := store.Readable(one); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("Readable of a damaged subscription: %v", err)
		}
		one.Problem = bad.Problem
		same(t, "what is left of the damaged one", one, bad)
	}
	if err := store.Readable(good); err != nil {
		t.Errorf("Readable: %v", err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `UPDATE subscription SET charges = 'null' WHERE id = $1`, int64(bad.ID))
		must(err)
	})
	for _, column := range []string{"start_date", "end_date", "term_start_date", "trial_start_date", "trial_end_date", "cancellation_date", "next_price_list_on", "next_quantities", "as_of"} {
		spoiled := `UPDATE subscription SET next_price_list_id = price_list_id, next_price_list_on = '2026-02-01', next_quantities = NULL, trial_start_date = '2026-01-01',
			trial_end_date = '2026-01-01', cancellation_date = '2026-01-20', start_date = '2026-01-01', end_date = '2026-01-31',
			term_start_date = '2026-01-01', as_of = '2026-01-01' WHERE id = $1`
		for i, text := range []string{spoiled, `UPDATE subscription SET ` + column + ` = 'soon' WHERE id = $1`} {
			write(t, s, func(ctx context.Context, tx *store.Tx) {
				_, err := store.Exec(ctx, tx, text, int64(bad.ID))
				must(err)
			})
			list := listed(t, s, store.Subscriptions, billing.Filter{})
			same(t, "a good one beside a spoiled "+column, list[1], *good)
			if err := store.Readable(&list[0]); (err != nil) != (i == 1) || err != nil && !strings.Contains(err.Error(), "cannot be read") {
				t.Errorf("Readable with %s: %v", column, err)
			}
		}
	}
	for _, lock := range []func(context.Context, *store.Tx, billing.SubscriptionID) (*subscription.Subscription, error){store.LockSubscription, store.LockSubscriptionIfFree} {
		err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
			_, err := lock(ctx, tx, bad.ID)
			must(err)
		})
		if err == nil {
			t.Error("a damaged subscription was locked, to be changed")
		}
	}
}

func testHistory(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ann billing.AccountID
	var a, b, c, quiet *subscription.Subscription
	var entries []subscription.HistoryEntry
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		m.account("First") // so that ids differ
		ann = m.account("Ann").ID
		a, b, quiet = m.subscription(ann, o), m.subscription(ann, o), m.subscription(ann, o)
		c = m.subscription(m.account("Bob").ID, o)
		at := tx.Now
		entries = []subscription.HistoryEntry{
			{SubscriptionID: b.ID, At: at, EffectiveAt: at.Add(-time.Hour), Actor: hard, Kind: subscription.KindCreated, To: subscription.StatePending},
			{SubscriptionID: a.ID, At: at, EffectiveAt: at.Add(time.Hour), Actor: "me", Kind: subscription.KindStateChanged,
				From: ptr(subscription.StatePending), To: subscription.StateActive, Detail: map[string]any{"text": hard, "number": 1.5, "none": nil}},
			{SubscriptionID: b.ID, At: at.Add(-time.Hour), EffectiveAt: at, Actor: "you", Kind: subscription.KindRenewed, To: subscription.StateActive},
			{SubscriptionID: c.ID, At: at, EffectiveAt: at, Kind: subscription.KindCreated, To: subscription.StateActive},
		}
		for i := range entries {
			must(store.InsertHistory(ctx, tx, &entries[i]))
		}
	})
	of := func(ids ...billing.SubscriptionID) []subscription.HistoryEntry {
		return got[[]subscription.HistoryEntry](t)(store.HistoryOf(ctx, q, ids))
	}
	all := []billing.SubscriptionID{quiet.ID, c.ID, b.ID, a.ID}
	same(t, "HistoryOf", of(all...), []subscription.HistoryEntry{entries[1], entries[0], entries[2], entries[3]})
	same(t, "HistoryOf one", of(b.ID), []subscription.HistoryEntry{entries[0], entries[2]})
	same(t, "HistoryOf a quiet one", of(quiet.ID), []subscription.HistoryEntry(nil))
	same(t, "HistoryOf none", of(), []subscription.HistoryEntry(nil))
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO subscription_change (subscription_id, at, effective_at, actor, kind, to_state, detail) SELECT $2, 0, 0, '', '', '', 'null' FROM n`, store.MaxNested, int64(quiet.ID))
		must(err)
	})
	same(t, "HistoryOf as many as are allowed, but one", len(of(quiet.ID)), store.MaxNested-1)
	if _, err := store.HistoryOf(ctx, q, []billing.SubscriptionID{quiet.ID, b.ID}); err == nil || !strings.Contains(err.Error(), "more than 10000") {
		t.Errorf("HistoryOf too many: %v", err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `DELETE FROM subscription_change WHERE subscription_id = $1`, int64(quiet.ID))
		must(err)
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.DeleteSubscriptionsOf(ctx, tx, ann)) })
	same(t, "the subscriptions that are left", listed(t, s, store.Subscriptions, billing.Filter{}), []subscription.Subscription{*c})
	same(t, "the history that is left", of(all...), entries[3:])
	same(t, "the accounts that are left", len(accountNames(t, s)), 3)
}

func testDue(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	next := func(what string, want string) func(d billing.Date, found bool, err error) {
		return func(d billing.Date, found bool, err error) {
			t.Helper()
			if err != nil || found != (want != "") || found && d.String() != want {
				t.Errorf("%s: %v, %v, %v; want %q", what, d, found, err, want)
			}
		}
	}
	next("NextDue of nothing", "")(store.NextDue(ctx, q))
	var clock, idle billing.TestClockID
	var ids, ticking []billing.SubscriptionID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, o := m.account("A").ID, m.offer()
		clock, idle = m.clock().ID, m.clock().ID
		ids, ticking = nil, nil
		aside := func(s *subscription.Subscription) { s.Problem = ptr("set aside") }
		m.subscription(account, o, dueOn("2026-01-02"), aside)
		m.subscription(account, o, dueOn("2026-01-03"), inState(subscription.StateExpired))
		for _, day := range []string{"2026-03-01", "2026-02-01", "2026-02-01", "2026-01-20"} {
			ids = append(ids, m.subscription(account, o, dueOn(day)).ID)
			ticking = append(ticking, m.subscription(account, o, dueOn(date(day).AddDays(-9).String()), onClock(clock)).ID)
		}
		m.subscription(account, o, dueOn("2026-01-02"), onClock(clock), aside)
	})
	list := got[[]billing.SubscriptionID](t)
	type subscriptions = []billing.SubscriptionID
	due := func(day string, limit int) subscriptions {
		return list(store.DueSubscriptions(ctx, q, date(day), limit))
	}
	same(t, "DueSubscriptions of all", due("2030-01-01", 10), subscriptions{ids[3], ids[1], ids[2], ids[0]})
	same(t, "DueSubscriptions until a day", due("2026-02-01", 10), subscriptions{ids[3], ids[1], ids[2]})
	same(t, "DueSubscriptions of the day before", due("2026-01-31", 10), subscriptions{ids[3]})
	same(t, "DueSubscriptions up to a limit", due("2030-01-01", 2), subscriptions{ids[3], ids[1]})
	same(t, "DueSubscriptions of an early day", due("2026-01-19", 10), subscriptions(nil))
	same(t, "CountDue until a day", got[int](t)(store.CountDue(ctx, q, date("2026-02-01"))), 3)
	onClock := func(c billing.TestClockID, day string, limit int) subscriptions {
		return list(store.DueOnClock(ctx, q, c, date(day), limit))
	}
	same(t, "DueOnClock of all", onClock(clock, "2030-01-01", 10), subscriptions{ticking[3], ticking[1], ticking[2], ticking[0]})
	same(t, "DueOnClock until a day", onClock(clock, "2026-01-23", 2), subscriptions{ticking[3], ticking[1]})
	same(t, "DueOnClock of an early day", onClock(clock, "2026-01-10", 2), subscriptions(nil))
	same(t, "DueOnClock of an idle one", onClock(idle, "2030-01-01", 10), subscriptions(nil))
	next("NextDue", "2026-01-20")(store.NextDue(ctx, q))
	next("NextDueOnClock", "2026-01-11")(store.NextDueOnClock(ctx, q, clock))
	next("NextDueOnClock of an idle one", "")(store.NextDueOnClock(ctx, q, idle))
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, "UPDATE subscription SET due_on = '0 damaged' WHERE due_on IS NOT NULL")
		must(err)
	})
	next("NextDue of what cannot be read", "")(store.NextDue(ctx, q))
	next("NextDueOnClock of what cannot be read", "")(store.NextDueOnClock(ctx, q, clock))
}

func testSetAside(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, other, over *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, o := m.account("A").ID, m.offer()
		a, other = m.subscription(account, o, dueOn("2026-02-01")), m.subscription(account, o, dueOn("2026-02-02"))
		over = m.subscription(account, o, inState(subscription.StateCanceled))
	})
	check := func(what string, want *subscription.Subscription) {
		t.Helper()
		same(t, what, got[*subscription.Subscription](t)(store.Subscriptions.Get(ctx, q, want.ID)), want)
	}
	now := db.Clock.Advance(time.Minute)
	aside := func(id billing.SubscriptionID, day string) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			must(store.SetSubscriptionProblem(ctx, tx, id, date(day), hard))
		})
	}
	aside(a.ID, "2026-01-31")
	check("one for which nothing is due yet", a)
	aside(over.ID, "2030-01-01")
	check("one that is over", over)
	aside(a.ID, "2026-02-01")
	a.Problem, a.UpdatedAt = ptr(hard), now
	check("one that was set aside", a)
	check("the other", other)
	same(t, "what is due still", got[[]billing.SubscriptionID](t)(store.DueSubscriptions(ctx, q, date("2030-01-01"), 10)), []billing.SubscriptionID{other.ID})

	mend := func(one *subscription.Subscription, wrong string, want bool) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			if wrong != "" {
				_, err := store.Exec(ctx, tx, fmt.Sprintf(`UPDATE subscription SET due_on = %s WHERE id = $1`, wrong), int64(one.ID))
				must(err)
			}
			mended, err := store.MendDue(ctx, tx, one)
			must(err)
			same(t, "MendDue after "+wrong, mended, want)
		})
		day := "NULL"
		if d, some := one.Due(); some {
			day = d.String()
		}
		due := got[[]string](t)(store.Rows(ctx, q, `SELECT due_on FROM subscription WHERE id = $1`, int64(one.ID)))
		same(t, "due_on after MendDue", due, []string{day})
	}
	for _, one := range []*subscription.Subscription{other, over} {
		mend(one, "", false)
		mend(one, "'2040-01-01'", true)
		mend(one, "", false)
	}
	mend(other, "NULL", true)
}

func testClocks(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var clock, second, idle *billing.TestClock
	var a, b, c *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		idle, second, clock = m.clock(), m.clock(), m.clock()
		clock.Now = clock.Now.Add(48 * time.Hour)
		must(store.TestClocks.Update(ctx, tx, clock))
		m.account("On real time")
		a, b, c = m.account("A"), m.account("B"), m.account("C")
		a.TestClockID, b.TestClockID, c.TestClockID = &clock.ID, &second.ID, &clock.ID
		for _, account := range []*billing.Account{a, b, c} {
			must(store.Accounts.Update(ctx, tx, account))
		}
	})
	list := got[[]billing.Account](t)
	same(t, "AccountsOnClocks", list(store.AccountsOnClocks(ctx, q, []billing.TestClockID{idle.ID, clock.ID, second.ID})), []billing.Account{*a, *b, *c})
	same(t, "AccountsOnClocks of one", list(store.AccountsOnClocks(ctx, q, []billing.TestClockID{second.ID})), []billing.Account{*b})
	same(t, "AccountsOnClocks of an idle one", list(store.AccountsOnClocks(ctx, q, []billing.TestClockID{idle.ID})), []billing.Account{})
	lock := func(id billing.TestClockID, want ...billing.Account) func(context.Context, *store.Tx) {
		return func(ctx context.Context, tx *store.Tx) {
			accounts, err := store.LockAccountsOnClock(ctx, tx, id)
			must(err)
			same(t, "LockAccountsOnClock", accounts, append([]billing.Account{}, want...))
		}
	}
	write(t, s, lock(idle.ID))
	checkWaits(t, s, "LockAccountsOnClock", lock(clock.ID, *a, *c), func(ctx context.Context, tx *store.Tx) {
		_, err := store.Accounts.Lock(ctx, tx, c.ID)
		must(err)
	})
	shows := func(id billing.TestClockID, want time.Time, wantFound bool) func(context.Context, *store.Tx) {
		return func(ctx context.Context, tx *store.Tx) {
			now, found, err := store.TestClockNow(ctx, tx, id)
			must(err)
			same(t, "TestClockNow", now, want)
			same(t, "TestClockNow: found", found, wantFound)
		}
	}
	write(t, s, shows(1<<40, time.Time{}, false))
	checkWaits(t, s, "TestClockNow", shows(clock.ID, clock.Now, true), func(ctx context.Context, tx *store.Tx) {
		_, err := store.TestClocks.Lock(ctx, tx, clock.ID)
		must(err)
	})
}
