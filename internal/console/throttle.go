package console

import (
	"net"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/service/access"
)

// Attempts to sign in: a few at once, then one now and then. Attempts of
// strangers are counted for their address and the user, for their address alone,
// and for the user alone, so that neither one address nor many can guess at
// speed. A browser or an address from which the user has signed in before has a
// budget of its own, which no stranger can spend.
var (
	pairPace    = admission.Pace{Burst: 5, Interval: 30 * time.Second}
	addressPace = admission.Pace{Burst: 100, Interval: 2 * time.Second}
	userPace    = admission.Pace{Burst: 20, Interval: time.Minute}
	networkPace = admission.Pace{Burst: 20, Interval: 5 * time.Second}
	devicePace  = admission.Pace{Burst: 10, Interval: 10 * time.Second}
)

const maxAttempts = 100_000 // how many are remembered

// throttle limits attempts to sign in. An attempt is counted before the
// password is looked at, so that many at once are not free.
type throttle struct{ *admission.Attempts[attempt] }

// attempt is who tries from where; an empty email means anybody, an empty source
// anywhere.
type attempt struct{ email, source string }

// budget is what an attempt is counted for: all of it must be there.
type budget []admission.Allowance[attempt]

// budgetOf is what attempts for a user from a source are counted for.
func budgetOf(email string, at access.SignInSource) budget {
	switch at.Known {
	case access.KnownDevice:
		return budget{{Key: attempt{email, "device " + at.Device}, Pace: devicePace}}
	case access.KnownNetwork:
		return budget{{Key: attempt{email, "known " + at.Network}, Pace: networkPace}}
	}
	return budget{
		{Key: attempt{email, at.Network}, Pace: pairPace},
		{Key: attempt{"", at.Network}, Pace: addressPace},
		{Key: attempt{email, ""}, Pace: userPace},
	}
}

// ownBudget is for a user who is signed in and is asked for the password again.
func ownBudget(email string) budget {
	return budget{{Key: attempt{email, "signed in"}, Pace: pairPace}}
}

func newThrottle(elapsed func() time.Duration) throttle {
	return throttle{admission.NewAttempts[attempt](elapsed, maxAttempts)}
}

// forgive forgets the attempts of somebody who knew the password in the end.
// What others share is given back once only.
func (t throttle) forgive(b budget) {
	for _, one := range b {
		if one.Key.email != "" && one.Key.source != "" {
			t.Forget(one.Key)
		} else {
			t.Return(one)
		}
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
