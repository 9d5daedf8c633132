package subscription

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// Terms end on their anchor, and months do not drift.
func TestRenewalKeepsItsAnchor(t *testing.T) {
	for _, c := range []struct {
		name  string
		draft Draft
		start string
		ends  []string
	}{
		{"the 15th", Draft{}, "2026-01-15", []string{"2026-02-14", "2026-03-14", "2026-04-14"}},
		{"the 31st", Draft{}, "2026-01-31", []string{"2026-02-27", "2026-03-30", "2026-04-29", "2026-05-30"}},
		{"the 30th", Draft{}, "2026-01-30", []string{"2026-02-27", "2026-03-29", "2026-04-29"}},
		{"leap year", Draft{}, "2028-01-31", []string{"2028-02-28", "2028-03-30"}},
		{"a leap day, yearly", Draft{RenewalTermMonths: new(12)}, "2024-02-29", []string{"2025-02-27", "2026-02-27", "2027-02-27", "2028-02-28", "2029-02-27"}},
		{"own end", Draft{EndDate: at(d("2026-03-31"))}, "2026-01-15", []string{"2026-03-31", "2026-04-30", "2026-05-31"}},
		{"own end before a 31st", Draft{EndDate: at(d("2026-03-30"))}, "2026-01-15", []string{"2026-03-30", "2026-04-29", "2026-05-30"}},
		{"own end that fits the anchor", Draft{EndDate: at(d("2026-04-29"))}, "2026-01-31", []string{"2026-04-29", "2026-05-30", "2026-06-29"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.draft.Evergreen = true
			y := newStory(t, c.start, monthlyID, c.draft)
			for i, end := range c.ends {
				if y.s.EndDate != d(end) {
					t.Fatalf("term %d ends on %s, want %s", i, y.s.EndDate, end)
				}
				following := d(end).AddDays(1)
				y.until(following.String())
				if y.change.Kind != KindRenewed || y.s.TermStartDate != following || y.s.StartDate != d(c.start) || y.change.On != following {
					t.Fatalf("went on as %s with %s", sketch(&y.s), y.change.Kind)
				}
				if y.change.Detail["endDate"] != y.s.EndDate.String() {
					t.Errorf("said %v", y.change.Detail)
				}
			}
		})
	}
}

// instants are things that are done on 2026-01-01 and then come due together.
var instants = []struct {
	name  string
	draft Draft
	acts  []action
	until string
	want  []string
}{
	{
		"cancellation before renewal", plainDraft,
		[]action{plan(annualID, true), cancel("")},
		"2026-06-01", []string{"2026-02-01 state.changed ACTIVE>CANCELED"},
	},
	{
		"cancellation before expiry", Draft{},
		[]action{cancel("")},
		"2026-06-01", []string{"2026-02-01 state.changed ACTIVE>CANCELED"},
	},
	{
		"cancellation before the start", Draft{StartDate: at(d("2026-01-10"))},
		[]action{cancel("2026-01-10")},
		"2026-06-01", []string{"2026-01-10 state.changed PENDING>CANCELED"},
	},
	{
		"cancellation before the trial's end", cancelingTrialDraft,
		[]action{cancel("")},
		"2026-06-01", []string{"2026-01-15 state.changed TRIAL>CANCELED"},
	},
	{
		"trial's end, plan, quantities", trialDraft,
		[]action{quantities("2026-01-15", order("seats", 8)), plan(annualID, true)},
		"2026-06-01", []string{
			"2026-01-15 state.changed TRIAL>ACTIVE",
			"2026-01-15 plan.changed ACTIVE>ACTIVE",
			"2026-01-15 quantity.changed ACTIVE>ACTIVE",
		},
	},
	{
		"trial's end, plan without that charge", trialDraft,
		[]action{quantities("", order("space", 8)), plan(annualID, true)},
		"2026-06-01", []string{
			"2026-01-15 state.changed TRIAL>ACTIVE",
			"2026-01-15 plan.changed ACTIVE>ACTIVE",
		},
	},
	{
		"trial's end, quantities", trialDraft,
		[]action{quantities("2026-01-15", order("seats", 8))},
		"2026-02-01", []string{
			"2026-01-15 state.changed TRIAL>ACTIVE",
			"2026-01-15 quantity.changed ACTIVE>ACTIVE",
		},
	},
	{
		"plan, renewal", plainDraft,
		[]action{plan(annualID, true)},
		"2026-06-01", []string{
			"2026-02-01 plan.changed ACTIVE>ACTIVE",
			"2026-02-01 subscription.renewed ACTIVE>ACTIVE",
		},
	},
	{
		"renewal, quantities", plainDraft,
		[]action{quantities("2026-01-20", order("seats", 8)), update(Update{EndDate: at(d("2026-01-19"))})},
		"2026-02-01", []string{
			"2026-01-20 subscription.renewed ACTIVE>ACTIVE",
			"2026-01-20 quantity.changed ACTIVE>ACTIVE",
		},
	},
	{
		"plan, renewal, quantities", plainDraft,
		[]action{quantities("2026-01-20", order("seats", 8)), update(Update{EndDate: at(d("2026-01-19"))}), plan(annualID, true)},
		"2026-02-01", []string{
			"2026-01-20 plan.changed ACTIVE>ACTIVE",
			"2026-01-20 subscription.renewed ACTIVE>ACTIVE",
			"2026-01-20 quantity.changed ACTIVE>ACTIVE",
		},
	},
	{
		"quantities of several charges are one change", plainDraft,
		[]action{quantities("2026-01-20", order("seats", 8)), quantities("2026-01-20", order("space", 3), order("calls", 9))},
		"2026-01-31", []string{"2026-01-20 quantity.changed ACTIVE>ACTIVE"},
	},
}

// Of what is due at one instant each thing is a change of its own, in order.
func TestOrderAtOneInstant(t *testing.T) {
	for _, c := range instants {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-01-01", monthlyID, c.draft)
			for _, act := range c.acts {
				if y.do(act); y.err != nil || !y.change.Happened() {
					t.Fatalf("not done: %v", y.err)
				}
			}
			y.log = nil
			y.until(c.until).happened(c.want...)
		})
	}
}

func TestQuantityStepSaysWhatChanged(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{Quantities: []QuantityOrder{order("seats", 5), order("space", 1)}}).
		do(quantities("2026-01-20", order("seats", 8), QuantityOrder{Code: "space"})).until("2026-01-20")
	want := map[string]any{"quantities": map[string]any{"seats": 8, "space": nil}}
	if !reflect.DeepEqual(y.change.Detail, want) || y.change.On != d("2026-01-20") {
		t.Errorf("said %v on %s", y.change.Detail, y.change.On)
	}
}

// What somebody did today is not done again by time.
func TestTimeDoesNotRepeatActions(t *testing.T) {
	newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true}).
		until("2026-01-10").do(quantities("", order("seats", 8))).until("2026-01-31").
		happened("2026-01-01 subscription.created >ACTIVE", "2026-01-10 quantity.changed ACTIVE>ACTIVE")
	newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true}).
		until("2026-01-10").do(changePlan(splitID, PlanUpdate{Quantities: []QuantityOrder{order("extra", 0)}})).until("2026-01-31").
		happened("2026-01-01 subscription.created >ACTIVE", "2026-01-10 plan.changed ACTIVE>ACTIVE")
}

// A renewal does not carry a cancellation along.
func TestRenewalDoesNotPassACancellation(t *testing.T) {
	newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true}).
		until("2026-02-10").do(cancel("2026-03-01")).until("2027-01-01").
		happened(
			"2026-01-01 subscription.created >ACTIVE",
			"2026-02-01 subscription.renewed ACTIVE>ACTIVE",
			"2026-02-10 cancellation.scheduled ACTIVE>ACTIVE",
			"2026-03-01 state.changed ACTIVE>CANCELED",
		).is("CANCELED 2026-02-01..2026-02-28 paid from 2026-01-01 canceled 2026-03-01")
}

// A whole life over fifteen months, with the end of months and a leap year in it.
func TestFifteenMonths(t *testing.T) {
	y := newStory(t, "2027-11-17", monthlyID, trialDraft).
		until("2027-12-24").do(quantities("2027-12-28", order("users", 12))).
		until("2028-01-20").do(plan(annualID, true)).
		until("2028-06-01").do(cancel("")).
		until("2029-02-17")
	y.happened(
		"2027-11-17 subscription.created >TRIAL",
		"2027-12-01 state.changed TRIAL>ACTIVE",
		"2027-12-24 quantity.scheduled ACTIVE>ACTIVE",
		"2027-12-28 quantity.changed ACTIVE>ACTIVE",
		"2028-01-01 subscription.renewed ACTIVE>ACTIVE",
		"2028-01-20 plan.scheduled ACTIVE>ACTIVE",
		"2028-02-01 plan.changed ACTIVE>ACTIVE",
		"2028-02-01 subscription.renewed ACTIVE>ACTIVE",
		"2028-06-01 cancellation.scheduled ACTIVE>ACTIVE",
		"2029-02-01 state.changed ACTIVE>CANCELED",
	).is("CANCELED 2028-02-01..2029-01-31 paid from 2027-12-01 trial 2027-11-17..2027-11-30 canceled 2029-02-01").
		has("seats", "5 2027-11-17..2027-12-27", "12 2027-12-28..2028-01-31").has("licences", "12 2028-02-01..2029-01-31")
}

func TestStepWithoutAnythingDue(t *testing.T) {
	y := inState(t, StateCanceled)
	if _, some := y.s.Due(); some {
		t.Error("something is due on a canceled subscription")
	}
	s, change, err := y.s.Step(findOffer)
	if err != nil || change.Happened() || !reflect.DeepEqual(s, y.s) {
		t.Errorf("%s, %v", change.Kind, err)
	}
}

// Bad data is an error that says so, not a panic and not an endless loop.
func TestStepRefusesBadData(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Subscription)
		part  string
	}{
		{"unknown state", func(s *Subscription) { s.State = "GONE" }, "unknown state GONE"},
		{"trial without dates", func(s *Subscription) { s.TrialStartDate, s.TrialEndDate = nil, nil }, "date of its trial"},
		{"trial without end", func(s *Subscription) { s.TrialEndDate = nil }, "date of its trial"},
		{"pending without trial end", func(s *Subscription) { s.State, s.TrialEndDate = StatePending, nil }, "date of its trial"},
		{"no length", func(s *Subscription) { s.RenewalTermMonths = 0 }, "length"},
		{"no anchor", func(s *Subscription) { s.AnchorDay = 0 }, "anchor"},
		{"wrong anchor", func(s *Subscription) { s.AnchorDay = 32 }, "anchor"},
		{"ends before it starts", func(s *Subscription) { s.EndDate = s.StartDate.AddDays(-1) }, "ends before it starts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := inState(t, StateTrial)
			c.spoil(&y.s)
			if due, some := y.s.Due(); !some || due != y.s.AsOf {
				t.Errorf("due on %s, %t", due, some)
			}
			before := y.s
			s, change, err := y.s.Step(findOffer)
			if !billing.Is(err, billing.NotAllowed) || !strings.Contains(err.Error(), c.part) || change.Happened() || !reflect.DeepEqual(s, before) {
				t.Errorf("%s, %v", change.Kind, err)
			}
			for _, r := range refusable {
				if _, change, err := r.act(before, d("2026-03-10")); !billing.Is(err, billing.NotAllowed) || change.Happened() {
					t.Errorf("%s: %v", r.name, err)
				}
			}
		})
	}
}

func TestStepPassesOnAMissingOffer(t *testing.T) {
	y := fiveSeats(t).do(plan(annualID, true))
	y.s.NextPriceList.ID = 999
	before := y.s
	s, change, err := y.s.Step(findOffer)
	if err == nil || change.Happened() || !reflect.DeepEqual(s, before) {
		t.Errorf("%s, %v", change.Kind, err)
	}
}

func TestRenewalEndsWithTheCalendar(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{StartDate: at(d("9998-11-15")), Evergreen: true}).until("9998-11-15")
	before := y.s
	s, change, err := y.s.Step(findOffer)
	if !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), "9999-01-14") || change.Happened() || !reflect.DeepEqual(s, before) {
		t.Errorf("%s, %v", change.Kind, err)
	}
}

// The clock, or the operator's zone, may go back a day behind what was done.
func TestActionsDoNotGoBack(t *testing.T) {
	back := func(y *story) *story {
		y.today = y.today.AddDays(-1)
		y.log = nil
		return y
	}
	trial := func() *story {
		return back(newStory(t, "2026-01-01", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-01-15"))}).until("2026-01-15"))
	}
	trial().do(convert).happened("2026-01-14 state.changed TRIAL>ACTIVE").
		is("ACTIVE 2026-01-15..2026-02-14 trial 2026-01-15..2026-01-15")
	trial().do(cancel("2026-01-14")).happened("2026-01-14 state.changed TRIAL>CANCELED").
		is("CANCELED 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28 canceled 2026-01-15")
	trial().do(quantities("2026-01-14", order("seats", 3))).happened("2026-01-14 quantity.changed TRIAL>TRIAL").
		has("seats", "3 2026-01-15..2026-02-27")
	back(inState(t, StateCanceled).do(reinstate("")).do(cancel("2026-03-10"))).do(reinstate("2026-03-09")).
		is("ACTIVE 2026-03-10..2026-04-09 paid from 2026-03-01")
}
