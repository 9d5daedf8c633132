package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testInvoiced tells accounts that were billed here from those with a history elsewhere.
func testInvoiced(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var accounts [3]billing.AccountID
	var entities [3]billing.EntityID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for n := range accounts {
			a := m.account("A")
			accounts[n], entities[n] = a.ID, m.entity().ID
			a.EntityID = &entities[n]
			must(store.Accounts.Update(ctx, tx, a))
		}
		m.invoice(accounts[1], func(i *document.Invoice) { i.Kind = document.ImportedInvoice })
		m.invoice(accounts[2])
	})
	for n, want := range []bool{false, false, true} {
		same(t, "IsInvoiced", got[bool](t)(store.IsInvoiced(t.Context(), s.Queries(), accounts[n])), want)
		same(t, "HasDocuments of its entity", got[bool](t)(store.HasDocuments(t.Context(), s.Queries(), entities[n])), want)
	}
}
