package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestDeadlock has two transactions lock two rows in opposite order, each
// waiting for the other to have its first. PostgreSQL ends one of them, which
// must be run again.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t) // SQLite runs one after the other
	var rows [2]*billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for i := range rows {
			rows[i] = maker{ctx, tx}.account("A")
		}
	})
	var runs atomic.Int64
	var both, group sync.WaitGroup
	both.Add(2)
	for i := range 2 {
		group.Go(func() {
			met := false
			err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				runs.Add(1)
				if err := addToBillingDay(ctx, tx, rows[i].ID); err != nil {
					return err
				}
				if !met { // the second run has nobody to meet
					met = true
					both.Done()
					both.Wait()
				}
				return addToBillingDay(ctx, tx, rows[1-i].ID)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := runs.Load(); n < 3 {
		t.Errorf("the two transactions were run %d times, want one of them at least twice", n)
	}
	for _, a := range listed(t, s, store.Accounts, billing.Filter{}) {
		same(t, "the billing day", a.BillingDay, 3)
	}
}

func addToBillingDay(ctx context.Context, tx *store.Tx, id billing.AccountID) error {
	a, err := store.Accounts.Lock(ctx, tx, id)
	if err != nil {
		return err
	}
	a.BillingDay++
	return store.Accounts.Update(ctx, tx, a)
}
