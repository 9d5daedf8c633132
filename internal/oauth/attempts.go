package oauth

import (
	"hash/maphash"
	"net"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/forwarded"
)

// attempts limits wrong credentials per client id and source address.
type attempts struct {
	pace
	elapsed func() time.Duration
	max     int // how many pairs are remembered
	seed    maphash.Seed

	mu    sync.Mutex
	whole map[uint64]time.Duration // when the burst of a pair is whole again
}

func newAttempts(elapsed func() time.Duration) *attempts {
	return &attempts{
		pace: pace{interval: time.Second, burst: 1000}, elapsed: elapsed,
		max: 100_000, seed: maphash.MakeSeed(), whole: map[uint64]time.Duration{},
	}
}

// wrong counts wrong credentials. It returns how long the caller has to wait
// if there were too many, else 0.
func (a *attempts) wrong(clientID, remoteAddr string) (wait time.Duration) {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	// A hash of the pair takes no more room for a long client id. The seed is
	// random, so that nobody can aim at the bucket of somebody else.
	key := maphash.Comparable(a.seed, [2]string{clientID, forwarded.Network(host)})
	a.mu.Lock()
	defer a.mu.Unlock()
	whole, known := a.whole[key]
	if !known && len(a.whole) >= a.max {
		a.forgetOne()
	}
	a.whole[key], wait = a.take(whole, a.elapsed())
	return wait
}

// forgetOne makes room: of a few pairs, which Go picks at random, it forgets
// the one with the most attempts left. To look through all of them for every
// attempt would help an attacker.
func (a *attempts) forgetOne() {
	const few = 16
	var fullest uint64
	least, seen := never, 0
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

// sweep forgets the pairs that have their whole burst again.
func (a *attempts) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	for key, whole := range a.whole {
		if whole <= now {
			delete(a.whole, key)
		}
	}
}
