package subscription

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// inState makes a subscription that is in a state on 2026-03-10.
func inState(t *testing.T, state State) *story {
	t.Helper()
	var y *story
	switch state {
	case StatePending:
		y = newStory(t, "2026-03-01", monthlyID, Draft{StartDate: at(d("2026-04-01")), Evergreen: true})
	case StateTrial:
		y = newStory(t, "2026-03-01", monthlyID, Draft{Trial: true, Evergreen: true})
	case StateActive:
		y = newStory(t, "2026-03-01", monthlyID, Draft{Evergreen: true})
	case StateCanceled:
		y = newStory(t, "2026-03-01", monthlyID, Draft{Evergreen: true}).do(cancel("2026-03-05"))
	case StateExpired:
		y = newStory(t, "2026-02-01", monthlyID, Draft{})
	case StateTrialExpired:
		y = newStory(t, "2026-02-01", monthlyID, Draft{Trial: true, TrialExpirationAction: new(catalog.TrialCancel)})
	}
	y.until("2026-03-10")
	if y.s.State != state {
		t.Fatalf("is %s, want %s", y.s.State, state)
	}
	y.log = nil
	return y
}

var allStates = []State{StatePending, StateTrial, StateActive, StateCanceled, StateExpired, StateTrialExpired}

func TestStateWords(t *testing.T) {
	for _, c := range []struct {
		state       State
		wire        string
		live, ended bool
	}{
		{StatePending, "pending", false, false},
		{StateTrial, "trial", true, false},
		{StateActive, "active", true, false},
		{StateCanceled, "canceled", false, true},
		{StateExpired, "expired", false, true},
		{StateTrialExpired, "trial_expired", false, true},
	} {
		if c.state.Wire() != c.wire || c.state.Live() != c.live || c.state.Ended() != c.ended {
			t.Errorf("%s: %s, live %t, ended %t", c.state, c.state.Wire(), c.state.Live(), c.state.Ended())
		}
	}
}

func TestStateTable(t *testing.T) {
	evergreen := Draft{Evergreen: true}
	trial := Draft{Trial: true, Evergreen: true}
	for _, c := range []struct {
		name  string
		draft Draft
		run   func(*story)
		want  []string
	}{
		{"new, starts later", Draft{StartDate: at(d("2026-03-02"))}, func(*story) {}, []string{
			"2026-03-01 subscription.created >PENDING",
		}},
		{"new, trial starts later", Draft{Trial: true, TrialStartDate: at(d("2026-03-02"))}, func(*story) {}, []string{
			"2026-03-01 subscription.created >PENDING",
		}},
		{"new, trial", trial, func(*story) {}, []string{"2026-03-01 subscription.created >TRIAL"}},
		{"new", evergreen, func(*story) {}, []string{"2026-03-01 subscription.created >ACTIVE"}},
		{"start arrives", Draft{StartDate: at(d("2026-03-02"))}, func(y *story) { y.until("2026-03-02") }, []string{
			"2026-03-01 subscription.created >PENDING",
			"2026-03-02 state.changed PENDING>ACTIVE",
		}},
		{"trial start arrives", Draft{Trial: true, TrialStartDate: at(d("2026-03-02"))}, func(y *story) { y.until("2026-03-02") }, []string{
			"2026-03-01 subscription.created >PENDING",
			"2026-03-02 state.changed PENDING>TRIAL",
		}},
		{"trial is converted", trial, func(y *story) { y.until("2026-03-05").do(convert) }, []string{
			"2026-03-01 subscription.created >TRIAL",
			"2026-03-05 state.changed TRIAL>ACTIVE",
		}},
		{"trial ends, activates", trial, func(y *story) { y.until("2026-03-15") }, []string{
			"2026-03-01 subscription.created >TRIAL",
			"2026-03-15 state.changed TRIAL>ACTIVE",
		}},
		{"trial ends, cancels", Draft{Trial: true, TrialExpirationAction: new(catalog.TrialCancel)}, func(y *story) { y.until("2027-01-01") }, []string{
			"2026-03-01 subscription.created >TRIAL",
			"2026-03-15 state.changed TRIAL>TRIAL_EXPIRED",
		}},
		{"term ends, evergreen", evergreen, func(y *story) { y.until("2026-05-01") }, []string{
			"2026-03-01 subscription.created >ACTIVE",
			"2026-04-01 subscription.renewed ACTIVE>ACTIVE",
			"2026-05-01 subscription.renewed ACTIVE>ACTIVE",
		}},
		{"term ends, not evergreen", Draft{}, func(y *story) { y.until("2027-01-01") }, []string{
			"2026-03-01 subscription.created >ACTIVE",
			"2026-04-01 state.changed ACTIVE>EXPIRED",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-03-01", monthlyID, c.draft)
			c.run(y)
			y.happened(c.want...)
		})
	}
}

func TestCancelFromEveryOpenState(t *testing.T) {
	for _, c := range []struct {
		state            State
		at, atEnd, until string
	}{
		{StatePending, "2026-03-20", "2026-05-01", "2026-05-01"},
		{StateTrial, "2026-03-12", "2026-03-15", "2026-03-15"},
		{StateActive, "2026-03-20", "2026-04-01", "2026-04-01"},
	} {
		t.Run(string(c.state), func(t *testing.T) {
			inState(t, c.state).do(cancel("2026-03-10")).
				happened("2026-03-10 state.changed " + string(c.state) + ">CANCELED").
				until("2027-01-01").happened()
			inState(t, c.state).do(cancel(c.at)).
				happened("2026-03-10 cancellation.scheduled " + string(c.state) + ">" + string(c.state)).
				until("2027-01-01").
				happened(c.at + " state.changed " + string(c.state) + ">CANCELED")
			y := inState(t, c.state).do(cancel(""))
			if *y.s.CancellationDate != d(c.atEnd) {
				t.Errorf("at the end of the term is %s, want %s", *y.s.CancellationDate, c.atEnd)
			}
			y.until("2027-01-01")
			if last := y.log[len(y.log)-1]; !strings.HasPrefix(last, c.until+" state.changed ") || !strings.HasSuffix(last, ">CANCELED") {
				t.Errorf("ended with %s", last)
			}
		})
	}
}

func TestReinstateFromEveryEndedState(t *testing.T) {
	for _, state := range []State{StateCanceled, StateExpired, StateTrialExpired} {
		inState(t, state).do(reinstate("")).happened("2026-03-10 state.changed " + string(state) + ">ACTIVE")
	}
}

// refusable are all actions, with how a refusal names each, and the states that
// allow it.
var refusable = []struct {
	name    string
	act     action
	names   string
	allowed []State
}{
	{"cancel", cancel("2026-03-10"), "canceled", []State{StatePending, StateTrial, StateActive}},
	{"reinstate", reinstate(""), "reinstated", []State{StateCanceled, StateExpired, StateTrialExpired}},
	{"quantities", quantities("", order("seats", 5)), "quantity", []State{StatePending, StateTrial, StateActive}},
	{"plan now", changePlan(annualID, PlanUpdate{Quantities: []QuantityOrder{order("licences", 5)}}), "another plan", []State{StatePending, StateTrial, StateActive}},
	{"plan later", changePlan(annualID, PlanUpdate{AtTermEnd: true, Quantities: []QuantityOrder{order("licences", 5)}}), "another plan", []State{StatePending, StateTrial, StateActive}},
	{"auto renew", autoRenew(false), "renew", []State{StatePending, StateTrial, StateActive}},
	{"extend", extend("2026-03-30"), "extended", []State{StateTrial}},
	{"convert", convert, "converted", []State{StateTrial}},
	{"update", update(Update{RenewalTermMonths: new(3)}), "changed", []State{StatePending, StateTrial, StateActive}},
	{"move", func(s Subscription, _ billing.Date) (Subscription, Change, error) { return s.MoveTo(9) }, "another tenant", []State{StatePending, StateTrial, StateActive}},
}

func TestEveryOtherMoveIsRefused(t *testing.T) {
	for _, c := range refusable {
		for _, state := range allStates {
			t.Run(c.name+" "+string(state), func(t *testing.T) {
				y := inState(t, state)
				before := y.s
				y.do(c.act)
				for _, allowed := range c.allowed {
					if state == allowed {
						if y.err != nil || !y.change.Happened() {
							t.Fatalf("not done: %v", y.err)
						}
						return
					}
				}
				y.happened("2026-03-10 NOT_ALLOWED").said(c.names).said("Subscription 7 is " + strings.ReplaceAll(state.Wire(), "_", " ") + " ")
				if !reflect.DeepEqual(y.s, before) || y.change.Happened() {
					t.Error("a refused action changed something")
				}
			})
		}
	}
}

func TestReinstateWantsACancellation(t *testing.T) {
	inState(t, StateActive).do(reinstate("")).said("Subscription 7 is active and cannot be reinstated")
}

func TestMoveToAnotherTenant(t *testing.T) {
	y := inState(t, StateActive)
	move := func(s Subscription, _ billing.Date) (Subscription, Change, error) { return s.MoveTo(9) }
	y.do(move).do(move).happened("2026-03-10 tenant.changed ACTIVE>ACTIVE", "2026-03-10 nothing")
	if *y.s.TenantID != 9 {
		t.Errorf("carries %d", *y.s.TenantID)
	}
}
