package collect_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/collect"
)

// TestRenew lets a method that was declined for good be charged again when it is another
// card, and not when the same is told twice.
func TestRenew(t *testing.T) {
	t.Parallel()
	march, june := "2027-03", "2027-06"
	for name, c := range map[string]struct {
		state   collect.MethodState
		last4   string
		expires *string
		again   bool
	}{
		"the same":           {collect.Active, "4242", &march, false},
		"valid for longer":   {collect.Active, "4242", &june, true},
		"no month any more":  {collect.Active, "4242", nil, true},
		"another number":     {collect.Active, "1881", &march, true},
		"removed, and again": {collect.Removed, "4242", &march, true},
	} {
		m := collect.Method{State: c.state, Brand: "visa", Last4: "4242", Expires: &march, RefusedAt: &noon}
		if again := m.Renew("visa", c.last4, c.expires); again != c.again || (m.RefusedAt == nil) != c.again || m.Last4 != c.last4 || m.Expires != c.expires {
			t.Errorf("%s: %v, %+v", name, again, m)
		}
	}
}

// TestVerdict says which attempts are about the payment method itself.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome collect.Outcome
		hard    bool
		want    collect.Verdict
	}{
		{collect.OutDeclined, true, collect.Refused}, {collect.OutFailed, true, collect.Refused}, {collect.OutSucceeded, true, collect.Refused},
		{collect.OutDeclined, false, collect.SaysNothing}, {collect.OutSucceeded, false, collect.Usable},
		{collect.OutFailed, false, collect.SaysNothing}, {collect.OutReversed, true, collect.SaysNothing}, {collect.OutPending, false, collect.SaysNothing}, {collect.OutUnknown, true, collect.SaysNothing},
	} {
		if got := (&collect.Attempt{Outcome: c.outcome, Hard: c.hard}).Verdict(); got != c.want {
			t.Errorf("%s, hard %v: %d, want %d", c.outcome, c.hard, got, c.want)
		}
	}
}

// TestRefuses keeps attempts from being sent with a method that was refused or removed
// after they began.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method collect.Method
		sent   bool
	}{
		"usable":                {collect.Method{State: collect.Active}, true},
		"renewed meanwhile":     {collect.Method{State: collect.Active, Revision: 1}, true},
		"refused meanwhile":     {collect.Method{State: collect.Active, RefusedAt: new(noon.Add(time.Second))}, false},
		"refused just then":     {collect.Method{State: collect.Active, RefusedAt: &noon}, false},
		"refused before, a try": {collect.Method{State: collect.Active, RefusedAt: new(noon.Add(-time.Second))}, true},
		"removed meanwhile":     {collect.Method{State: collect.Removed}, false},
	} {
		if why := c.method.Refuses(&collect.Attempt{StartedAt: noon}); (why == "") != c.sent {
			t.Errorf("%s: %q", name, why)
		}
	}
	refused := collect.Method{State: collect.Active, RefusedAt: &noon}
	for _, now := range []time.Time{noon.Add(-time.Second), noon, noon.Add(time.Second)} {
		try := new(collect.Collection).Begin(&refused, now)
		if why := refused.Refuses(&try); why != "" {
			t.Errorf("a try at %s: %q", now, why)
		}
	}
}

// TestLearns keeps what is learned late from counting for a method that was renewed since.
func TestLearns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome  collect.Outcome
		hard     bool
		revision int
		want     collect.Verdict
	}{
		{collect.OutDeclined, true, 0, collect.Refused}, {collect.OutDeclined, true, 1, collect.SaysNothing},
		{collect.OutSucceeded, false, 0, collect.Usable}, {collect.OutSucceeded, false, 1, collect.SaysNothing},
		{collect.OutDeclined, false, 0, collect.SaysNothing},
	} {
		m := collect.Method{Revision: c.revision}
		if got := m.Learns(&collect.Attempt{Outcome: c.outcome, Hard: c.hard}); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
