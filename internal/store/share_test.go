package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// However many requests read and write at once, the server's own work finds a
// connection, and those that wait go on when there is room.
func testShare(t *testing.T, db *storetest.Database) {
	keepsShare(t, db.Open(t), 4)
	if db.Engine == "postgres" {
		few := got[*store.Store](t)(store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, Connections: store.MinConnections}))
		t.Cleanup(func() { must(few.Close()) })
		keepsShare(t, few, 1)
	}
}

// keepsShare has more requests than there are connections, of which they get
// some at least.
func keepsShare(t *testing.T, s *store.Store, some int) {
	t.Helper()
	over, begun := make(chan struct{}), make(chan struct{}, 100)
	var requests sync.WaitGroup
	for range cap(begun) {
		requests.Go(func() {
			err := s.Frozen(store.ForRequest(t.Context()), func(ctx context.Context, tx *store.Tx) error {
				_, err := store.CountUsers(ctx, tx.Queries)
				begun <- struct{}{}
				<-over
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range some {
		<-begun
	}
	busy := store.ForRequest(t.Context())
	impatient, cancel := context.WithTimeout(busy, 50*time.Millisecond)
	defer cancel()
	for impatient.Err() == nil { // until all of the share is taken
		if _, err := store.CountUsers(impatient, s.Queries()); err != nil && impatient.Err() == nil {
			t.Fatal(err)
		}
	}
	soon, done := context.WithTimeout(busy, 10*time.Second)
	defer done()
	if _, err := store.CountUsers(store.ForServer(soon), s.Queries()); err != nil {
		t.Errorf("reading: %v", err)
	}
	err := s.Write(store.ForServer(soon), func(ctx context.Context, tx *store.Tx) error { return store.SetSetting(ctx, tx, "share", "kept") })
	if err != nil {
		t.Errorf("writing: %v", err)
	}
	close(over)
	requests.Wait()
	if _, err := store.CountUsers(busy, s.Queries()); err != nil {
		t.Errorf("a request afterwards: %v", err)
	}
}
