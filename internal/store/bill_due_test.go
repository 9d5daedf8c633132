package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func billOn(day string) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { s.BillOn = ptr(date(day)) }
}

func testToBill(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	next := func(entities ...billing.EntityID) string {
		t.Helper()
		d, found, err := store.NextToBill(ctx, q, entities)
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return ""
		}
		return d.String()
	}
	same(t, "NextToBill, with nothing", next(), "")
	var a, b, c, d, onA, onB billing.AccountID
	var first, second billing.EntityID
	var clock, idle *billing.TestClock
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		clock, idle = m.clock(), m.clock()
		first, second = m.entity().ID, m.entity().ID
		account := func(name string, entity *billing.EntityID) billing.AccountID {
			row := m.account(name)
			row.EntityID = entity
			must(store.Accounts.Update(ctx, tx, row))
			return row.ID
		}
		a, b, c, d = account("A", nil), account("B", &first), account("C", &second), account("D", nil)
		onA, onB = account("On clock A", nil), account("On clock B", nil)
		m.subscription(a, o, billOn("2026-01-10"))
		m.subscription(a, o, billOn("2026-01-05"))
		m.subscription(a, o) // nothing to bill
		m.subscription(b, o, billOn("2026-01-03"))
		m.subscription(c, o, billOn("2026-02-01"))
		m.subscription(onA, o, billOn("2025-01-01"), onClock(clock.ID))
		must(store.SaveBilling(ctx, tx, []store.AccountBilling{
			{AccountID: a, BillOn: ptr(date("2026-01-04"))}, {AccountID: d, BillOn: ptr(date("2026-01-20"))}, {AccountID: c},
			{AccountID: onB, BillOn: ptr(date("2025-02-01")), TestClockID: &clock.ID},
		}))
	})
	real := func(day string, entities []billing.EntityID, limit int) []billing.AccountID {
		t.Helper()
		return got[[]billing.AccountID](t)(store.AccountsToBill(ctx, q, date(day), entities, limit))
	}
	same(t, "nobody", len(real("2026-01-02", nil, 10)), 0)
	same(t, "one", real("2026-01-03", nil, 10), []billing.AccountID{b})
	same(t, "several, each once", real("2026-01-31", nil, 10), []billing.AccountID{b, a, d})
	same(t, "all", real("2026-02-01", nil, 10), []billing.AccountID{b, a, d, c})
	same(t, "the longest due", real("2026-02-01", nil, 1), []billing.AccountID{b})
	same(t, "those of no entity", real("2026-02-01", []billing.EntityID{0}, 10), []billing.AccountID{a, d})
	same(t, "those of an entity", real("2026-02-01", []billing.EntityID{second}, 10), []billing.AccountID{c})
	same(t, "those of two", real("2026-02-01", []billing.EntityID{first, 0}, 10), []billing.AccountID{b, a, d})
	same(t, "the longest due of two", real("2026-02-01", []billing.EntityID{second, 0}, 1), []billing.AccountID{a})
	same(t, "those of none", len(real("2026-02-01", []billing.EntityID{}, 10)), 0)
	same(t, "NextToBill", next(), "2026-01-03")
	same(t, "NextToBill of no entity", next(0), "2026-01-04")
	same(t, "NextToBill of an entity", next(second), "2026-02-01")
	same(t, "NextToBill of two", next(second, 0), "2026-01-04")
	same(t, "NextToBill of an unknown entity", next(1<<40), "")

	tested := func(id billing.TestClockID, day string, limit int) []billing.AccountID {
		t.Helper()
		return got[[]billing.AccountID](t)(store.AccountsToBillOnClock(ctx, q, id, date(day), limit))
	}
	same(t, "on a clock, nobody", len(tested(clock.ID, "2024-12-31", 10)), 0)
	same(t, "on a clock", tested(clock.ID, "2026-12-31", 10), []billing.AccountID{onA, onB})
	same(t, "on a clock, one", tested(clock.ID, "2026-12-31", 1), []billing.AccountID{onA})
	same(t, "on another clock", len(tested(idle.ID, "2026-12-31", 10)), 0)
	same(t, "ClocksToBill", got[[]store.ClockTime](t)(store.ClocksToBill(ctx, q)), []store.ClockTime{{ID: clock.ID, Now: clock.Now}})
	starts := func(day *billing.Date) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			e := got[*billing.Entity](t)(store.Entities.Get(ctx, tx.Queries, first))
			e.InvoicingStartsOn = day
			must(store.Entities.Update(ctx, tx, e))
		})
	}
	for _, c := range []struct {
		id     billing.TestClockID
		starts *billing.Date
		want   string
	}{{clock.ID, nil, ""}, {clock.ID, ptr(date("2024-01-01")), "2025-01-01"}, {clock.ID, ptr(date("2026-03-01")), "2026-03-01"}, {idle.ID, ptr(date("2024-01-01")), ""}} {
		starts(c.starts)
		id, want := c.id, c.want
		day, found, err := store.NextToBillOnClock(ctx, q, id)
		if err != nil || found != (want != "") || found && day.String() != want {
			t.Errorf("NextToBillOnClock(%d) is %v, %v, %v; want %s", id, day, found, err, want)
		}
	}
}

func testLockAccounts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A"), m.account("B")
	})
	ids := []billing.AccountID{b.ID, a.ID, 1 << 40}
	lock := func(ctx context.Context, tx *store.Tx, ids ...billing.AccountID) []billing.Account {
		return got[[]billing.Account](t)(store.LockAccounts(ctx, tx, ids))
	}
	lockFree := func(ctx context.Context, tx *store.Tx, limit int, ids ...billing.AccountID) []billing.Account {
		return got[[]billing.Account](t)(store.LockFreeAccounts(ctx, tx, ids, limit))
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		same(t, "LockAccounts", lock(ctx, tx, ids...), []billing.Account{*a, *b})
		same(t, "LockAccounts of none", len(lock(ctx, tx)), 0)
		same(t, "LockFreeAccounts", lockFree(ctx, tx, 3, ids...), []billing.Account{*a, *b})
		same(t, "LockFreeAccounts, one of two", lockFree(ctx, tx, 1, ids...), []billing.Account{*a})
		same(t, "LockFreeAccounts of none", len(lockFree(ctx, tx, 3)), 0)
	})
	checkWaits(t, s, "an account", func(ctx context.Context, tx *store.Tx) { lock(ctx, tx, a.ID) }, func(ctx context.Context, tx *store.Tx) { lock(ctx, tx, ids...) })
	if s.Engine() == "sqlite" {
		return // where nothing is written side by side
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		lock(ctx, tx, a.ID)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			same(t, "LockFreeAccounts, passing over one that is busy", lockFree(ctx, tx, 1, ids...), []billing.Account{*b})
		})
	})
}

func testSubscriptionsToBill(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b billing.AccountID
	var subs []*subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		a, b = m.account("A").ID, m.account("B").ID
		dirty := func(s *subscription.Subscription) {
			s.DirtyFrom, s.ChangedOn = ptr(date("2026-01-07")), ptr(date("2026-01-08"))
		}
		subs = []*subscription.Subscription{
			m.subscription(b, o, billOn("2026-01-01")), m.subscription(a, o, billOn("2026-01-31")), m.subscription(a, o, billOn("2026-02-01")), m.subscription(a, o), m.subscription(a, o, dirty),
			m.subscription(m.account("C").ID, o, billOn("2026-01-01")),
		}
	})
	ids := func(all, aside []billing.AccountID, accounts ...billing.AccountID) (ids []billing.SubscriptionID) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			found, err := store.LockSubscriptionsToBill(ctx, tx, accounts, date("2026-01-31"), all, aside)
			must(err)
			ids = nil
			for _, sub := range found {
				ids = append(ids, sub.ID)
			}
		})
		return ids
	}
	same(t, "LockSubscriptionsToBill", ids(nil, nil, a, b), []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[4].ID})
	same(t, "all", ids([]billing.AccountID{a}, nil, a), []billing.SubscriptionID{subs[1].ID, subs[2].ID, subs[4].ID})
	same(t, "all of one", ids([]billing.AccountID{b}, nil, a, b), []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[4].ID})
	same(t, "of an account set aside", ids(nil, []billing.AccountID{a}, a, b), []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[3].ID, subs[4].ID})
	same(t, "of an account set aside, and all of another", ids([]billing.AccountID{a}, []billing.AccountID{b}, a, b), []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[2].ID, subs[4].ID})
	same(t, "of nobody", len(ids(nil, nil)), 0)
	checkWaits(t, s, "a subscription", func(ctx context.Context, tx *store.Tx) {
		_, err := store.LockSubscriptionsToBill(ctx, tx, []billing.AccountID{a}, date("2026-01-31"), nil, nil)
		must(err)
	}, func(ctx context.Context, tx *store.Tx) {
		_, err := store.LockSubscription(ctx, tx, subs[1].ID)
		must(err)
	})

	// Of lines that ended long before, none is read; whoever needs them reads all.
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		long := m.account("Long ago").ID
		old := m.subscription(long, m.offer(), billOn("2036-01-31"), func(s *subscription.Subscription) {
			line := subscription.Line{ID: 1, Code: "seats", StartDate: date("2026-01-01"), EndDate: date("2026-01-31")}
			next := line
			next.ID, next.StartDate, next.EndDate = 2, date("2026-02-01"), date("2036-01-31")
			s.StartDate, s.BilledOn, s.Charges = date("2026-01-01"), ptr(date("2036-01-01")), []subscription.Line{line, next}
		})
		found, err := store.LockSubscriptionsToBill(ctx, tx, []billing.AccountID{long}, date("2036-01-31"), nil, nil)
		must(err)
		same(t, "lines that are needed", found[0].Charges, old.Charges[1:])
		same(t, "that the others are missing", found[0].LinesSince, date("2034-12-01"))
		same(t, "that it cannot be written", store.Subscriptions.UpdateSameWords(ctx, tx, &found[0]) != nil, true)
		whole, err := store.LockSubscription(ctx, tx, old.ID)
		must(err)
		same(t, "all lines", whole.Charges, old.Charges)
	})

	// SaveBilled writes days, and nothing else: not even the time of the change.
	db.Clock.Advance(time.Hour)
	subs[0].BillOn, subs[0].DirtyFrom, subs[0].ChangedOn, subs[0].BilledOn = ptr(date("2026-03-01")), ptr(date("2026-03-02")), ptr(date("2026-03-03")), ptr(date("2026-03-04"))
	subs[4].BillOn, subs[4].DirtyFrom, subs[4].ChangedOn = nil, nil, nil
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		changed := *subs[0]
		changed.RenewalTermMonths = 99
		must(store.SaveBilled(ctx, tx, []*subscription.Subscription{&changed, subs[4]}))
		must(store.SaveBilled(ctx, tx, nil))
	})
	for _, sub := range []*subscription.Subscription{subs[0], subs[4]} {
		found := got[*subscription.Subscription](t)(store.Subscriptions.Get(t.Context(), s.Queries(), sub.ID))
		same(t, "bill_on", found.BillOn, sub.BillOn)
		same(t, "dirty_from", found.DirtyFrom, sub.DirtyFrom)
		same(t, "changed_on", found.ChangedOn, sub.ChangedOn)
		same(t, "billed_on", found.BilledOn, sub.BilledOn)
		same(t, "the rest", []any{found.RenewalTermMonths, found.UpdatedAt}, []any{sub.RenewalTermMonths, sub.UpdatedAt})
	}
}

// billingDays are bill_on, changed_on and dirty_from of all subscriptions.
func billingDays(t *testing.T, s *store.Store) []string {
	t.Helper()
	return got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT bill_on, changed_on, dirty_from FROM subscription ORDER BY id"))
}

func testBillAgain(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b, waiting billing.AccountID
	var sub billing.SubscriptionID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		a, b = m.account("A").ID, m.account("B").ID
		m.subscription(a, o, billOn("2026-01-01"))
		sub = m.subscription(a, o, billOn("2026-03-01")).ID
		m.subscription(a, o)
		m.subscription(b, o)
		waiting = m.account("C").ID // for its billing day, without a subscription
		must(store.SaveBilling(ctx, tx, []store.AccountBilling{{AccountID: a, BillOn: ptr(date("2026-01-15"))}, {AccountID: b}, {AccountID: waiting, BillOn: ptr(date("2026-02-02")), CollectOn: ptr(date("2026-02-03"))}}))
		must(store.BillAgain(ctx, tx, []billing.AccountID{a, waiting}, date("2026-02-01")))
		must(store.BillAgain(ctx, tx, nil, date("2026-02-01")))
	})
	same(t, "BillAgain", billingDays(t, s), []string{"2026-01-01|NULL|NULL", "2026-02-01|NULL|NULL", "2026-02-01|NULL|NULL", "NULL|NULL|NULL"})
	same(t, "BillAgain of accounts", got[map[billing.AccountID]store.AccountBilling](t)(store.BillingOf(t.Context(), s.Queries(), []billing.AccountID{a, b, waiting})), map[billing.AccountID]store.AccountBilling{
		a: {AccountID: a, Version: 1, BillOn: ptr(date("2026-01-15"))}, b: {AccountID: b, Version: 1},
		waiting: {AccountID: waiting, Version: 1, BillOn: ptr(date("2026-02-01")), CollectOn: ptr(date("2026-02-03"))},
	})
	mark := func(from, day, want string) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.MarkToBill(ctx, tx, sub, date(from), date(day))) })
		same(t, "MarkToBill", billingDays(t, s)[1], want)
	}
	mark("2026-01-10", "2026-01-20", "2026-01-20|2026-01-20|2026-01-10")
	mark("2026-01-11", "2026-01-21", "2026-01-20|2026-01-20|2026-01-10") // which was to be looked at before
	mark("2026-01-09", "2026-01-19", "2026-01-19|2026-01-19|2026-01-09")
	same(t, "the others", slices.Delete(billingDays(t, s), 1, 2), []string{"2026-01-01|NULL|NULL", "2026-02-01|NULL|NULL", "NULL|NULL|NULL"})
}

func testBillingProblems(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		a, b = m.account("A"), m.account("B")
		for _, id := range []billing.AccountID{a.ID, b.ID} {
			m.subscription(id, o, billOn("2026-01-01"))
			must(store.SaveBilling(ctx, tx, []store.AccountBilling{{AccountID: id, BillOn: ptr(date("2026-01-02"))}}))
		}
	})
	aside := func(limit int) []billing.AccountID {
		return got[[]billing.AccountID](t)(store.AccountsWithBillingProblem(ctx, q, 0, limit))
	}
	same(t, "nobody", len(aside(10)), 0)
	now := db.Clock.Advance(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SetBillingProblem(ctx, tx, a.ID, hard)) })
	a.BillingProblem, a.UpdatedAt = ptr(hard), now
	same(t, "an account that was set aside", got[*billing.Account](t)(store.Accounts.Get(ctx, q, a.ID)), a)
	same(t, "another", got[*billing.Account](t)(store.Accounts.Get(ctx, q, b.ID)), b)
	same(t, "who is looked at", got[[]billing.AccountID](t)(store.AccountsToBill(ctx, q, date("2026-12-31"), nil, 10)), []billing.AccountID{b.ID})
	for _, notice := range []*string{ptr("Something to know"), nil} {
		now := db.Clock.Advance(time.Hour)
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.NoteBillingProblem(ctx, tx, b.ID, notice)) })
		b.BillingProblem, b.UpdatedAt = notice, now
		same(t, "an account with a notice", got[*billing.Account](t)(store.Accounts.Get(ctx, q, b.ID)), b)
		same(t, "who is looked at", got[[]billing.AccountID](t)(store.AccountsToBill(ctx, q, date("2026-12-31"), nil, 10)), []billing.AccountID{b.ID})
		if notice != nil {
			same(t, "AccountsWithBillingProblem", aside(10), []billing.AccountID{a.ID, b.ID})
			same(t, "one", aside(1), []billing.AccountID{a.ID})
		}
	}
	same(t, "AccountsWithBillingProblem", aside(10), []billing.AccountID{a.ID})
}
