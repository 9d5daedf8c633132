package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/service/access"
)

// TestPlaceOfAProxy: a request that only a proxy is known of is nobody's.
func TestPlaceOfAProxy(t *testing.T) {
	c := &Console{proxies: forwarded.Trust{netip.MustParsePrefix("10.0.0.0/8")}}
	for address, shared := range map[string]bool{"10.0.0.1": true, "192.0.2.1": false} {
		r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
		r.RemoteAddr = address
		if at := (&call{Console: c, r: r}).source(); at.Network != address || at.Shared != shared {
			t.Errorf("the place of %s is %+v", address, at)
		}
	}
}

func TestThrottle(t *testing.T) {
	now := time.Duration(0)
	th := newThrottle(func() time.Duration { return now })
	from := func(email, network string) budget { return budgetOf(email, access.SignInSource{Network: network}) }
	take := func(email, network string) time.Duration { return th.Take(from(email, network)...) }
	for range pairPace.Burst {
		if wait := take("ann", "192.0.2.1"); wait != 0 {
			t.Fatalf("wait %v", wait)
		}
	}
	if wait := take("ann", "192.0.2.1"); wait != pairPace.Interval {
		t.Errorf("too many have to wait %v", wait)
	}
	if take("ann", "192.0.2.2") != 0 || take("bob", "192.0.2.1") != 0 {
		t.Error("others have to wait")
	}
	now += pairPace.Interval
	if take("ann", "192.0.2.1") != 0 || take("ann", "192.0.2.1") == 0 {
		t.Error("there is not one more after the interval")
	}
	th.forgive(from("ann", "192.0.2.1"))
	if take("ann", "192.0.2.1") != 0 {
		t.Error("nothing was forgiven")
	}
	for i := range maxAttempts + 1000 {
		take(fmt.Sprint(i), fmt.Sprintf("host %d", i))
	}
	if n := th.Len(); n > maxAttempts {
		t.Errorf("%d are remembered", n)
	}
}

// TestThrottleOfMany has many addresses guess the password of one user: they
// get slow, and the places that the user knows have their budgets whole.
func TestThrottleOfMany(t *testing.T) {
	th := newThrottle(func() time.Duration { return 0 })
	passed := 0
	for i := range 1000 {
		if th.Take(budgetOf("ann", access.SignInSource{Network: fmt.Sprint(i)})...) == 0 {
			passed++
		}
	}
	if passed != userPace.Burst {
		t.Errorf("%d guesses at once, want %d", passed, userPace.Burst)
	}
	for known, burst := range map[access.Acquaintance]int{access.KnownNetwork: networkPace.Burst, access.KnownDevice: devicePace.Burst} {
		for i := range burst + 1 {
			wait := th.Take(budgetOf("ann", access.SignInSource{Network: "7", Device: "own", Known: known})...)
			if (wait > 0) != (i == burst) {
				t.Errorf("attempt %d from a place of kind %d has to wait %v", i+1, known, wait)
			}
		}
	}
	if th.Take(ownBudget("ann")...) != 0 {
		t.Error("who is signed in has to wait for others")
	}
}
