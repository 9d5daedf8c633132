package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testFull(t *testing.T, db *storetest.Database) {
	if db.Engine == "postgres" {
		// The disk of a server is not ours to fill; the code is what it sends.
		if err := fmt.Errorf("write: %w", &pgconn.PgError{Code: "53100"}); !store.IsFull(err) {
			t.Error("disk_full is not taken for a full disk")
		}
		return
	}
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Before") })
	setMaxPages(t, s, "1") // SQLite takes no less than there are pages
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { must(large(ctx, tx, 20)) })
	if !store.IsFull(err) || store.IsDuplicate(err) || store.IsReference(err) {
		t.Errorf("writing to a full disk: %v, want that it is full and nothing else", err)
	}
	checkIntegrity(t, s)
	same(t, "accounts on the full disk", accountNames(t, s), []string{"Before"})

	setMaxPages(t, s, "4294967294")
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(large(ctx, tx, 20)) })
	same(t, "accounts when there is room again", len(listed(t, s, store.Accounts, billing.Filter{})), 21)
	checkIntegrity(t, s)
}

// TestFullDiskFailsOnlyWhoNeedsRoom puts requests that need room and requests
// that need none into one group: each gets its own answer.
func TestFullDiskFailsOnlyWhoNeedsRoom(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	var accounts []*billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for i := range 10 {
			accounts = append(accounts, maker{ctx, tx}.account(fmt.Sprint("Account ", i)))
		}
	})
	setMaxPages(t, s, "1")
	requests := make([]request, 20)
	for i := range requests {
		requests[i].do = func(ctx context.Context, tx *store.Tx) error {
			if i%2 == 1 {
				return large(ctx, tx, 20)
			}
			_, err := store.Exec(ctx, tx, `UPDATE account SET billing_day = 28 WHERE id = $1`, int64(accounts[i/2].ID))
			return err
		}
	}
	for i, err := range inOneGroup(t, s, requests) {
		if needsRoom := i%2 == 1; needsRoom != store.IsFull(err) || !needsRoom && err != nil {
			t.Errorf("request %d, which needs room: %v: %v", i, needsRoom, err)
		}
	}
	for _, a := range listed(t, s, store.Accounts, billing.Filter{}) {
		same(t, "the billing day of "+a.Name, a.BillingDay, 28)
	}
	same(t, "accounts", len(listed(t, s, store.Accounts, billing.Filter{})), 10)
	checkIntegrity(t, s)
}

func setMaxPages(t *testing.T, s *store.Store, pages string) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Rows(ctx, tx.Queries, "PRAGMA max_page_count = "+pages)
		must(err)
	})
}

// large adds accounts that fill several pages each.
func large(ctx context.Context, tx *store.Tx, n int) error {
	for range n {
		a := billing.Account{Name: "Large", Description: ptr(strings.Repeat("x", 10_000))}
		if err := store.Accounts.Insert(ctx, tx, &a); err != nil {
			return err
		}
	}
	return nil
}
