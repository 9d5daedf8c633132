package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testDunningPolicies(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q := st.Queries()
	strict, lenient := dunning.NewPolicy(), dunning.NewPolicy()
	strict.Code, lenient.Code = "strict", "lenient"
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(store.DunningPolicies.Insert(ctx, tx, &strict))
		must(store.DunningPolicies.Insert(ctx, tx, &lenient))
		m := maker{ctx, tx}
		e, a := m.entity(), m.account("A")
		e.DunningPolicyID, a.DunningPolicyID = &strict.ID, &strict.ID
		must(store.Entities.Update(ctx, tx, e))
		must(store.Accounts.Update(ctx, tx, a))
	})
	same(t, "all", got[[]dunning.Policy](t)(store.AllDunningPolicies(t.Context(), q)), []dunning.Policy{strict, lenient})
	same(t, "by code", got[*dunning.Policy](t)(store.DunningPolicies.ByCode(t.Context(), q, "lenient")), &lenient)
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		same(t, "sellers", got[*store.Sellers](t)(store.LoadSellers(ctx, tx.Queries)).Policies, []dunning.Policy{strict, lenient})
	})
	for id, want := range map[billing.DunningPolicyID][2]int{strict.ID: {1, 1}, lenient.ID: {}} {
		entities, accounts, err := store.UsersOfDunningPolicy(t.Context(), q, id)
		must(err)
		same(t, "who has it", [2]int{entities, accounts}, want)
	}
	if err := attempt(t, st, func(ctx context.Context, tx *store.Tx) { must(store.DunningPolicies.Delete(ctx, tx, &strict)) }); !store.IsReference(err) {
		t.Errorf("deleting a policy that is in use: %v", err)
	}
}
