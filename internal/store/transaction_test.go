package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testTransactions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.account("kept")
		n, err := store.Accounts.Count(ctx, tx.Queries, billing.Filter{})
		must(err)
		same(t, "what a transaction sees of itself", n, 1)
		others, err := store.Accounts.Count(t.Context(), s.Queries(), billing.Filter{})
		must(err)
		same(t, "what others see of it", others, 0)
	})
	same(t, "after a commit", accountNames(t, s), []string{"kept"})

	refused := errors.New("refused")
	err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		maker{ctx, tx}.account("taken back")
		return fmt.Errorf("no: %w", refused)
	})
	if !errors.Is(err, refused) {
		t.Errorf("the error of a transaction arrives as %v", err)
	}
	same(t, "after an error", accountNames(t, s), []string{"kept"})

	same(t, "the panic that arrives", panicOf(func() {
		_ = s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			maker{ctx, tx}.account("taken back")
			panic(refused)
		})
	}), any(refused))
	same(t, "after a panic", accountNames(t, s), []string{"kept"})

	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("next") })
	same(t, "after all that", accountNames(t, s), []string{"kept", "next"})
	testCancelled(t, s)
	testNow(t, db, s)
}

func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

// testCancelled shows that Write tells the truth: what it returned nil for is
// there, and nothing of the rest.
func testCancelled(t *testing.T, s *store.Store) {
	t.Helper()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Write(cancelled, func(context.Context, *store.Tx) error {
		t.Error("a cancelled request was run")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request: %v", err)
	}
	if _, err := store.Accounts.Count(cancelled, s.Queries(), billing.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read: %v", err)
	}
	half, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = s.Write(half, func(ctx context.Context, tx *store.Tx) error {
		if err := store.Accounts.Insert(ctx, tx, &billing.Account{Name: "half"}); err != nil {
			return err
		}
		cancel()
		return store.Accounts.Insert(ctx, tx, &billing.Account{Name: "half"})
	})
	want := 2
	if err != nil {
		want = 0
	}
	same(t, "rows of a request that was cancelled half way", len(listed(t, s, store.Accounts, filter(t, "name:half"))), want)
}

// testNow shows that a transaction has one time, in UTC and in milliseconds,
// as rows keep it.
func testNow(t *testing.T, db *storetest.Database, s *store.Store) {
	t.Helper()
	db.Clock.Set(time.Date(2026, 3, 1, 1, 2, 3, 456_789_000, time.FixedZone("", 3600)))
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		now := time.Date(2026, 3, 1, 0, 2, 3, 456_000_000, time.UTC)
		same(t, "the time of a transaction", tx.Now, now)
		db.Clock.Advance(time.Hour)
		a := maker{ctx, tx}.account("stamped")
		same(t, "its stamp", a.CreatedAt, now)
	})
}
