package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFewAreLookedUp reads a few rows of a table that is neither small nor
// large: PostgreSQL once read all of it, because it took a list of ids for a
// long one.
func TestFewAreLookedUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			for range 4000 {
				m.account("An account with a name of some length")
			}
		})
		analyze(t, s)
		p := plan{
			name: "a few of some thousand", sqlite: "SEARCH account USING INTEGER PRIMARY KEY (rowid=?)", postgres: "Index Scan using account_pkey; ! Seq Scan on account",
			ask: func(ctx context.Context, q store.Queries) error {
				_, err := store.Accounts.ByIDs(ctx, q, []billing.AccountID{7, 77, 777})
				return err
			},
		}
		if problem := p.check(t, s); problem != "" {
			t.Error(problem)
		}
	})
}
