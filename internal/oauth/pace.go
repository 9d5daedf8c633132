package oauth

import (
	"sync"
	"time"
)

// pace lets something happen burst times at once and then once per interval.
// All it needs to remember is when all of the burst is there again.
type pace struct {
	interval time.Duration
	burst    int
}

// take takes one. It returns when the burst is whole again, and how long to
// wait if there was none to take, which leaves things as they were.
func (p pace) take(whole, now time.Duration) (newWhole, wait time.Duration) {
	next := max(whole, now) + p.interval
	if wait = next - now - time.Duration(p.burst)*p.interval; wait > 0 {
		return whole, wait
	}
	return next, 0
}

// bucket is one pace for everybody.
type bucket struct {
	pace
	mu    sync.Mutex
	whole time.Duration
}

// take returns how long to wait, 0 if one was taken.
func (b *bucket) take(now time.Duration) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.whole, wait = b.pace.take(b.whole, now)
	return wait
}
