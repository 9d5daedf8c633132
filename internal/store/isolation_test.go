package store_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestIsolationIsSaid opens a database as a role whose transactions are
// serializable, read only and short by default: the schema is made all the same,
// and writers who meet wait for each other instead of failing.
func TestIsolationIsSaid(t *testing.T) {
	t.Parallel()
	url := storetest.AsRole(t, storetest.Postgres(t), "", "default_transaction_isolation = 'serializable'", "default_transaction_read_only = on")
	s := openAs(t, url, store.Options{})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for name, want := range map[string]string{"transaction_isolation": "read committed", "transaction_read_only": "off"} {
			value, err := store.Rows(ctx, tx.Queries, "SHOW "+name)
			must(err)
			same(t, name, value, []string{want})
		}
	})
	if err := s.Frozen(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		value, err := store.Rows(ctx, tx.Queries, "SHOW transaction_isolation")
		same(t, "the isolation of a frozen transaction", value, []string{"repeatable read"})
		return err
	}); err != nil {
		t.Error(err)
	}
	id, err := addAccount(s)
	must(err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 3 {
				if err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error { return addToBillingDay(ctx, tx, id) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	a, err := store.Accounts.Get(t.Context(), s.Queries(), id)
	must(err)
	same(t, "the billing day", a.BillingDay, 25)
}

// TestSerializationFailuresAreRunAgain has PostgreSQL end a transaction twice
// because of another one: it is run again as if nothing had been, and not
// without end.
func TestSerializationFailuresAreRunAgain(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t)
	fail := func(code string, times int) (runs int, err error) {
		err = s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			runs++
			maker{ctx, tx}.account("A")
			if runs > times {
				return nil
			}
			_, err := store.Exec(ctx, tx, `DO $$ BEGIN RAISE EXCEPTION 'made up' USING ERRCODE = '`+code+`'; END $$`)
			return err
		})
		return runs, err
	}
	for _, code := range []string{"40001", "40P01"} {
		if runs, err := fail(code, 2); runs != 3 || err != nil {
			t.Errorf("%s: run %d times, then %v", code, runs, err)
		}
	}
	same(t, "accounts", len(accountNames(t, s)), 2)
	runs, err := fail("40001", 1000)
	if runs > 10 || !store.IsUnavailable(err) {
		t.Errorf("a failure that stays: run %d times, then %v", runs, err)
	}
	if runs, err := fail("22012", 1); runs != 1 || err == nil || store.IsUnavailable(err) {
		t.Errorf("another failure: run %d times, then %v", runs, err)
	}
	same(t, "accounts", len(accountNames(t, s)), 2)
}
