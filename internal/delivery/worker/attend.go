package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// grace is how long the lock of a process may be gone before its leases are
	// taken over: one whose connection broke gets it back meanwhile.
	grace = 2500 * time.Millisecond
	// attendAgain is how soon a process tries to get its lock back.
	attendAgain = 250 * time.Millisecond
)

// newNumber draws the number that a process is known by.
func newNumber() int64 { return 1 + rand.Int64N(1<<31-1) }

// attend proves to other processes that this one lives, for as long as it makes
// requests. Leases that it takes without that proof last until they run out.
func (e *Engine) attend() {
	for e.attending.Err() == nil {
		err := e.Store.Attend(e.attending, e.number, func() { e.holder.Store(e.number) })
		if e.holder.Swap(0) != 0 && e.attending.Err() == nil {
			// Others may take its leases over: what was not begun under them is left.
			e.generation.Add(1)
			e.Log.Warn("the lock that shows others that this process lives was lost; taking it again", "error", err)
		}
		switch {
		case err == nil:
			return // there are no others
		case errors.Is(err, store.ErrPooled):
			e.Log.Warn("a connection pooler stands before PostgreSQL: the leases of a process that dies last until they run out")
			return
		}
		timer := time.NewTimer(attendAgain)
		select {
		case <-timer.C:
		case <-e.attending.Done():
		}
		timer.Stop()
	}
}

// takeOver ends the leases of processes that died. missing is since when each of
// them gives no sign of life; nothing is known of a time when nobody could look.
func (e *Engine) takeOver(ctx context.Context, missing map[int64]time.Time) (err error) {
	defer func() {
		if err != nil {
			clear(missing)
		}
	}()
	holders, err := outbox.LeaseHolders(ctx, e.Store)
	if err != nil {
		return err
	}
	now := realNow()
	var dead []int64
	for number, lives := range holders {
		if lives || number == e.number {
			delete(missing, number)
			continue
		}
		if since, known := missing[number]; !known {
			missing[number] = now
		} else if now.Sub(since) >= e.Grace {
			dead = append(dead, number)
		}
	}
	for number := range missing {
		if _, has := holders[number]; !has {
			delete(missing, number)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	slices.Sort(dead)
	return e.endLeases(ctx, dead)
}

// endLeases ends the leases of dead processes, of all if dead is nil.
func (e *Engine) endLeases(ctx context.Context, dead []int64) error {
	var n int64
	err := e.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = outbox.EndLeases(ctx, tx, dead, e.Now())
		return err
	})
	if err == nil && n > 0 {
		e.Log.Warn("took over the requests of a process that died", "requests", n)
	}
	return err
}
