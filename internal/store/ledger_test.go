package store_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testLedger(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	key := func(sub billing.SubscriptionID, charge billing.ChargeID, from, to string, pieces ...ledger.Piece) store.LedgerKey {
		k := store.LedgerKey{SubscriptionID: sub}
		k.Key, k.Currency, k.Net = ledger.Key{Charge: charge, Period: ledger.Period{From: date(from), To: date(to)}}, euro, 1000
		k.Pieces = append([]ledger.Piece{}, pieces...)
		return k
	}
	piece := func(from, to string, value *big.Rat) ledger.Piece {
		return ledger.Piece{Period: ledger.Period{From: date(from), To: date(to)}, Value: value}
	}
	long, _ := new(big.Rat).SetString("123456789012345678901234567890/97")
	keys := []store.LedgerKey{
		key(7, 1, "2026-01-01", "2026-01-31", piece("2026-01-01", "2026-01-15", big.NewRat(5000, 1)), piece("2026-01-16", "2026-01-31", long)),
		key(7, 2, "2026-01-01", "2026-01-31", piece("2026-01-01", "2026-01-31", new(big.Rat))),
		key(7, 1, "2026-02-01", "2026-02-28"),
		key(8, 1, "2026-01-01", "2026-12-31"),
	}
	save := func(keys []store.LedgerKey) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SaveLedger(ctx, tx, keys)) })
	}
	from := func(wanted ...store.LedgerFrom) (found []store.LedgerKey) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			var err error
			found, err = store.LedgerKeys(ctx, tx, wanted)
			must(err)
		})
		slices.SortFunc(found, func(a, b store.LedgerKey) int {
			return cmp.Or(cmp.Compare(a.SubscriptionID, b.SubscriptionID), cmp.Compare(a.Period.From.String(), b.Period.From.String()), cmp.Compare(a.Charge, b.Charge))
		})
		return found
	}
	// Fractions are equal if they read alike, whatever they were made from.
	same := func(t *testing.T, what string, have, want any) {
		t.Helper()
		same(t, what, fmt.Sprintf("%+v", have), fmt.Sprintf("%+v", want))
	}
	of := func(id billing.SubscriptionID) []store.LedgerKey {
		return got[[]store.LedgerKey](t)(store.LedgerOf(t.Context(), s.Queries(), id))
	}
	save(keys)
	save(nil)
	same(t, "LedgerOf", of(7), keys[:3])
	same(t, "Ref", keys[0].Ref(), store.LedgerRef{SubscriptionID: 7, Key: keys[0].Key})
	same(t, "LedgerKeys from a day in a period", from(store.LedgerFrom{SubscriptionID: 7, From: date("2026-01-31")}), keys[:3])
	same(t, "LedgerKeys from a later day", from(store.LedgerFrom{SubscriptionID: 7, From: date("2026-02-01")}, store.LedgerFrom{SubscriptionID: 8, From: date("2026-02-01")}), keys[2:])
	same(t, "LedgerKeys from the end", len(from(store.LedgerFrom{SubscriptionID: 8, From: date("2027-01-01")})), 0)
	same(t, "LedgerKeys of none", len(from()), 0)

	keys[0].Pieces, keys[0].Net, keys[0].Forgiven = keys[0].Pieces[:1], -5, 1<<60
	fresh := key(7, 1, "2026-01-05", "2026-01-31") // which differs in its first day alone
	save([]store.LedgerKey{keys[0], fresh})
	same(t, "LedgerOf", of(7), []store.LedgerKey{keys[0], keys[1], fresh, keys[2]})

	var several []store.LedgerKey
	for n := range many {
		day := date("2000-01-01").AddDays(n)
		several = append(several, key(9, 3, day.String(), day.String(), piece(day.String(), day.String(), big.NewRat(int64(n), 3))))
	}
	save(several)
	same(t, "many keys", of(9), several)
	same(t, "other subscriptions", of(8), keys[3:])
}
