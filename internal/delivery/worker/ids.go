package worker

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// idsAtOnce is how many ids of attempts a worker reserves at least.
const idsAtOnce = 16_384

// attemptIDs are ids that no other attempt has. A request has one before it is
// made: its stream is leased under it, and its row is written under it when it is
// known how it went.
type attemptIDs struct{ next, end billing.AttemptID }

// reserve makes sure that there are n. It takes a transaction of its own, so
// that those of other platforms do not wait for this one's.
func (a *attemptIDs) reserve(ctx context.Context, s *store.Store, n int) error {
	if a.left() >= n {
		return nil
	}
	n = max(n, idsAtOnce)
	var first billing.AttemptID
	err := s.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		first, err = outbox.ReserveAttempts(ctx, tx, n)
		return err
	})
	if err == nil {
		*a = attemptIDs{next: first, end: first + billing.AttemptID(n)}
	}
	return err
}

// left is how many there are.
func (a attemptIDs) left() int { return int(a.end - a.next) }

// part takes n of them away.
func (a *attemptIDs) part(n int) attemptIDs {
	first := a.next
	a.next += billing.AttemptID(n)
	return attemptIDs{next: first, end: a.next}
}

// giveBack puts back what was not used of a part, unless others were taken since.
func (a *attemptIDs) giveBack(part attemptIDs) {
	if part.end == a.next {
		a.next = part.next
	}
}

// take returns the next of them.
func (a *attemptIDs) take() billing.AttemptID {
	a.next++
	return a.next - 1
}
