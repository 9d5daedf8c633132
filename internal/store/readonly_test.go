package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestReadOnly looks at a database while another process writes to it.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		writing := db.Open(t)
		reading := got[*store.Store](t)(store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, ReadOnly: true}))
		defer reading.Close()
		write(t, writing, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
		same(t, "accounts that a reader sees", got[int](t)(store.Accounts.Count(t.Context(), reading.Queries(), billing.Filter{})), 1)
		if err := reading.Write(t.Context(), func(context.Context, *store.Tx) error { return nil }); err == nil {
			t.Error("a store that was opened to be read only writes")
		}
		have, known, err := reading.SchemaVersions(t.Context())
		if err != nil || have != known || known == 0 {
			t.Errorf("the schema has version %d of %d, %v", have, known, err)
		}
	})
}
