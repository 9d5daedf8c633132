package subscription

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"pgregory.net/rapid"
)

// recordOf is a subscription as an export has it.
func recordOf(s Subscription) Record {
	r := Record{
		State: &s.State, Evergreen: &s.Evergreen, RenewalTermMonths: &s.RenewalTermMonths, StartDate: &s.StartDate, EndDate: &s.EndDate,
		TermStartDate: &s.TermStartDate, AnchorDay: &s.AnchorDay, Epochs: s.Epochs, TrialStartDate: s.TrialStartDate, TrialEndDate: s.TrialEndDate,
		TrialExpirationAction: s.TrialExpirationAction, CancellationDate: s.CancellationDate, Unused: s.Unused, NextPriceList: s.NextPriceList,
		AsOf: &s.AsOf, Lines: []Line{},
	}
	r.Lines = append(r.Lines, s.Charges...)
	return r
}

// checkRestored fails unless the subscription comes out of its record as it
// went in. The property test of subscriptions does this at every step.
func (l *life) checkRestored(t *rapid.T) {
	restored, err := Restore(recordOf(l.s), offers[l.s.PriceListID], findOffer, l.today)
	if err != nil {
		t.Fatalf("%v: %s", err, sketch(&l.s))
	}
	if restored.AsOf != l.s.AsOf {
		t.Fatalf("as of %s, not %s", restored.AsOf, l.s.AsOf)
	}
	if unlike := restored.Unlike(l.s, findOffer); len(unlike) > 0 {
		t.Fatalf("%q differ:\nhave %+v\nwant %+v", unlike, restored, l.s)
	}
}

func TestRestoreFromDates(t *testing.T) {
	today := d("2026-01-15")
	for _, c := range []struct {
		name   string
		record Record
		want   string // state, term and end
	}{
		{"in mid-term", Record{StartDate: at(d("2024-03-31"))}, "ACTIVE 2025-12-31 2026-01-30"},
		{"with the end of the term", Record{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-20"))}, "ACTIVE 2025-12-21 2026-01-20"},
		{"renewed since", Record{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-09"))}, "ACTIVE 2026-01-10 2026-02-09"},
		{"not renewed", Record{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-09")), Evergreen: new(false)}, "EXPIRED 2025-12-10 2026-01-09"},
		{"to come", Record{StartDate: at(d("2026-02-01"))}, "PENDING 2026-02-01 2026-02-28"},
		{"in trial", Record{TrialStartDate: at(d("2026-01-10")), TrialEndDate: at(d("2026-01-23"))}, "TRIAL 2026-01-24 2026-02-23"},
		{"after its trial", Record{TrialStartDate: at(d("2025-01-01")), StartDate: at(d("2025-01-15"))}, "ACTIVE 2026-01-15 2026-02-14"},
		{"tried in vain", Record{TrialStartDate: at(d("2025-01-01")), StartDate: at(d("2025-01-15")), TrialExpirationAction: new(catalog.TrialCancel)}, "TRIAL_EXPIRED 2025-01-15 2025-02-14"},
		{"canceled", Record{StartDate: at(d("2025-01-01")), CancellationDate: at(d("2025-06-10"))}, "CANCELED 2025-06-01 2025-06-30"},
		{"to be canceled", Record{StartDate: at(d("2025-01-01")), CancellationDate: at(d("2026-02-01"))}, "ACTIVE 2026-01-01 2026-01-31"},
	} {
		s, err := Restore(c.record, offers[monthlyID], findOffer, today)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if have := string(s.State) + " " + s.TermStartDate.String() + " " + s.EndDate.String(); have != c.want {
			t.Errorf("%s: %s, want %s", c.name, have, c.want)
		}
		if len(s.Charges) != len(offers[monthlyID].Charges)-1 { // of storage the plan includes a number
			t.Errorf("%s: %d lines", c.name, len(s.Charges))
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	today := d("2026-01-15")
	start := at(d("2025-01-01"))
	line := func(id billing.ChargeID, from, to string) Line {
		return Line{PriceListID: monthlyID, ChargeID: id, Code: "base", Type: catalog.Recurring, StartDate: d(from), EndDate: d(to)}
	}
	for _, c := range []struct {
		name   string
		record Record
		field  string
	}{
		{"no start", Record{}, "startDate"},
		{"another state", Record{StartDate: start, State: new(StateCanceled)}, "state"},
		{"no such state", Record{StartDate: start, State: new(State("DEAD")), AsOf: &today}, "state"},
		{"as of tomorrow", Record{StartDate: start, State: new(StateActive), AsOf: at(today.AddDays(1))}, "asOf"},
		{"as of a day without a state", Record{StartDate: start, AsOf: &today}, "state"},
		{"pending after its start", Record{StartDate: start, State: new(StatePending), AsOf: &today}, "state"},
		{"end before start", Record{StartDate: start, EndDate: at(d("2024-01-01"))}, "endDate"},
		{"half a trial", Record{StartDate: start, TrialEndDate: start}, "trialStartDate"},
		{"a trial that ends before it begins", Record{StartDate: start, TrialStartDate: start, TrialEndDate: at(d("2024-12-31"))}, "trialEndDate"},
		{"paid during the trial", Record{StartDate: start, TrialStartDate: start, TrialEndDate: at(d("2025-02-01"))}, "startDate"},
		{"a cancellation after the term", Record{StartDate: start, CancellationDate: at(d("2026-06-01"))}, "cancellationDate"},
		{"a change of plan that is due", Record{StartDate: start, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-01-01")}}, "nextPriceList"},
		{"a change of plan on another day", Record{StartDate: start, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-01-20")}}, "nextPriceList"},
		{"no such charge", Record{StartDate: start, Quantities: []QuantityOrder{{Code: "x"}}}, "quantities.0.code"},
		{"too many", Record{StartDate: start, Quantities: []QuantityOrder{{Code: "seats", Quantity: new(101)}}}, "quantities.0.quantity"},
		{"lines that overlap", Record{StartDate: start, Lines: []Line{line(101, "2025-01-01", "2025-02-01"), line(101, "2025-02-01", "2026-01-31")}}, "lines.1.startDate"},
		{"an anchor that does not fit", Record{StartDate: start, EndDate: at(d("2026-01-31")), AnchorDay: new(5)}, "anchorDay"},
	} {
		_, err := Restore(c.record, offers[monthlyID], findOffer, today)
		problems, _ := billing.AsProblems(err)
		if len(problems) == 0 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if have := strings.Join(problems[0].Field, "."); have != c.field {
			t.Errorf("%s: a problem with %q (%v), want %q", c.name, have, err, c.field)
		}
	}
}
