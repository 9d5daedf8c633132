package console

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/ui"
)

// TestTimeLinesFit draws subscriptions of all kinds: nothing is outside of the
// picture, and no two labels stand on each other.
func TestTimeLinesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := func(name string, from, to int) billing.Date {
			return billing.Date{Year: 2026, Month: time.January, Day: 15}.AddDays(rapid.IntRange(from, to).Draw(t, name))
		}
		start := day("start", -800, 60)
		s := subscription.Subscription{StartDate: start, TermStartDate: start, EndDate: start.AddDays(rapid.IntRange(0, 800).Draw(t, "length")), State: rapid.SampledFrom(states).Draw(t, "state")}
		if rapid.Bool().Draw(t, "trial") {
			first, last := start.AddDays(-rapid.IntRange(1, 60).Draw(t, "trial")), start.AddDays(-1)
			s.TrialStartDate, s.TrialEndDate = &first, &last
		}
		if rapid.Bool().Draw(t, "canceled") {
			on := day("on", -60, 60)
			s.CancellationDate = &on
		}
		if rapid.Bool().Draw(t, "next") {
			s.NextPriceList = &subscription.NextPriceList{ID: 1, On: s.EndDate}
		}
		var scheduled []scheduledItem
		for i := range rapid.IntRange(0, 4).Draw(t, "scheduled") {
			kind := rapid.SampledFrom([]subscription.ScheduledKind{subscription.ScheduledPlan, subscription.ScheduledQuantity}).Draw(t, "kind")
			scheduled = append(scheduled, scheduledItem{Kind: kind, On: day("scheduled", -60, 900), Short: strings.Repeat("Seats", i+1)})
		}
		line := lineOf(&s, day("today", -900, 900), scheduled)
		for i, m := range line.Marks {
			if m.X < 0 || m.X > ui.TimelineWidth {
				t.Fatalf("%s is at %v", m.Text, m.X)
			}
			for _, other := range line.Marks[:i] {
				if other.Level == m.Level && max(other.TextX-m.TextX, m.TextX-other.TextX) < 140 {
					t.Fatalf("%s and %s stand on each other", m.Text, other.Text)
				}
			}
		}
		for _, b := range line.Bands {
			if b.X < 0 || b.Width <= 0 || b.X+b.Width > ui.TimelineWidth+0.001 {
				t.Fatalf("%s is from %v, %v wide", b.Text, b.X, b.Width)
			}
		}
	})
}

// TestTimeLinesTellTheTruth reads time lines: none promises what will not come.
func TestTimeLinesTellTheTruth(t *testing.T) {
	day := func(text string) billing.Date {
		d, err := billing.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	at := func(text string) *billing.Date { d := day(text); return &d }
	expire, activate := catalog.TrialCancel, catalog.TrialActivate
	term := subscription.Subscription{ID: 7, State: subscription.StateActive, Evergreen: true, RenewalTermMonths: 1, AnchorDay: 1,
		StartDate: day("2026-01-01"), TermStartDate: day("2026-01-01"), EndDate: day("2026-01-31"), AsOf: day("2026-01-10")}
	trial := term
	trial.State, trial.TrialStartDate, trial.TrialEndDate, trial.TrialExpirationAction = subscription.StateTrial, at("2026-01-08"), at("2026-01-21"), &activate
	trial.StartDate, trial.TermStartDate, trial.EndDate = day("2026-01-22"), day("2026-01-22"), day("2026-02-21")
	with := func(s subscription.Subscription, change func(*subscription.Subscription)) subscription.Subscription {
		change(&s)
		return s
	}
	for _, c := range []struct {
		name         string
		sub          subscription.Subscription
		marks, bands string
		renewal      string
	}{
		{"a term", term, "Term starts 1 Jan 2026, Renews 1 Feb 2026", "Term", "Renews for 1 month"},
		{"one that ends", with(term, func(s *subscription.Subscription) { s.Evergreen = false }), "Term starts 1 Jan 2026, Expires 1 Feb 2026", "Term", "Expires at the end of the term"},
		{"a scheduled cancellation", with(term, func(s *subscription.Subscription) { s.CancellationDate = at("2026-02-01") }), "Term starts 1 Jan 2026, Ends 1 Feb 2026", "Term", "None: it ends on 1 Feb 2026"},
		{"canceled", with(term, func(s *subscription.Subscription) {
			s.State, s.CancellationDate = subscription.StateCanceled, at("2026-01-09")
		}), "Term starts 1 Jan 2026, Ended 9 Jan 2026", "Term", "None: it has ended"},
		{"a trial", trial, "Trial starts 8 Jan 2026, Paid term starts 22 Jan 2026, Renews 22 Feb 2026", "Trial Term", "Renews for 1 month"},
		{"a trial that expires", with(trial, func(s *subscription.Subscription) { s.TrialExpirationAction = &expire }), "Trial starts 8 Jan 2026, Expires with its trial 22 Jan 2026", "Trial", "None: it ends with its trial"},
		{"a trial that is canceled", with(trial, func(s *subscription.Subscription) { s.CancellationDate = at("2026-01-22") }), "Trial starts 8 Jan 2026, Ends 22 Jan 2026", "Trial", "None: it ends on 22 Jan 2026"},
		{"an expired trial", with(trial, func(s *subscription.Subscription) {
			s.State, s.TrialEndDate = subscription.StateTrialExpired, at("2026-01-09")
		}), "Trial starts 8 Jan 2026, Expired 10 Jan 2026", "Trial", "None: it has ended"},
		{"a number that its end comes before", with(term, func(s *subscription.Subscription) {
			five := 5
			s.PriceListID, s.CancellationDate = 1, at("2026-02-01")
			s.Charges = []subscription.Line{
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-01"), EndDate: day("2026-01-31")},
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-02-01"), EndDate: day("2026-02-28")},
			}
		}), "Term starts 1 Jan 2026, Ends 1 Feb 2026", "Term", "None: it ends on 1 Feb 2026"},
		{"schedules", with(term, func(s *subscription.Subscription) {
			s.PriceListID, s.NextPriceList = 1, &subscription.NextPriceList{ID: 2, On: day("2026-02-01"), Quantities: []subscription.PlannedQuantity{{Code: "seats", Quantity: new(int)}}}
			five := 5
			s.Charges = []subscription.Line{
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-01"), EndDate: day("2026-01-19")},
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-20"), EndDate: day("2026-01-31")},
			}
		}), "Term starts 1 Jan 2026, Renews 1 Feb 2026, Seats 5 20 Jan 2026, Plan Team 1 Feb 2026", "Term", "Continues with the next price list"},
	} {
		items := scheduledItems(c.sub.ScheduledChanges(), map[string]string{"seats": "Seats"}, "Team: Yearly")
		line := lineOf(&c.sub, day("2026-01-10"), items)
		var bands []string
		for _, b := range line.Bands {
			bands = append(bands, b.Text)
		}
		if want := "Today 10 Jan 2026, " + c.marks; line.Words != want || strings.Join(bands, " ") != c.bands {
			t.Errorf("%s: %s with %q, want %s with %q", c.name, line.Words, bands, want, c.bands)
		}
		// A telephone shows them as a list, in the order of their days.
		if !slices.IsSortedFunc(line.Days, func(a, b ui.TimelineDay) int { return dayShown(t, a.Date).Compare(dayShown(t, b.Date)) }) || len(line.Days) != len(line.Marks) {
			t.Errorf("%s: the list is %v", c.name, line.Days)
		}
		if got := renewalWords(&c.sub); got != c.renewal {
			t.Errorf("%s: %s, want %s", c.name, got, c.renewal)
		}
		if term := termCell(&c.sub).Text; strings.Contains(c.bands, "Term") == (term == "no paid term") && (!c.sub.State.Ended() || c.sub.State == subscription.StateTrialExpired) {
			t.Errorf("%s: the term is %s", c.name, term)
		}
	}
}

func dayShown(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2 Jan 2006", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
