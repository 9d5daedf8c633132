package console

import (
	"net"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/service/access"
)

// Attempts to sign in: a few at once, then one now and then. Attempts of
// strangers are counted for their address and the user, for their address alone,
// and for the user alone, so that neither one address nor many can guess at
// speed. A browser or an address from which the user has signed in before has a
// budget of its own, which no stranger can spend.
var (
	pairPace    = pace{burst: 5, interval: 30 * time.Second}
	addressPace = pace{burst: 100, interval: 2 * time.Second}
	userPace    = pace{burst: 20, interval: time.Minute}
	networkPace = pace{burst: 20, interval: 5 * time.Second}
	devicePace  = pace{burst: 10, interval: 10 * time.Second}
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

// attempt is who tries from where; an empty email means anybody, an empty source
// anywhere.
type attempt struct{ email, source string }

// share is a part of a budget.
type share struct {
	attempt
	pace
}

// budget is what an attempt is counted for: all of it must be there.
type budget []share

// budgetOf is what attempts for a user from a source are counted for.
func budgetOf(email string, at access.SignInSource) budget {
	switch at.Known {
	case access.KnownDevice:
		return budget{{attempt{email, "device " + at.Device}, devicePace}}
	case access.KnownNetwork:
		return budget{{attempt{email, "known " + at.Network}, networkPace}}
	}
	return budget{
		{attempt{email, at.Network}, pairPace},
		{attempt{"", at.Network}, addressPace},
		{attempt{email, ""}, userPace},
	}
}

// ownBudget is for a user who is signed in and is asked for the password again.
func ownBudget(email string) budget { return budget{{attempt{email, "signed in"}, pairPace}} }

func newThrottle(elapsed func() time.Duration) *throttle {
	return &throttle{elapsed: elapsed, whole: map[attempt]time.Duration{}}
}

// take counts an attempt. It returns how long to wait if there were too many,
// else 0.
func (t *throttle) take(b budget) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.elapsed()
	for _, s := range b {
		wait = max(wait, s.wait(t.whole[s.attempt], now))
	}
	if wait > 0 {
		return wait
	}
	t.makeRoom(now)
	for _, s := range b {
		t.whole[s.attempt] = max(t.whole[s.attempt], now) + s.interval
	}
	return 0
}

// forgive forgets the attempts of somebody who knew the password in the end.
// What others share is given back once only.
func (t *throttle) forgive(b budget) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range b {
		if s.email != "" && s.source != "" {
			delete(t.whole, s.attempt)
		} else if t.whole[s.attempt] > 0 {
			t.whole[s.attempt] -= s.interval
		}
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

// source is where a request comes from.
func (c *call) source() access.SignInSource {
	client := hostOf(c.r.RemoteAddr)
	at := access.SignInSource{Network: forwarded.Network(client), Shared: c.proxies.Has(client)}
	if cookie, err := c.r.Cookie(c.deviceCookie()); err == nil && len(cookie.Value) <= 100 {
		at.Device = cookie.Value
	}
	return at
}

func (c *Console) deviceCookie() string {
	if c.secure {
		return "__Host-tenantry-device"
	}
	return "tenantry_device"
}
