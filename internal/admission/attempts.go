package admission

import (
	"math"
	"sync"
	"time"
)

// Attempts limits how often something is attempted, such as signing in, by keys
// such as a user and an address. It remembers a limited number of keys. It is safe
// for concurrent use.
type Attempts[K comparable] struct {
	elapsed func() time.Duration
	most    int
	mu      sync.Mutex
	whole   map[K]time.Duration // when the whole burst of a key is available again
}

// Allowance is the pace of a key.
type Allowance[K comparable] struct {
	Key K
	Pace
}

// NewAttempts remembers as many keys as most. Time is measured by elapsed, which
// setting the clock does not change.
func NewAttempts[K comparable](elapsed func() time.Duration, most int) *Attempts[K] {
	return &Attempts[K]{elapsed: elapsed, most: most, whole: map[K]time.Duration{}}
}

// Take counts an attempt for all of the allowances. If one of them is used up, it
// counts for none and returns how long to wait, else 0.
func (a *Attempts[K]) Take(all ...Allowance[K]) (wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	for _, one := range all {
		wait = max(wait, one.wait(a.whole[one.Key], now))
	}
	if wait > 0 {
		return wait
	}
	for _, one := range all {
		whole, known := a.whole[one.Key]
		if !known && len(a.whole) >= a.most {
			a.forgetOne()
		}
		a.whole[one.Key] = one.next(whole, now)
	}
	return 0
}

// Return takes one attempt back.
func (a *Attempts[K]) Return(one Allowance[K]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.whole[one.Key] > 0 {
		a.whole[one.Key] -= one.Interval
	}
}

// Forget takes all attempts of a key back.
func (a *Attempts[K]) Forget(key K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.whole, key)
}

// forgetOne makes room: of a few keys, which Go picks at random, it forgets the
// one with the most attempts left. To look through all of them for every attempt
// would help an attacker.
func (a *Attempts[K]) forgetOne() {
	const few = 16
	var fullest K
	least, seen := time.Duration(math.MaxInt64), 0
	for key, whole := range a.whole {
		if whole < least {
			fullest, least = key, whole
		}
		if seen++; seen == few {
			break
		}
	}
	delete(a.whole, fullest)
}

// Sweep forgets the keys that have their whole burst again.
func (a *Attempts[K]) Sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	for key, whole := range a.whole {
		if whole <= now {
			delete(a.whole, key)
		}
	}
}

// Len is how many keys are remembered.
func (a *Attempts[K]) Len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.whole)
}
