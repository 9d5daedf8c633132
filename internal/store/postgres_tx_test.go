package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFailureThatNobodyTold has a statement fail and goes on as if nothing was:
// PostgreSQL takes the transaction back, and the caller must hear of it.
func TestFailureThatNobodyTold(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t)
	for name, fail := range map[string]func(m maker){
		"first": func(m maker) { _, _ = store.Exec(m.ctx, m.tx, "SELECT 1/0") },
		"later": func(m maker) { m.account("Lost"); _, _ = store.Exec(m.ctx, m.tx, "SELECT 1/0") },
	} {
		err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			fail(maker{ctx, tx})
			return nil
		})
		if err == nil {
			t.Errorf("%s: a transaction that was taken back counts as done", name)
		}
	}
	same(t, "accounts", len(accountNames(t, s)), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Kept") }) // the connection is as good as new
	same(t, "accounts", len(accountNames(t, s)), 1)
}

// TestPutOffStatementFails records two attempts under one id, which is put off
// until the commit: the caller hears of it, and nothing is kept.
func TestPutOffStatementFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		twice := []*webhook.Attempt{{ID: 7, RequestHeaders: []byte("{}")}, {ID: 7, RequestHeaders: []byte("{}")}}
		err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			maker{ctx, tx}.account("Lost")
			return outbox.InsertAttempts(ctx, tx, twice)
		})
		if err == nil {
			t.Error("two attempts have the same id")
		}
		same(t, "accounts", len(accountNames(t, s)), 0)
	})
}

// TestTransactionsThatEndEarly do nothing, or fail before anything was sent.
func TestTransactionsThatEndEarly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		failed := errors.New("failed")
		for range 20 { // more than there are connections
			if err := s.Write(t.Context(), func(context.Context, *store.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if err := s.Write(t.Context(), func(context.Context, *store.Tx) error { return failed }); !errors.Is(err, failed) {
				t.Fatal(err)
			}
		}
		write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Kept") })
		same(t, "accounts", len(accountNames(t, s)), 1)
	})
}

// TestInDoubt: only what fails behind a COMMIT that was sent is in doubt, and not
// if PostgreSQL says that it was taken back.
func TestInDoubt(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t)
	const made = `CREATE FUNCTION made_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.name = 'killed' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
		RAISE EXCEPTION 'made up' USING ERRCODE = '55P03';
	END $$`
	const late = `CREATE CONSTRAINT TRIGGER made_up AFTER INSERT ON account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION made_up()`
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, text := range []string{made, late} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	for name, want := range map[string]bool{"killed": true, "refused": false} {
		err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account(name) })
		if !store.IsUnavailable(err) || store.IsInDoubt(err) != want {
			t.Errorf("%s at the commit: %v, in doubt %v", name, err, store.IsInDoubt(err))
		}
	}
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.account("before")
		_, err := store.Exec(ctx, tx, `SELECT pg_terminate_backend(pg_backend_pid())`)
		must(err)
	})
	if !store.IsUnavailable(err) || store.IsInDoubt(err) {
		t.Errorf("before the commit: %v, in doubt %v", err, store.IsInDoubt(err))
	}
}
