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

// enterOr takes a slot if one is free, and otherwise waits for one: waits is called
// before that, and what it returns when it is over.
func (s slots) enterOr(ctx context.Context, waits func(context.Context) (over func())) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	default:
	}
	defer waits(ctx)()
	return s.enter(ctx)
}

// enter waits for a slot; leave gives it back.
func (s slots) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
