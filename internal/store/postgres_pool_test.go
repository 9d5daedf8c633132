package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestDefaultConnections(t *testing.T) {
	t.Parallel()
	for allowed, want := range map[int]int{0: 2, 1: 2, 4: 2, 10: 2, 20: 7, 36: 15, 38: 16, 97: 16, 10_000: 16} {
		if n := store.DefaultConnections(allowed); n != want {
			t.Errorf("of %d connections a pool has %d, want %d", allowed, n, want)
		}
	}
}

// openAs opens a store as a role that is no superuser.
func openAs(t *testing.T, url string, o store.Options) *store.Store {
	t.Helper()
	o.URL, o.Now = url, storetest.NewClock().Now
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestPoolWaits has more to do than the role may have connections for: whatever
// the pool's size is, everybody waits, and nobody fails.
func TestPoolWaits(t *testing.T) {
	t.Parallel()
	url := storetest.AsRole(t, storetest.Postgres(t), "CONNECTION LIMIT 4")
	same(t, "the size by default", openAs(t, url, store.Options{}).Connections(), 2)
	s, other := openAs(t, url, store.Options{Connections: 12}), openAs(t, url, store.Options{})
	same(t, "the size that was asked for", s.Connections(), 12)
	var group sync.WaitGroup
	for i := range 24 {
		s := []*store.Store{s, other}[i%2]
		group.Go(func() {
			for range 10 {
				if _, err := addAccount(s); err != nil {
					t.Error(err)
				}
				if _, err := store.Accounts.Count(t.Context(), s.Queries(), billing.Filter{}); err != nil {
					t.Error(err)
				}
				if err := s.Frozen(t.Context(), func(context.Context, *store.Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	same(t, "accounts", len(accountNames(t, s)), 240)
}

// TestPoolWaitsNoLongerThanTheRequest: a caller that gets no connection in time
// is told that the database is busy.
func TestPoolWaitsNoLongerThanTheRequest(t *testing.T) {
	t.Parallel()
	url := storetest.AsRole(t, storetest.Postgres(t), "CONNECTION LIMIT 4")
	s := openAs(t, url, store.Options{Connections: 10})
	taken, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := s.Frozen(context.Background(), func(context.Context, *store.Tx) error {
				taken <- struct{}{}
				<-release
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		<-taken
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := store.Accounts.Count(ctx, s.Queries(), billing.Filter{})
	if !store.IsUnavailable(err) {
		t.Errorf("without a connection in time: %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := addAccount(s)
		done <- err
	}()
	close(release)
	if err := <-done; err != nil {
		t.Errorf("once there are connections again: %v", err)
	}
	group.Wait()
}

// TestPostgresBehindPgBouncer runs what rests on sessions through a pooler that
// gives them out per transaction.
func TestPostgresBehindPgBouncer(t *testing.T) {
	t.Parallel()
	db := &storetest.Database{Engine: "postgres", URL: storetest.PgBouncer(t, storetest.Postgres(t)), Clock: storetest.NewClock()}
	var migrating sync.WaitGroup
	for range 3 {
		migrating.Go(func() {
			s, err := store.Open(context.Background(), store.Options{URL: db.URL, Now: db.Clock.Now})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	migrating.Wait()
	checkVersions(t, db)
	s := db.Open(t)
	if !s.Pooled() {
		t.Fatal("PgBouncer was not noticed")
	}
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			for n := range 10 {
				if _, err := addAccount(s); err != nil {
					t.Error(err)
				}
				if _, err := store.Accounts.List(t.Context(), s.Queries(), store.Page{Filter: filter(t, fmt.Sprintf("x%d words%d", i, n)), Limit: 10}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	same(t, "accounts", len(accountNames(t, s)), 120)
	settings := func(s *store.Store) (lines []string) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for _, name := range []string{"transaction_isolation", "synchronous_commit", "idle_in_transaction_session_timeout"} {
				line, err := store.Rows(ctx, tx.Queries, "SHOW "+name)
				must(err)
				lines = append(lines, line...)
			}
		})
		return lines
	}
	same(t, "the settings of a transaction", settings(s), []string{"read committed", "on", "30s"})
	same(t, "the settings of a session", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SHOW idle_in_transaction_session_timeout")), []string{"0"})
	if reading, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, ReadOnly: true}); err != nil {
		t.Error(err)
	} else {
		same(t, "accounts for who only reads", len(accountNames(t, reading)), 120)
		reading.Close()
	}
	for _, c := range suite {
		if behindPgBouncer[c.name] {
			c.run(t, &storetest.Database{Engine: "postgres", URL: storetest.PgBouncer(t, storetest.New(t, "postgres").URL), Clock: storetest.NewClock()})
		}
	}
}

// behindPgBouncer are the cases that put statements off, lock and look for
// words.
var behindPgBouncer = map[string]bool{"transactions": true, "pages of words": true, "idempotency steps": true}
