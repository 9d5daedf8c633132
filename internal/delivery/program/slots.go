package program

import (
	"context"
	"runtime"
)

// slots bounds how many programs run at once: they only compute, and what each
// may take of the memory adds up.
type slots chan struct{}

// Deliveries have slots of their own, so that no number of previews can delay a
// webhook. Previews have half of the cores: the rest stays free while they run.
var (
	deliveries = make(slots, runtime.GOMAXPROCS(0))
	previews   = make(slots, max(1, runtime.GOMAXPROCS(0)/2))
)

// previewSlice is how many steps a preview takes before it gives way: well below
// a millisecond of most programs, where the scheduler would let it go on for ten.
const previewSlice = 256

// enter waits for a slot; leave gives it back.
func (s slots) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
