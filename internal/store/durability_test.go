package store_test

import (
	"context"
	"testing"

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
