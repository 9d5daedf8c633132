package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestClientsSinceMissesNothing polls for changes while many are made. A number
// that became visible after a higher one would be missed.
func TestClientsSinceMissesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		const goroutines, each = 8, 20
		var group sync.WaitGroup
		for i := range goroutines {
			group.Go(func() {
				for j := range each {
					insertClient(t, s, (i+j)%4 == 0)
				}
			})
		}
		finished := make(chan bool)
		go func() { group.Wait(); close(finished) }()

		last, seen := int64(0), map[billing.ClientID]bool{}
		poll := func() {
			clients, err := store.ClientsSince(t.Context(), s.Queries(), last)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range clients {
				if c.Version <= last || seen[c.ID] {
					t.Errorf("version %d came after %d", c.Version, last)
				}
				last, seen[c.ID] = c.Version, true
			}
		}
		for open := true; open; {
			select {
			case <-finished:
				open = false
			default:
			}
			poll() // once more after the last commit
		}
		same(t, "clients seen", len(seen), goroutines*each)
		same(t, "clients there", got[int](t)(store.CountClients(t.Context(), s.Queries())), goroutines*each)
		same(t, "the last version", last, int64(goroutines*each))
	})
}

// insertClient adds a client, after an attempt that is taken back if twice: a
// number that was given out in vain must not be missing or come late.
func insertClient(t *testing.T, s *store.Store, twice bool) {
	changedMind := errors.New("changed my mind")
	insert := func(outcome error) error {
		return s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			c := billing.Client{ClientID: unique(), Name: "C"}
			if err := store.InsertClient(ctx, tx, &c); err != nil {
				return err
			}
			return outcome
		})
	}
	if twice {
		if err := insert(changedMind); !errors.Is(err, changedMind) {
			t.Error(err)
		}
	}
	if err := insert(nil); err != nil {
		t.Error(err)
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for want := range int64(3) {
				n, err := store.Next(ctx, tx, "signing_key")
				must(err)
				same(t, "the next number", n, want+1)
			}
		})
		err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := store.Next(ctx, tx, "no such counter")
			must(err)
			t.Errorf("a counter that does not exist gave out %d", n)
		})
		if err == nil {
			t.Error("no error from a counter that does not exist")
		}
	})
}
