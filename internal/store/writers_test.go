package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// writers add accounts from several goroutines until they are stopped, and
// remember which ones they were told are there.
type writers struct {
	cancel context.CancelFunc
	group  sync.WaitGroup

	mu       sync.Mutex
	more     *sync.Cond
	answered []billing.AccountID
	failed   error
}

func startWriters(s *store.Store, n int) *writers {
	ctx, cancel := context.WithCancel(context.Background())
	w := &writers{cancel: cancel}
	w.more = sync.NewCond(&w.mu)
	for range n {
		w.group.Go(func() {
			for ctx.Err() == nil {
				id, err := addAccount(s)
				w.note(id, err)
				if err != nil {
					return
				}
			}
		})
	}
	return w
}

// addAccount adds one account, not to be cancelled on its way.
func addAccount(s *store.Store) (billing.AccountID, error) {
	var a billing.Account
	err := s.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		a = billing.Account{Name: "Written meanwhile", BillingDay: 1}
		return store.Accounts.Insert(ctx, tx, &a)
	})
	return a.ID, err
}

func (w *writers) note(id billing.AccountID, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed = err
	} else {
		w.answered = append(w.answered, id)
	}
	w.more.Broadcast()
}

// await waits until n more accounts were answered and returns all so far.
func (w *writers) await(t *testing.T, n int) []billing.AccountID {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for want := len(w.answered) + n; len(w.answered) < want; w.more.Wait() {
		if w.failed != nil {
			t.Fatalf("write: %v", w.failed)
		}
	}
	return slices.Clone(w.answered)
}

// stop ends the writers, which must not have failed, and returns all that was
// answered.
func (w *writers) stop(t *testing.T) []billing.AccountID {
	t.Helper()
	answered := w.abandon()
	if w.failed != nil {
		t.Errorf("write: %v", w.failed)
	}
	return answered
}

// abandon is stop for writers that may fail.
func (w *writers) abandon() []billing.AccountID {
	w.cancel()
	w.group.Wait()
	return w.answered
}
