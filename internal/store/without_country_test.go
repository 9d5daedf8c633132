package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testAccountsWithoutCountry(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var first, second billing.EntityID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		first, second = m.entity().ID, m.entity().ID
		clock := m.clock().ID
		for name, edit := range map[string]func(*billing.Account){
			"A": func(a *billing.Account) { a.EntityID = &second },
			"B": func(a *billing.Account) { a.EntityID, a.BillingCountry = &second, new("") },
			"C": func(a *billing.Account) { a.EntityID, a.BillingCountry = &second, new("DE") },
			"D": func(a *billing.Account) { a.EntityID, a.TestClockID = &second, &clock },
			"F": func(a *billing.Account) { a.EntityID, a.BillingCountry = &first, new("Germany") },
			"G": func(a *billing.Account) { a.EntityID, a.BillingCountry = &first, new("XX") },
			"H": func(a *billing.Account) { a.EntityID, a.BillingCountry = &first, new(" el ") },
			"E": func(*billing.Account) {},
		} {
			a := m.account(name)
			edit(a)
			must(store.Accounts.Update(ctx, tx, a))
		}
	})
	names := func(entity billing.EntityID, others bool, limit int) (names []string) {
		for _, a := range got[[]billing.Account](t)(store.AccountsWithoutCountry(t.Context(), s.Queries(), entity, others, limit)) {
			names = append(names, a.Name)
		}
		return names
	}
	same(t, "of the first, how many", len(names(first, true, 10)), 3)
	same(t, "of the second, how many", len(names(second, false, 10)), 2)
	same(t, "with others", len(names(second, true, 10)), 3)
	same(t, "at most two", len(names(second, true, 2)), 2)
	named := names(first, false, 10)
	slices.Sort(named)
	same(t, "of one that has no codes", named, []string{"F", "G"})
}
