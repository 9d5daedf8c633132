package admission

import (
	"sync"
	"time"
)

// Pace lets something happen Burst times at once and then once per Interval. All
// there is to remember is when the whole burst is available again.
type Pace struct {
	Interval time.Duration
	Burst    int
}

// wait is how long to wait until it may happen once more.
func (p Pace) wait(whole, now time.Duration) time.Duration {
	return max(0, p.next(whole, now)-now-time.Duration(p.Burst)*p.Interval)
}

// next is when the whole burst is available again after it has happened now.
func (p Pace) next(whole, now time.Duration) time.Duration { return max(whole, now) + p.Interval }

// Bucket is one pace for everybody. It is safe for concurrent use.
type Bucket struct {
	Pace
	mu    sync.Mutex
	whole time.Duration
}

// Take returns how long to wait, 0 if one was taken.
func (b *Bucket) Take(now time.Duration) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait = b.wait(b.whole, now); wait == 0 {
		b.whole = b.next(b.whole, now)
	}
	return wait
}
