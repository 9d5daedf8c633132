package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testBilledSubscriptions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var billed [3]*subscription.Subscription
	var forgotten *subscription.Subscription
	var keys []store.LedgerKey
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, offer := m.account("A").ID, m.offer()
		on := func(sub *subscription.Subscription) { sub.BilledOn = ptr(date("2026-01-05")) }
		billed[0] = m.subscription(account, offer, on)
		m.subscription(account, offer, func(sub *subscription.Subscription) { sub.BillOn = ptr(date("2026-01-06")) })
		m.subscription(account, offer, func(sub *subscription.Subscription) { sub.DirtyFrom = ptr(date("2026-01-06")) })
		m.subscription(account, offer, on, func(sub *subscription.Subscription) { sub.Problem = ptr("broken") })
		billed[1], billed[2] = m.subscription(account, offer, on), m.subscription(account, offer, on)
		forgotten = m.subscription(account, offer)
		for n, end := range []string{"2026-01-31", "2026-02-28", "2026-01-31", "2026-03-31"} {
			k := store.LedgerKey{SubscriptionID: billed[2*(n%2)].ID}
			k.Key, k.Currency, k.Net, k.Pieces = ledger.Key{Charge: billing.ChargeID(7 - n), Period: ledger.Period{From: date("2026-01-01"), To: date(end)}}, euro, 1000, []ledger.Piece{}
			keys = append(keys, k)
		}
		must(store.SaveLedger(ctx, tx, keys))
	})
	after := func(id billing.SubscriptionID, limit int) []store.BilledSubscription {
		return got[[]store.BilledSubscription](t)(store.BilledSubscriptions(t.Context(), s.Queries(), id, limit))
	}
	all := []store.BilledSubscription{{ID: billed[0].ID, Keys: 2}, {ID: billed[1].ID}, {ID: billed[2].ID, Keys: 2}, {ID: forgotten.ID}}
	same(t, "BilledSubscriptions", [][]store.BilledSubscription{after(0, 10), after(0, 2), after(all[0].ID, 10), after(all[3].ID, 10)}, [][]store.BilledSubscription{all, all[:2], all[1:], nil})
	of := func(ids ...billing.SubscriptionID) string {
		return fmt.Sprintf("%+v", got[[]store.LedgerKey](t)(store.LedgersOf(t.Context(), s.Queries(), ids)))
	}
	same(t, "LedgersOf", of(all[2].ID, all[0].ID, all[1].ID, 1<<40), fmt.Sprintf("%+v", []store.LedgerKey{keys[2], keys[0], keys[1], keys[3]}))
	same(t, "LedgersOf one", of(all[2].ID), fmt.Sprintf("%+v", []store.LedgerKey{keys[1], keys[3]}))
	same(t, "LedgersOf none", of(), "[]")
}

func testItemsLeft(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var mine, other, third billing.SubscriptionID = 7, 8, 9
	charge := ptr(billing.ChargeID(3))
	item := func(id *billing.SubscriptionID, from, to string, priced, credited money.Amount) document.Item {
		i := document.Item{Kind: document.RecurringItem, SubscriptionID: id, ChargeID: charge, Quantity: "1", TaxCode: "standard", Priced: priced, Credited: credited}
		if from != "" {
			i.PeriodFrom, i.PeriodTo = date(from), date(to)
		}
		return i
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		by := item(&mine, "2026-01-01", "2026-01-31", 5, 0)
		by.ChargeID = nil // by hand
		m.invoice(account, func(i *document.Invoice) {
			i.Items = []document.Item{item(&mine, "2026-01-01", "2026-01-31", 1000, 300), item(&mine, "2026-02-01", "2026-02-28", 500, 0), item(&other, "2026-01-01", "2026-01-31", 70, 0), item(nil, "2026-01-01", "2026-01-31", 9, 0), by, item(&mine, "", "", 6, 0)}
		})
		m.invoice(account, draft, func(i *document.Invoice) {
			i.Items = []document.Item{item(&mine, "2026-01-01", "2026-01-31", 10000, 0)}
		})
		m.invoice(account, func(i *document.Invoice) {
			i.Items = []document.Item{item(&mine, "2026-01-01", "2026-01-31", 20, 20), item(&third, "2026-01-01", "2026-01-31", 80, 0), item(&mine, "2026-01-01", "2026-01-31", 33, 0)}
		})
	})
	key := func(from, to string) ledger.Key {
		return ledger.Key{Charge: *charge, Period: ledger.Period{From: date(from), To: date(to)}}
	}
	left := got[map[billing.SubscriptionID]map[ledger.Key]money.Amount](t)(store.ItemsLeft(t.Context(), s.Queries(), []billing.SubscriptionID{other, mine, 10}))
	same(t, "ItemsLeft", left, map[billing.SubscriptionID]map[ledger.Key]money.Amount{
		mine: {key("2026-01-01", "2026-01-31"): 733, key("2026-02-01", "2026-02-28"): 500}, other: {key("2026-01-01", "2026-01-31"): 70},
	})
	same(t, "ItemsLeft of none", len(got[map[billing.SubscriptionID]map[ledger.Key]money.Amount](t)(store.ItemsLeft(t.Context(), s.Queries(), nil))), 0)
}

func testEntitiesOf(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var first, named, other *billing.Account
	var entity *billing.Entity
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		entity = m.entity()
		first, named, other = m.account("A"), m.account("B"), m.account("C")
		named.EntityID = &entity.ID
		must(store.Accounts.Update(ctx, tx, named))
	})
	have := got[map[billing.AccountID]store.BilledBy](t)(store.EntitiesOf(t.Context(), s.Queries(), []billing.AccountID{named.ID, first.ID, 1 << 40, first.ID}))
	same(t, "EntitiesOf", have, map[billing.AccountID]store.BilledBy{first.ID: {}, named.ID: {Entity: &entity.ID}})
	if _, asked := have[other.ID]; asked {
		t.Error("the entity of an account that nobody asked for")
	}
}
