package console

import (
	"net"
	"sync"
	"time"
)

// Attempts to sign in: a few at once, then one now and then. Those of one
// address for one user are few; those of one address for all users are more,
// because behind a proxy many people can have the same.
var (
	pairPace    = pace{burst: 5, interval: 30 * time.Second}
	addressPace = pace{burst: 100, interval: 2 * time.Second}
)

const maxAttempts = 100_000 // how many are remembered

type pace struct {
	burst    int
	interval time.Duration
}

// throttle limits attempts to sign in. An attempt is counted before the
// password is looked at, so that many at once are not free.
type throttle struct {
	elapsed func() time.Duration
	mu      sync.Mutex
	whole   map[attempt]time.Duration // when the whole burst is there again
}

// attempt is who tries from where; an empty email means anybody.
type attempt struct{ email, host string }

func newThrottle(elapsed func() time.Duration) *throttle {
	return &throttle{elapsed: elapsed, whole: map[attempt]time.Duration{}}
}

// take counts an attempt. It returns how long to wait if there were too many,
// else 0.
func (t *throttle) take(email, remoteAddr string) (wait time.Duration) {
	host := hostOf(remoteAddr)
	pair, all := attempt{email, host}, attempt{"", host}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.elapsed()
	if wait = max(pairPace.wait(t.whole[pair], now), addressPace.wait(t.whole[all], now)); wait > 0 {
		return wait
	}
	t.makeRoom(now)
	t.whole[pair] = max(t.whole[pair], now) + pairPace.interval
	t.whole[all] = max(t.whole[all], now) + addressPace.interval
	return 0
}

// forgive forgets the attempts of somebody who knew the password in the end.
func (t *throttle) forgive(email, remoteAddr string) {
	host := hostOf(remoteAddr)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.whole, attempt{email, host})
	if all := (attempt{"", host}); t.whole[all] > 0 {
		t.whole[all] -= addressPace.interval
	}
}

func (p pace) wait(whole, now time.Duration) time.Duration {
	return max(whole, now) + p.interval - now - time.Duration(p.burst)*p.interval
}

// makeRoom forgets attempts when there are too many: those that no longer
// count, and others until a tenth is free, so that it is seldom done. To look
// through all of them for every attempt would help an attacker.
func (t *throttle) makeRoom(now time.Duration) {
	if len(t.whole) < maxAttempts {
		return
	}
	for key, whole := range t.whole {
		if whole <= now {
			delete(t.whole, key)
		}
	}
	for key := range t.whole {
		if len(t.whole) < maxAttempts*9/10 {
			return
		}
		delete(t.whole, key)
	}
}

func hostOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		return remoteAddr
	}
	return host
}
