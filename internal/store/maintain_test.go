package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// After many writes the search table has many segments; merged, it finds the
// same.
func testMaintain(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	for i := range 30 {
		err := st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for j := range 20 {
				if err := store.Accounts.Insert(ctx, tx, &billing.Account{Name: fmt.Sprintf("Account %d of batch %d", j, i), BillingDay: 1}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	find := func() int {
		n, err := store.Accounts.Count(t.Context(), st.Queries(), billing.Filter{Words: []string{"batch 1"}})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := find()
	if err := st.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := find(); after != before || before != 11*20 {
		t.Errorf("found %d before and %d after, want %d", before, after, 11*20)
	}
	if db.Engine == "sqlite" {
		segments, err := store.Rows(t.Context(), st.Queries(), "SELECT count(DISTINCT segid) FROM account_search_idx")
		if err != nil || segments[0] != "1" {
			t.Errorf("the search table has %v segments after it was merged (%v)", segments, err)
		}
	}
	if err := st.Maintain(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// TestMaintainIndexesWhatOthersWrote writes to the file past the store.
func TestMaintainIndexesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	st := db.Open(t)
	other, err := sql.Open("sqlite", strings.TrimPrefix(db.URL, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `INSERT INTO account (name, billing_day, created_at, updated_at, search) VALUES ('Ashenberg', 1, 0, 0, 'ashenberg')`); err != nil {
		t.Fatal(err)
	}
	if err := st.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "found", got[int](t)(store.Accounts.Count(t.Context(), st.Queries(), words("henber"))), 1)
	checkIntegrity(t, st)
}
