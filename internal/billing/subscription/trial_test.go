package subscription

import "testing"

// inTrial is in a trial from 2026-01-01 to 2026-01-14, paid to 2026-02-14.
func inTrial(t *testing.T, how ...func(*Draft)) *story {
	t.Helper()
	draft := Draft{Trial: true, Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}
	for _, change := range how {
		change(&draft)
	}
	y := newStory(t, "2026-01-01", monthlyID, draft)
	y.log = nil
	return y
}

func ownEnd(day string) func(*Draft) {
	return func(draft *Draft) { draft.EndDate = at(d(day)) }
}

func TestConvertTrial(t *testing.T) {
	inTrial(t).until("2026-01-05").do(convert).happened("2026-01-05 state.changed TRIAL>ACTIVE").
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04").has("seats", "5 2026-01-01..2026-02-04").
		until("2026-02-05").is("ACTIVE 2026-02-05..2026-03-04 paid from 2026-01-05 trial 2026-01-01..2026-01-04")
	// On its first day: the trial does not end before it starts.
	inTrial(t).do(convert).happened("2026-01-01 state.changed TRIAL>ACTIVE").
		is("ACTIVE 2026-01-01..2026-01-31 trial 2026-01-01..2026-01-01").has("seats", "5 2026-01-01..2026-01-31")
	inTrial(t).until("2026-01-14").do(convert).is("ACTIVE 2026-01-14..2026-02-13 trial 2026-01-01..2026-01-13")
	inTrial(t, ownEnd("2026-12-31")).until("2026-01-05").do(convert).is("ACTIVE 2026-01-05..2026-12-31 trial 2026-01-01..2026-01-04")
}

func TestConvertOnThe31st(t *testing.T) {
	y := newStory(t, "2026-01-31", monthlyID, Draft{Trial: true, Evergreen: true}).do(convert)
	for _, want := range []string{"2026-02-27", "2026-03-30", "2026-04-29"} {
		if y.s.EndDate != d(want) {
			t.Fatalf("ends on %s, want %s", y.s.EndDate, want)
		}
		y.until(d(want).AddDays(1).String())
	}
}

func TestConvertKeepsSchedules(t *testing.T) {
	inTrial(t).do(cancel("")).until("2026-01-05").do(convert).
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04 canceled 2026-02-05")
	inTrial(t).do(cancel("2026-02-15")).until("2026-01-05").do(convert).
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04 canceled 2026-02-05")
	inTrial(t).do(cancel("2026-01-20")).until("2026-01-05").do(convert).
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04 canceled 2026-01-20")
	inTrial(t).do(cancel("2026-02-10")).until("2026-01-05").do(convert).
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04 canceled 2026-02-05")
}

// The trial is over, so the plan that was to follow it does.
func TestConvertBringsThePlanAlong(t *testing.T) {
	y := inTrial(t).do(plan(annualID, true)).until("2026-01-05").do(convert).
		is("ACTIVE 2026-01-05..2026-02-04 trial 2026-01-01..2026-01-04 list 20 on 2026-01-05")
	y.log = nil
	y.until("2026-01-05").happened("2026-01-05 plan.changed ACTIVE>ACTIVE").
		is("ACTIVE 2026-01-05..2027-01-04 trial 2026-01-01..2026-01-04").has("licences", "5 2026-01-05..2027-01-04")
}

// A quantity scheduled for a day that is now in a later term still comes.
func TestConvertKeepsQuantities(t *testing.T) {
	inTrial(t).do(quantities("2026-02-10", order("seats", 8))).until("2026-01-02").do(convert).
		is("ACTIVE 2026-01-02..2026-02-01 trial 2026-01-01..2026-01-01").
		has("seats", "5 2026-01-01..2026-02-09", "8 2026-02-10..2026-02-10").
		until("2026-02-10").
		happened(
			"2026-01-01 quantity.scheduled TRIAL>TRIAL",
			"2026-01-02 state.changed TRIAL>ACTIVE",
			"2026-02-02 subscription.renewed ACTIVE>ACTIVE",
			"2026-02-10 quantity.changed ACTIVE>ACTIVE",
		).has("seats", "5 2026-01-01..2026-02-09", "8 2026-02-10..2026-03-01")
}

func TestExtendTrial(t *testing.T) {
	inTrial(t).until("2026-01-05").do(extend("2026-01-31")).happened("2026-01-05 trial.extended TRIAL>TRIAL").
		is("TRIAL 2026-02-01..2026-02-28 trial 2026-01-01..2026-01-31").has("seats", "5 2026-01-01..2026-02-28").
		do(extend("2026-01-31")).happened("2026-01-05 nothing").
		do(extend("2026-01-05")).is("TRIAL 2026-01-06..2026-02-05 trial 2026-01-01..2026-01-05").
		until("2026-01-06").happened("2026-01-05 trial.extended TRIAL>TRIAL", "2026-01-06 state.changed TRIAL>ACTIVE")
	inTrial(t, ownEnd("2026-12-31")).do(extend("2026-06-30")).is("TRIAL 2026-07-01..2026-12-31 trial 2026-01-01..2026-06-30")
	inTrial(t).do(extend("2035-12-29")).happened("2026-01-01 trial.extended TRIAL>TRIAL")
}

func TestExtendMovesWhatComesWithItsEnd(t *testing.T) {
	inTrial(t).do(plan(annualID, true)).do(cancel("")).do(extend("2026-01-20")).
		is("TRIAL 2026-01-21..2026-02-20 trial 2026-01-01..2026-01-20 canceled 2026-01-21 list 20 on 2026-01-21")
	inTrial(t).do(cancel("2026-02-15")).do(extend("2026-01-20")).
		is("TRIAL 2026-01-21..2026-02-20 trial 2026-01-01..2026-01-20 canceled 2026-02-15")
	inTrial(t).do(cancel("2026-01-18")).do(extend("2026-01-20")).
		is("TRIAL 2026-01-21..2026-02-20 trial 2026-01-01..2026-01-20 canceled 2026-01-18")
	inTrial(t).do(cancel("2026-02-14")).do(extend("2026-01-05")).
		is("TRIAL 2026-01-06..2026-02-05 trial 2026-01-01..2026-01-05 canceled 2026-02-06")
}

func TestExtendRefused(t *testing.T) {
	for _, c := range []struct{ name, end, part string }{
		{"yesterday", "2026-01-04", "today (2026-01-05) or later"},
		{"ten years", "2035-12-30", "at most 3650 days"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTrial(t).until("2026-01-05").do(extend(c.end)).happened("2026-01-05 INVALID trialEndDate").said(c.part)
		})
	}
	inTrial(t, ownEnd("2026-03-31")).do(extend("2026-03-31")).happened("2026-01-01 INVALID trialEndDate").said("ends on 2026-03-31")
}
