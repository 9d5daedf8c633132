package billing

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// recordOf is a subscription as an export has it.
func recordOf(s Subscription) SubscriptionRecord {
	r := SubscriptionRecord{
		State: &s.State, Evergreen: &s.Evergreen, RenewalTermMonths: &s.RenewalTermMonths, StartDate: &s.StartDate, EndDate: &s.EndDate,
		TermStartDate: &s.TermStartDate, AnchorDay: &s.AnchorDay, TrialStartDate: s.TrialStartDate, TrialEndDate: s.TrialEndDate,
		TrialExpirationAction: s.TrialExpirationAction, CancellationDate: s.CancellationDate, NextPriceList: s.NextPriceList,
		AsOf: &s.AsOf, Lines: []SubscriptionCharge{},
	}
	r.Lines = append(r.Lines, s.Charges...)
	return r
}

// checkRestored fails unless the subscription comes out of its record as it
// went in. The property test of subscriptions does this at every step.
func (l *life) checkRestored(t *rapid.T) {
	restored, err := RestoreSubscription(recordOf(l.s), offers[l.s.PriceListID], findOffer, l.today)
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
		record SubscriptionRecord
		want   string // state, term and end
	}{
		{"in mid-term", SubscriptionRecord{StartDate: at(d("2024-03-31"))}, "ACTIVE 2025-12-31 2026-01-30"},
		{"with the end of the term", SubscriptionRecord{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-20"))}, "ACTIVE 2025-12-21 2026-01-20"},
		{"renewed since", SubscriptionRecord{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-09"))}, "ACTIVE 2026-01-10 2026-02-09"},
		{"not renewed", SubscriptionRecord{StartDate: at(d("2024-03-10")), EndDate: at(d("2026-01-09")), Evergreen: new(false)}, "EXPIRED 2025-12-10 2026-01-09"},
		{"to come", SubscriptionRecord{StartDate: at(d("2026-02-01"))}, "PENDING 2026-02-01 2026-02-28"},
		{"in trial", SubscriptionRecord{TrialStartDate: at(d("2026-01-10")), TrialEndDate: at(d("2026-01-23"))}, "TRIAL 2026-01-24 2026-02-23"},
		{"after its trial", SubscriptionRecord{TrialStartDate: at(d("2025-01-01")), StartDate: at(d("2025-01-15"))}, "ACTIVE 2026-01-15 2026-02-14"},
		{"tried in vain", SubscriptionRecord{TrialStartDate: at(d("2025-01-01")), StartDate: at(d("2025-01-15")), TrialExpirationAction: new(TrialCancel)}, "TRIAL_EXPIRED 2025-01-15 2025-02-14"},
		{"canceled", SubscriptionRecord{StartDate: at(d("2025-01-01")), CancellationDate: at(d("2025-06-10"))}, "CANCELED 2025-06-01 2025-06-30"},
		{"to be canceled", SubscriptionRecord{StartDate: at(d("2025-01-01")), CancellationDate: at(d("2026-02-01"))}, "ACTIVE 2026-01-01 2026-01-31"},
	} {
		s, err := RestoreSubscription(c.record, offers[monthlyID], findOffer, today)
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
	line := func(id ChargeID, from, to string) SubscriptionCharge {
		return SubscriptionCharge{PriceListID: monthlyID, ChargeID: id, Code: "base", Type: Recurring, StartDate: d(from), EndDate: d(to)}
	}
	for _, c := range []struct {
		name   string
		record SubscriptionRecord
		field  string
	}{
		{"no start", SubscriptionRecord{}, "startDate"},
		{"another state", SubscriptionRecord{StartDate: start, State: new(StateCanceled)}, "state"},
		{"no such state", SubscriptionRecord{StartDate: start, State: new(SubscriptionState("DEAD")), AsOf: &today}, "state"},
		{"as of tomorrow", SubscriptionRecord{StartDate: start, State: new(StateActive), AsOf: at(today.AddDays(1))}, "asOf"},
		{"as of a day without a state", SubscriptionRecord{StartDate: start, AsOf: &today}, "state"},
		{"pending after its start", SubscriptionRecord{StartDate: start, State: new(StatePending), AsOf: &today}, "state"},
		{"end before start", SubscriptionRecord{StartDate: start, EndDate: at(d("2024-01-01"))}, "endDate"},
		{"half a trial", SubscriptionRecord{StartDate: start, TrialEndDate: start}, "trialStartDate"},
		{"a trial that ends before it begins", SubscriptionRecord{StartDate: start, TrialStartDate: start, TrialEndDate: at(d("2024-12-31"))}, "trialEndDate"},
		{"paid during the trial", SubscriptionRecord{StartDate: start, TrialStartDate: start, TrialEndDate: at(d("2025-02-01"))}, "startDate"},
		{"a cancellation after the term", SubscriptionRecord{StartDate: start, CancellationDate: at(d("2026-06-01"))}, "cancellationDate"},
		{"a change of plan that is due", SubscriptionRecord{StartDate: start, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-01-01")}}, "nextPriceList"},
		{"a change of plan on another day", SubscriptionRecord{StartDate: start, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-01-20")}}, "nextPriceList"},
		{"no such charge", SubscriptionRecord{StartDate: start, Quantities: []QuantityOrder{{Code: "x"}}}, "quantities.0.code"},
		{"too many", SubscriptionRecord{StartDate: start, Quantities: []QuantityOrder{{Code: "seats", Quantity: new(101)}}}, "quantities.0.quantity"},
		{"lines that overlap", SubscriptionRecord{StartDate: start, Lines: []SubscriptionCharge{line(101, "2025-01-01", "2025-02-01"), line(101, "2025-02-01", "2026-01-31")}}, "lines.1.startDate"},
		{"an anchor that does not fit", SubscriptionRecord{StartDate: start, EndDate: at(d("2026-01-31")), AnchorDay: new(5)}, "anchorDay"},
	} {
		_, err := RestoreSubscription(c.record, offers[monthlyID], findOffer, today)
		problems, _ := AsProblems(err)
		if len(problems) == 0 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if have := strings.Join(problems[0].Field, "."); have != c.field {
			t.Errorf("%s: a problem with %q (%v), want %q", c.name, have, err, c.field)
		}
	}
}
