package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestPostgresWaitsForTheDisk opens databases that are set to answer a commit
// before it is durable, and to answer it later still.
func TestPostgresWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	for set, want := range map[string]string{"off": "on", "on": "on", "local": "local", "remote_apply": "remote_apply"} {
		write(t, db.Open(t), func(ctx context.Context, tx *store.Tx) {
			const text = `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = ', current_database()) || '`
			_, err := store.Exec(ctx, tx, text+set+`'; END $$`)
			must(err)
		})
		setting := got[[]string](t)(store.Rows(t.Context(), db.Open(t).Queries(), "SHOW synchronous_commit"))
		same(t, "synchronous_commit where the database says "+set, setting, []string{want})
	}
}

// TestPostgresForgetsWhoIsGone: a transaction of which nothing is heard any more
// does not keep its rows from others. Its own process is told when it is back.
func TestPostgresForgetsWhoIsGone(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	setting := got[[]string](t)(store.Rows(t.Context(), db.Open(t).Queries(), "SHOW idle_in_transaction_session_timeout"))
	same(t, "the time it has", setting, []string{"30s"})
	db.URL += "&idle_in_transaction_session_timeout=100ms" // for who has less patience
	frozen, other := db.Open(t), db.Open(t)
	account := &billing.Account{Name: "A", BillingDay: 1}
	write(t, other, func(ctx context.Context, tx *store.Tx) { must(store.Accounts.Insert(ctx, tx, account)) })
	locked, done, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- frozen.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := store.Accounts.Lock(ctx, tx, account.ID); err != nil {
				return err
			}
			close(locked)
			<-done
			account := *account
			account.Name = "of one who was gone"
			return store.Accounts.Update(ctx, tx, &account)
		})
	}()
	<-locked
	write(t, other, func(ctx context.Context, tx *store.Tx) {
		row, err := store.Accounts.Lock(ctx, tx, account.ID)
		must(err)
		row.Name = "of the other"
		must(store.Accounts.Update(ctx, tx, row))
	})
	close(done)
	if err := <-ended; err == nil {
		t.Error("the one who was gone got its way")
	}
	row, err := store.Accounts.Get(t.Context(), other.Queries(), account.ID)
	if err != nil || row.Name != "of the other" {
		t.Errorf("the account is %+v (%v)", row, err)
	}
}
