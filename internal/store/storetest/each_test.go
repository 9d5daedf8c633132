package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

func TestEachGivesADatabaseOfItsOwn(t *testing.T) {
	for range 2 {
		Each(t, func(t *testing.T, db *Database) {
			s, second := db.Open(t), db.Open(t)
			if s.Engine() != db.Engine {
				t.Errorf("%s was opened for %s", s.Engine(), db.Engine)
			}
			account := billing.Account{Name: "A"}
			if err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				return store.Accounts.Insert(ctx, tx, &account)
			}); err != nil {
				t.Fatal(err)
			}
			if !account.CreatedAt.Equal(db.Clock.Now()) {
				t.Errorf("created at %v, want what the clock shows, %v", account.CreatedAt, db.Clock.Now())
			}
			// One account: the other store sees it, the other subtest's is not here.
			if n, err := store.Accounts.Count(t.Context(), second.Queries(), billing.Filter{}); n != 1 || err != nil {
				t.Errorf("%d accounts, %v; want 1", n, err)
			}
		})
	}
}

func TestClock(t *testing.T) {
	c := NewClock()
	start := c.Now()
	if !c.Now().Equal(start) {
		t.Error("a clock goes by itself")
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { c.Advance(time.Minute) })
	}
	group.Wait()
	if now := c.Now(); !now.Equal(start.Add(10 * time.Minute)) {
		t.Errorf("after ten minutes a clock that showed %v shows %v", start, now)
	}
	if now := c.Advance(time.Second); !now.Equal(c.Now()) {
		t.Errorf("Advance returned %v, the clock shows %v", now, c.Now())
	}
	c.Set(start)
	if !c.Now().Equal(start) {
		t.Error("a clock cannot be set back")
	}
}
