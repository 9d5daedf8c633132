package subscription

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func endOn(day string) action   { return update(Update{EndDate: at(d(day))}) }
func startOn(day string) action { return update(Update{StartDate: at(d(day))}) }

func TestAutoRenew(t *testing.T) {
	fiveSeats(t).do(autoRenew(true)).do(autoRenew(false)).do(update(Update{Evergreen: new(true)})).do(autoRenew(false)).until("2026-02-01").
		happened(
			"2026-01-01 nothing",
			"2026-01-01 autorenew.changed ACTIVE>ACTIVE",
			"2026-01-01 autorenew.changed ACTIVE>ACTIVE",
			"2026-01-01 autorenew.changed ACTIVE>ACTIVE",
			"2026-02-01 state.changed ACTIVE>EXPIRED",
		)
}

func TestUpdateThatChangesNothing(t *testing.T) {
	y := inTrial(t)
	before := y.s
	y.until("2026-01-05").do(update(Update{})).do(update(Update{
		Evergreen: new(true), RenewalTermMonths: new(1), StartDate: at(d("2026-01-15")), EndDate: at(d("2026-02-14")), TrialExpirationAction: new(catalog.TrialActivate),
	})).happened("2026-01-05 nothing", "2026-01-05 nothing")
	if !reflect.DeepEqual(y.s, before) {
		t.Error("something changed")
	}
}

func TestUpdateSaysWhatChanged(t *testing.T) {
	y := inTrial(t).do(update(Update{
		Evergreen: new(false), RenewalTermMonths: new(6), EndDate: at(d("2026-03-31")), TrialExpirationAction: new(catalog.TrialCancel),
	})).happened("2026-01-01 subscription.updated TRIAL>TRIAL").is("TRIAL 2026-01-15..2026-03-31 trial 2026-01-01..2026-01-14")
	want := map[string]any{"evergreen": false, "renewalTermMonths": 6, "endDate": "2026-03-31", "trialExpirationAction": catalog.TrialCancel}
	if !reflect.DeepEqual(y.change.Detail, want) {
		t.Errorf("said %v", y.change.Detail)
	}
	y.until("2026-01-15").happened("2026-01-15 state.changed TRIAL>TRIAL_EXPIRED")
}

// The length is that of terms that have not begun.
func TestUpdateTermLength(t *testing.T) {
	length := func(n int) action { return update(Update{RenewalTermMonths: &n}) }
	fiveSeats(t).do(length(3)).is("ACTIVE 2026-01-01..2026-01-31").until("2026-02-01").is("ACTIVE 2026-02-01..2026-04-30 paid from 2026-01-01")
	inTrial(t).do(length(3)).is("TRIAL 2026-01-15..2026-04-14 trial 2026-01-01..2026-01-14").has("seats", "5 2026-01-01..2026-04-14").
		until("2026-01-10").do(convert).is("ACTIVE 2026-01-10..2026-04-09 trial 2026-01-01..2026-01-09")
	inTrial(t, ownEnd("2026-03-31")).do(length(3)).is("TRIAL 2026-01-15..2026-03-31 trial 2026-01-01..2026-01-14")
}

func TestMoveEnd(t *testing.T) {
	fiveSeats(t).do(endOn("2026-03-15")).happened("2026-01-01 subscription.updated ACTIVE>ACTIVE").
		is("ACTIVE 2026-01-01..2026-03-15").has("seats", "5 2026-01-01..2026-03-15").
		until("2026-03-16").is("ACTIVE 2026-03-16..2026-04-15 paid from 2026-01-01")
	fiveSeats(t).until("2026-01-20").do(endOn("2026-01-20")).until("2026-01-21").
		happened("2026-01-20 subscription.updated ACTIVE>ACTIVE", "2026-01-21 subscription.renewed ACTIVE>ACTIVE").
		has("seats", "5 2026-01-01..2026-02-20")
}

// An end moved away and back does not cost the anchor.
func TestMoveEndAndBack(t *testing.T) {
	newStory(t, "2026-01-31", monthlyID, Draft{Evergreen: true}).
		do(endOn("2026-03-15")).do(endOn("2026-02-27")).until("2026-04-01").is("ACTIVE 2026-03-31..2026-04-29 paid from 2026-01-31")
}

func TestMoveEndAndSchedules(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []action
		end    string
		want   string
	}{
		{"a cancellation at the end follows to a later one", []action{cancel("")}, "2026-02-10", "ACTIVE 2026-01-01..2026-02-10 canceled 2026-02-11"},
		{"a cancellation at the end follows to an earlier one", []action{cancel("")}, "2026-01-20", "ACTIVE 2026-01-01..2026-01-20 canceled 2026-01-21"},
		{"one within the term stays", []action{cancel("2026-01-15")}, "2026-01-20", "ACTIVE 2026-01-01..2026-01-20 canceled 2026-01-15"},
		{"one within the term stays for a later end", []action{cancel("2026-01-15")}, "2026-02-10", "ACTIVE 2026-01-01..2026-02-10 canceled 2026-01-15"},
		{"one that would be later comes at the end", []action{cancel("2026-01-25")}, "2026-01-20", "ACTIVE 2026-01-01..2026-01-20 canceled 2026-01-21"},
		{"a plan follows to a later end", []action{plan(annualID, true)}, "2026-02-10", "ACTIVE 2026-01-01..2026-02-10 list 20 on 2026-02-11"},
		{"a plan follows to an earlier end", []action{plan(annualID, true)}, "2026-01-20", "ACTIVE 2026-01-01..2026-01-20 list 20 on 2026-01-21"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := fiveSeats(t)
			for _, act := range c.before {
				y.do(act)
			}
			y.do(endOn(c.end)).is(c.want)
		})
	}
	inTrial(t).do(cancel("2026-02-15")).do(endOn("2026-03-31")).
		is("TRIAL 2026-01-15..2026-03-31 trial 2026-01-01..2026-01-14 canceled 2026-02-15")
	inTrial(t).do(plan(annualID, true)).do(cancel("")).do(endOn("2026-03-31")).
		is("TRIAL 2026-01-15..2026-03-31 trial 2026-01-01..2026-01-14 canceled 2026-01-15 list 20 on 2026-01-15")
	inTrial(t).do(cancel("2026-02-10")).do(endOn("2026-01-31")).
		is("TRIAL 2026-01-15..2026-01-31 trial 2026-01-01..2026-01-14 canceled 2026-02-01")
}

func TestMoveStart(t *testing.T) {
	pending := func(how ...func(*Draft)) *story {
		draft := Draft{StartDate: at(d("2026-02-01")), Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}
		for _, change := range how {
			change(&draft)
		}
		return newStory(t, "2026-01-10", monthlyID, draft)
	}
	scheduled := func() *story { return pending().do(quantities("2026-02-10", order("seats", 8))) }
	scheduled().do(startOn("2026-02-05")).is("PENDING 2026-02-05..2026-03-04").
		has("seats", "5 2026-02-05..2026-02-09", "8 2026-02-10..2026-03-04").has("setup", "- 2026-02-05..2026-02-05")
	scheduled().do(startOn("2026-02-10")).said("on the first day or before it")
	scheduled().do(startOn("2026-04-01")).said("on the first day or before it")
	scheduled().do(startOn("2026-01-20")).is("PENDING 2026-01-20..2026-02-19").
		has("seats", "5 2026-01-20..2026-02-09", "8 2026-02-10..2026-02-19")
	scheduled().do(startOn("2026-01-10")).is("PENDING 2026-01-10..2026-02-09").
		has("seats", "5 2026-01-10..2026-02-09", "8 2026-02-10..2026-02-10").
		until("2026-02-10").is("ACTIVE 2026-02-10..2026-03-09 paid from 2026-01-10").
		has("seats", "5 2026-01-10..2026-02-09", "8 2026-02-10..2026-03-09")
	newStory(t, "2026-01-10", monthlyID, Draft{StartDate: at(d("2026-06-01"))}).do(startOn("2026-02-05")).
		has("base", "- 2026-02-05..2026-03-04").has("setup", "- 2026-02-05..2026-02-05")
	pending().do(cancel("")).do(startOn("2026-03-15")).is("PENDING 2026-03-15..2026-04-14 canceled 2026-04-15")
	pending(ownEnd("2026-06-30")).do(startOn("2026-03-15")).is("PENDING 2026-03-15..2026-06-30")
	pending(ownEnd("2026-02-10")).do(update(Update{StartDate: at(d("2026-03-15")), EndDate: at(d("2026-03-31"))})).
		is("PENDING 2026-03-15..2026-03-31").has("seats", "5 2026-03-15..2026-03-31")
	pending(ownEnd("2026-02-10")).do(update(Update{StartDate: at(d("2026-02-05")), EndDate: at(d("2026-03-04"))})).
		is("PENDING 2026-02-05..2026-03-04").has("seats", "5 2026-02-05..2026-03-04")
}

// Of a pending subscription with a trial, the trial ends where the paid term
// is moved to.
func TestMoveStartBehindATrial(t *testing.T) {
	y := newStory(t, "2026-01-10", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-02-01"))})
	y.log = nil
	y.do(startOn("2026-02-10")).is("PENDING 2026-02-10..2026-03-09 trial 2026-02-01..2026-02-09").has("base", "- 2026-02-01..2026-03-09").
		do(startOn("2026-02-02")).is("PENDING 2026-02-02..2026-03-01 trial 2026-02-01..2026-02-01")
	y.log = nil
	y.do(startOn("2026-02-01")).happened("2026-01-10 INVALID startDate").said("after the trial").
		do(startOn("2036-02-01")).happened("2026-01-10 INVALID startDate").said("at most 3650 days")
}

func TestUpdateRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		u     Update
		want  []string
		part  string
	}{
		{"no months", StateActive, Update{RenewalTermMonths: new(0)}, []string{"INVALID renewalTermMonths"}, "1 to 120"},
		{"too many months", StateActive, Update{RenewalTermMonths: new(121)}, []string{"INVALID renewalTermMonths"}, "1 to 120"},
		{"ended yesterday", StateActive, Update{EndDate: at(d("2026-03-09"))}, []string{"INVALID endDate"}, "2026-03-10 or later"},
		{"end before the start", StatePending, Update{EndDate: at(d("2026-03-31"))}, []string{"INVALID endDate"}, "2026-04-01 or later"},
		{"end in the trial", StateTrial, Update{EndDate: at(d("2026-03-14"))}, []string{"INVALID endDate"}, "2026-03-15 or later"},
		{"end of time", StateActive, Update{EndDate: at(d("9999-01-01"))}, []string{"INVALID endDate"}, "before the year 9999"},
		{"start of an active one", StateActive, Update{StartDate: at(d("2026-03-20"))}, []string{"NOT_ALLOWED startDate"}, "is active and cannot be started on another day"},
		{"start of a trial", StateTrial, Update{StartDate: at(d("2026-03-20"))}, []string{"NOT_ALLOWED startDate"}, "is trial and"},
		{"start yesterday", StatePending, Update{StartDate: at(d("2026-03-09"))}, []string{"INVALID startDate"}, "today (2026-03-10) or later"},
		{"start at the end of time", StatePending, Update{StartDate: at(d("9999-01-01"))}, []string{"INVALID startDate"}, "before the year 9999"},
		{"start after the end", StatePending, Update{StartDate: at(d("2026-03-20")), EndDate: at(d("2026-03-19"))}, []string{"INVALID endDate"}, "2026-03-20 or later"},
		{"no trial", StateActive, Update{TrialExpirationAction: new(catalog.TrialCancel)}, []string{"NOT_ALLOWED trialExpirationAction"}, "is active and cannot be changed in what its trial ends with"},
		{"several", StateActive, Update{RenewalTermMonths: new(0), StartDate: at(d("2026-03-20")), TrialExpirationAction: new(catalog.TrialCancel)}, []string{"NOT_ALLOWED trialExpirationAction", "INVALID renewalTermMonths", "NOT_ALLOWED startDate"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := inState(t, c.state)
			before := y.s
			for i := range c.want {
				c.want[i] = "2026-03-10 " + c.want[i]
			}
			y.do(update(c.u)).happened(c.want...).said(c.part)
			if !reflect.DeepEqual(y.s, before) {
				t.Error("something changed")
			}
		})
	}
	newStory(t, "2026-01-10", monthlyID, Draft{StartDate: at(d("2026-02-01")), EndDate: at(d("2026-02-10"))}).
		do(startOn("2026-02-11")).said("The start (2026-02-11) is after the end (2026-02-10)")
	newStory(t, "2026-01-10", monthlyID, Draft{StartDate: at(d("9996-02-01"))}).
		do(update(Update{RenewalTermMonths: new(120)})).said("before the year 9999")
}
