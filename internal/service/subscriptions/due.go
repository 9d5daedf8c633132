package subscriptions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	dueBatch = 256
	// dueWorkers move subscriptions at once. On SQLite their transactions are
	// committed together; on PostgreSQL they leave connections for requests.
	dueWorkersSQLite   = 16
	dueWorkersPostgres = 8
	// dueBusy is when to look again if others are at all that is due.
	dueBusy = 50 * time.Millisecond
)

// RunDue does what passing time brings to accounts on real time: the steps of
// the earliest day on which something is due, of at most a batch of
// subscriptions. It returns how many it moved, and if none, when to look again:
// zero if nothing is to come. Days are done in order, so that what was missed
// happens in the order in which it should have. An error beside moved ones is
// about others.
func (s *Service) RunDue(ctx context.Context, now time.Time) (moved int, next time.Time, err error) {
	zone, err := calendar.ZoneOf(ctx, s.Read())
	if err != nil {
		return 0, time.Time{}, err
	}
	day, found, err := store.NextDue(ctx, s.Read())
	if err != nil || !found {
		return 0, time.Time{}, err
	}
	if start := day.Start(zone); start.After(now) {
		return 0, start, nil
	}
	ids, err := store.DueSubscriptions(ctx, s.Read(), day, s.Batch)
	if err != nil {
		return 0, time.Time{}, err
	}
	all := s.moveAll(ctx, ids, move{day: day, actor: lifecycleActor, passBusy: true})
	if all.moved == 0 {
		next = now.Add(dueBusy)
	}
	return all.moved, next, errors.Join(all.failed, all.aside)
}

// move says how subscriptions are moved through a day.
type move struct {
	day   billing.Date
	actor string
	// passBusy leaves out those that somebody else is at.
	passBusy bool
}

// moves is what came of it.
type moves struct {
	moved  int   // those set aside among them
	asides int   // how many were set aside
	aside  error // why one of them was
	failed error // why one was not moved that is not to blame for it
}

// moveAll moves subscriptions through a day, several at once.
func (s *Service) moveAll(ctx context.Context, ids []billing.SubscriptionID, m move) moves {
	workers := dueWorkersSQLite
	if s.Store.Engine() == "postgres" {
		workers = dueWorkersPostgres
	}
	work := make(chan billing.SubscriptionID)
	var group sync.WaitGroup
	var mu sync.Mutex
	var all moves
	for range min(workers, len(ids)) {
		group.Go(func() {
			for id := range work {
				one := s.moveOne(ctx, id, m)
				mu.Lock()
				all.add(one)
				mu.Unlock()
			}
		})
	}
	for _, id := range ids {
		work <- id
	}
	close(work)
	group.Wait()
	return all
}

func (all *moves) add(one moves) {
	all.moved += one.moved
	all.asides += one.asides
	if all.aside == nil {
		all.aside = one.aside
	}
	if all.failed == nil {
		all.failed = one.failed
	}
}

// moveOne moves a subscription through a day. One that cannot be moved is set
// aside, so that it does not stop the others.
func (s *Service) moveOne(ctx context.Context, id billing.SubscriptionID, m move) moves {
	moved, err := s.tryMove(ctx, id, m)
	if err != nil && !s.IsOutage(ctx, err) {
		// Once more: what it refers to may have changed under its feet.
		moved, err = s.tryMove(ctx, id, m)
	}
	switch {
	case err == nil && moved:
		return moves{moved: 1}
	case err == nil:
		return moves{}
	case s.IsOutage(ctx, err):
		return moves{failed: err} // not the subscription's fault; it is tried again
	}
	failed := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.SetSubscriptionProblem(ctx, tx, id, m.day, err.Error())
	})
	if failed != nil {
		return moves{failed: failed}
	}
	return moves{moved: 1, asides: 1, aside: fmt.Errorf("subscription %d was set aside: %w", id, err)}
}

// tryMove does the steps of a day that are due on a subscription. It reports
// whether there were any.
func (s *Service) tryMove(ctx context.Context, id billing.SubscriptionID, m move) (moved bool, err error) {
	lock := store.LockSubscription
	if m.passBusy {
		lock = store.LockSubscriptionIfFree
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		moved = false
		sub, err := lock(ctx, tx, id)
		if err != nil || sub == nil || sub.Problem != nil {
			return err
		}
		if due, some := sub.Due(); !some || due.After(m.day) {
			// Somebody else did it; or else it is not found by the right day.
			moved, err = store.MendDue(ctx, tx, sub)
			return err
		}
		cal, err := calendar.In(ctx, tx, sub.TestClockID)
		if err != nil {
			return err
		}
		moved = true
		_, err = catchUp(ctx, tx, *sub, cal, m.day, m.actor)
		return err
	})
	return moved, err
}
