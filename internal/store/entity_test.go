package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testEntities(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	all := func() []billing.Entity {
		return got[[]billing.Entity](t)(store.AllEntities(t.Context(), st.Queries()))
	}
	if found := all(); len(found) != 0 {
		t.Errorf("a new installation has %d entities", len(found))
	}
	var first, second *billing.Entity
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		first, second = m.entity(), m.entity()
		a := m.account("Invoiced")
		a.EntityID = &second.ID
		must(store.Accounts.Update(ctx, tx, a))
	})
	same(t, "AllEntities", all(), []billing.Entity{*first, *second})
	same(t, "ByCode", got[*billing.Entity](t)(store.Entities.ByCode(t.Context(), st.Queries(), second.Code)), second)
	if err := attempt(t, st, func(ctx context.Context, tx *store.Tx) { must(store.Entities.Delete(ctx, tx, second)) }); !store.IsReference(err) {
		t.Errorf("deleting the entity of an account: %v", err)
	}
}

// testTaxRates holds what migrations install to tax.StandardRates, and to how
// rows are found.
func testTaxRates(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q := st.Queries()
	installed := got[tax.Rates](t)(store.AllTaxRates(t.Context(), q))
	plain := slices.Clone(installed)
	for i := range plain {
		if plain[i].CreatedAt.Before(time.UnixMilli(1)) || plain[i].CreatedAt != plain[i].UpdatedAt {
			t.Errorf("%s %s was created at %v, changed at %v", plain[i].Country, plain[i].Rate, plain[i].CreatedAt, plain[i].UpdatedAt)
		}
		plain[i].ID, plain[i].CreatedAt, plain[i].UpdatedAt = 0, time.Time{}, time.Time{}
	}
	same(t, "what is installed", plain, tax.StandardRates())
	words := got[[]string](t)(store.Rows(t.Context(), q, "SELECT search FROM tax_rate ORDER BY id"))
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		for i := range installed {
			must(store.TaxRates.Update(ctx, tx, &installed[i]))
		}
	})
	same(t, "the words that they are found by", words, got[[]string](t)(store.Rows(t.Context(), q, "SELECT search FROM tax_rate ORDER BY id")))
}
