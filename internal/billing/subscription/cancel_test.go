package subscription

import "testing"

func TestCancellationDates(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		on    string
		want  string
	}{
		{"yesterday", StateActive, "2026-03-09", "INVALID cancellationDate"},
		{"today", StateActive, "2026-03-10", "state.changed ACTIVE>CANCELED"},
		{"tomorrow", StateActive, "2026-03-11", "cancellation.scheduled ACTIVE>ACTIVE"},
		{"the last day", StateActive, "2026-03-31", "cancellation.scheduled ACTIVE>ACTIVE"},
		{"the day after", StateActive, "2026-04-01", "cancellation.scheduled ACTIVE>ACTIVE"},
		{"later", StateActive, "2026-04-02", "INVALID cancellationDate"},
		{"in the paid term of a trial", StateTrial, "2026-04-15", "cancellation.scheduled TRIAL>TRIAL"},
		{"after the paid term of a trial", StateTrial, "2026-04-16", "INVALID cancellationDate"},
		{"before it begins", StatePending, "2026-03-20", "cancellation.scheduled PENDING>PENDING"},
		{"after the term of a pending one", StatePending, "2026-05-02", "INVALID cancellationDate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inState(t, c.state).do(cancel(c.on)).happened("2026-03-10 " + c.want)
		})
	}
	inState(t, StateActive).do(cancel("2026-04-02")).said("from today (2026-03-10) to the day after the term (2026-04-01), not 2026-04-02")
}

func TestCancelAgain(t *testing.T) {
	inState(t, StateActive).
		do(cancel("2026-03-20")).do(cancel("2026-03-20")).do(cancel("2026-03-25")).do(cancel("2026-03-10")).do(cancel("2026-03-10")).
		happened(
			"2026-03-10 cancellation.scheduled ACTIVE>ACTIVE",
			"2026-03-10 nothing",
			"2026-03-10 cancellation.scheduled ACTIVE>ACTIVE",
			"2026-03-10 state.changed ACTIVE>CANCELED",
			"2026-03-10 NOT_ALLOWED",
		)
}

func TestCancelEndsLines(t *testing.T) {
	draft := Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}
	newStory(t, "2026-01-01", monthlyID, draft).
		do(quantities("2026-01-10", order("seats", 8))).do(quantities("2026-01-25", order("seats", 9))).
		do(cancel("2026-01-20")).until("2026-01-20").
		has("seats", "5 2026-01-01..2026-01-09", "8 2026-01-10..2026-01-19").
		has("base", "- 2026-01-01..2026-01-19").has("setup", "- 2026-01-01..2026-01-01")
	newStory(t, "2026-01-01", monthlyID, draft).do(cancel("2026-01-01")).
		has("seats", "5 2026-01-01..2025-12-31").has("setup", "- 2026-01-01..2025-12-31")
	draft.StartDate = at(d("2026-06-01"))
	newStory(t, "2026-01-01", monthlyID, draft).do(quantities("2026-06-10", order("seats", 8))).do(cancel("2026-01-01")).
		has("seats", "5 2026-06-01..2026-05-31")
}

func TestReinstateTakesBackASchedule(t *testing.T) {
	for _, state := range []State{StatePending, StateTrial, StateActive} {
		y := inState(t, state)
		before := sketch(&y.s)
		y.do(cancel("")).do(reinstate("2020-01-01")).is(before).happened(
			"2026-03-10 cancellation.scheduled "+string(state)+">"+string(state),
			"2026-03-10 cancellation.unscheduled "+string(state)+">"+string(state),
		)
	}
}

// freshTerms are subscriptions with five seats from 2026-01-01 on that ended,
// and what they are reinstated to.
var freshTerms = []struct {
	name      string
	draft     Draft
	cancel    string
	today     string
	effective string
	want      string
	seats     []string
}{
	{
		"today", plainDraft, "2026-01-20", "2026-01-25", "",
		"ACTIVE 2026-01-25..2026-02-24 paid from 2026-01-01",
		[]string{"5 2026-01-01..2026-01-19", "5 2026-01-25..2026-02-24"},
	},
	{
		"the day it ended", plainDraft, "2026-01-20", "2026-01-20", "",
		"ACTIVE 2026-01-20..2026-02-19 paid from 2026-01-01",
		[]string{"5 2026-01-01..2026-02-19"},
	},
	{
		"as if it had not ended", plainDraft, "2026-01-20", "2026-01-25", "2026-01-01",
		"ACTIVE 2026-01-01..2026-01-31",
		[]string{"5 2026-01-01..2026-01-31"},
	},
	{
		"in the gap", plainDraft, "2026-01-20", "2026-01-25", "2026-01-22",
		"ACTIVE 2026-01-22..2026-02-21 paid from 2026-01-01",
		[]string{"5 2026-01-01..2026-01-19", "5 2026-01-22..2026-02-21"},
	},
	{
		"with renewals since", plainDraft, "2026-01-20", "2026-06-10", "2026-01-31",
		"ACTIVE 2026-05-31..2026-06-29 paid from 2026-01-01",
		[]string{"5 2026-01-01..2026-01-19", "5 2026-01-31..2026-06-29"},
	},
	{
		"long after", plainDraft, "2026-01-20", "2027-01-31", "",
		"ACTIVE 2027-01-31..2027-02-27 paid from 2026-01-01",
		[]string{"5 2026-01-01..2026-01-19", "5 2027-01-31..2027-02-27"},
	},
	{
		"canceled before it began", pendingDraft, "2026-01-05", "2026-01-10", "",
		"ACTIVE 2026-01-10..2026-02-09",
		[]string{"5 2026-01-10..2026-02-09"},
	},
	{
		"canceled before it began, long after", pendingDraft, "2026-01-05", "2026-03-10", "2026-02-15",
		"ACTIVE 2026-02-15..2026-03-14",
		[]string{"5 2026-02-15..2026-03-14"},
	},
	{
		"canceled before its trial", laterTrialDraft, "2026-01-05", "2026-01-10", "",
		"ACTIVE 2026-01-10..2026-02-09",
		[]string{"5 2026-01-10..2026-02-09"},
	},
	{
		"canceled on its first day", plainDraft, "2026-01-01", "2026-01-01", "",
		"ACTIVE 2026-01-01..2026-01-31",
		[]string{"5 2026-01-01..2026-01-31"},
	},
	{
		"canceled in its trial", trialDraft, "2026-01-05", "2026-01-10", "",
		"ACTIVE 2026-01-10..2026-02-09 trial 2026-01-01..2026-01-09",
		[]string{"5 2026-01-01..2026-01-04", "5 2026-01-10..2026-02-09"},
	},
	{
		"canceled in its trial, from the trial's first day", trialDraft, "2026-01-05", "2026-01-10", "2026-01-01",
		"ACTIVE 2026-01-01..2026-01-31 trial 2026-01-01..2026-01-01",
		[]string{"5 2026-01-01..2026-01-31"},
	},
	{
		"trial expired", cancelingTrialDraft, "", "2026-01-20", "",
		"ACTIVE 2026-01-20..2026-02-19 trial 2026-01-01..2026-01-14",
		[]string{"5 2026-01-01..2026-01-14", "5 2026-01-20..2026-02-19"},
	},
	{
		"trial expired, without a gap", cancelingTrialDraft, "", "2026-01-20", "2026-01-15",
		"ACTIVE 2026-01-15..2026-02-14 trial 2026-01-01..2026-01-14",
		[]string{"5 2026-01-01..2026-02-14"},
	},
}

func TestReinstateStartsAFreshTerm(t *testing.T) {
	for _, c := range freshTerms {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-01-01", monthlyID, c.draft)
			if c.cancel != "" {
				y.until(c.cancel).do(cancel(c.cancel))
			}
			y.until(c.today)
			y.log = nil
			from := y.s.State
			y.do(reinstate(c.effective)).happened(c.today+" state.changed "+string(from)+">ACTIVE").is(c.want).has("seats", c.seats...)
			if due, _ := y.s.Due(); !due.After(y.today) || y.s.AsOf != y.today {
				t.Errorf("due on %s, as of %s", due, y.s.AsOf)
			}
			if y.s.TrialStartDate == nil && y.s.TrialExpirationAction != nil {
				t.Error("an action without a trial")
			}
		})
	}
}

// Quantities that counted until the end keep their days in a term that starts
// before them.
func TestReinstateKeepsWhatCounted(t *testing.T) {
	newStory(t, "2026-01-01", monthlyID, Draft{EndDate: at(d("2026-12-31")), Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}).
		until("2026-05-01").do(quantities("", order("seats", 8))).
		until("2026-06-01").do(quantities("2026-08-01", order("seats", 9))).do(cancel("2026-06-01")).
		until("2026-07-10").do(reinstate("2026-01-15")).
		is("ACTIVE 2026-06-15..2026-07-14 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-04-30", "8 2026-05-01..2026-07-14")
}

// A one-time charge that was due is not due again; one that was not, is.
func TestReinstateAndOneTimeCharges(t *testing.T) {
	newStory(t, "2026-01-01", monthlyID, Draft{}).until("2026-01-05").do(cancel("2026-01-05")).do(reinstate("")).
		has("setup", "- 2026-01-01..2026-01-01")
	newStory(t, "2026-01-01", monthlyID, Draft{StartDate: at(d("2026-02-01"))}).do(cancel("2026-01-01")).until("2026-01-03").do(reinstate("")).
		has("setup", "- 2026-01-03..2026-01-03")
}

// The lines of the last price list go on, not those of earlier ones.
func TestReinstateAfterPlanChanges(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}).
		until("2026-01-10").do(plan(annualID, false)).until("2026-01-20").do(plan(monthlyID, false)).
		until("2026-01-25").do(cancel("2026-01-25")).do(reinstate("")).
		has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-20..2026-02-24").
		has("licences", "5 2026-01-10..2026-01-19")
	y.do(plan(annualID, false)).do(plan(monthlyID, false)).do(cancel("2026-01-25")).until("2026-01-26").do(reinstate("")).
		has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-20..2026-01-24", "5 2026-01-26..2026-02-25")
	notRenewing := func() *story {
		return fiveSeats(t).until("2026-01-31").do(changePlan(annualID, PlanUpdate{Term: KeepTerm})).do(autoRenew(false))
	}
	notRenewing().until("2026-02-10").do(reinstate("")).
		is("ACTIVE 2026-02-10..2027-02-09 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-01-30").has("licences", "5 2026-01-31..2026-01-31", "5 2026-02-10..2027-02-09")
	notRenewing().until("2026-02-10").do(reinstate("2026-01-20")).
		is("ACTIVE 2026-01-20..2027-01-19 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-01-30").has("licences", "5 2026-01-31..2027-01-19")
}

func TestReinstateRefuses(t *testing.T) {
	evergreen := Draft{Evergreen: true}
	for _, c := range []struct {
		name             string
		draft            Draft
		today, effective string
		part             string
	}{
		{"tomorrow", evergreen, "2026-04-10", "2026-04-11", "today (2026-04-10)"},
		{"before the old term", evergreen, "2026-04-10", "2026-02-28", "old term (2026-03-01 to 2026-03-31)"},
		{"before it began", evergreen, "2026-04-10", "2025-12-31", "not on 2025-12-31"},
		{"after the old term", evergreen, "2026-04-10", "2026-04-01", "old term (2026-03-01 to 2026-03-31)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-01-01", monthlyID, c.draft).until("2026-03-10").do(cancel("2026-03-10")).until(c.today)
			y.log = nil
			y.do(reinstate(c.effective)).happened(c.today + " INVALID effectiveDate").said(c.part)
		})
	}
	newStory(t, "2026-01-01", monthlyID, Draft{}).until("2026-03-10").do(reinstate("2026-01-31")).
		said("A term from 2026-01-31 would have ended on 2026-02-27 already")
}
