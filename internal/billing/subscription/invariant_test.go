package subscription

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"pgregory.net/rapid"
)

// check fails unless all that must hold of the subscription does, now that
// everything due by today has been done.
func (l *life) check(t *rapid.T) {
	if err := l.s.sound(); err != nil {
		t.Fatal(err)
	}
	for _, problem := range slices.Concat(l.wrongState(), l.wrongDates(), l.wrongSchedules(), l.wrongLines()) {
		t.Errorf("%s", problem)
	}
	if t.Failed() {
		t.Fatalf("on %s, as of %s: %s\n%+v", l.today, l.s.AsOf, sketch(&l.s), l.s.Charges)
	}
	if e := l.s.Epochs.Check(); e != nil || l.s.Epochs[0].From != l.s.StartDate {
		t.Fatalf("%v: epochs %+v of %s", e, l.s.Epochs, sketch(&l.s))
	}
	l.checkRestored(t)
}

// claims are sentences that must not be true.
type claims []string

func (c *claims) unless(holds bool, otherwise string) {
	if !holds {
		*c = append(*c, otherwise)
	}
}

func (l *life) wrongState() (wrong claims) {
	s := &l.s
	between := func(first, last billing.Date) bool { return !l.today.Before(first) && !l.today.After(last) }
	switch s.State {
	case StatePending:
		wrong.unless(l.today.Before(s.FirstDay()), "pending although its first day has come")
	case StateTrial:
		wrong.unless(between(*s.TrialStartDate, *s.TrialEndDate), "trial although today is not in it")
	case StateActive:
		wrong.unless(between(s.TermStartDate, s.EndDate), "active although today is not in the term")
	case StateCanceled:
		wrong.unless(s.CancellationDate != nil && !s.CancellationDate.After(l.today), "canceled without a day for it")
	case StateExpired:
		wrong.unless(s.EndDate.Before(l.today) && !s.Evergreen, "expired although the term is not over")
	case StateTrialExpired:
		wrong.unless(s.TrialEndDate.Before(l.today) && *s.TrialExpirationAction == catalog.TrialCancel, "trial expired although it is not")
	default:
		wrong.unless(false, "in no state")
	}
	due, some := s.Due()
	wrong.unless(some == !s.State.Ended(), "something is due on what is over, or nothing on what is not")
	wrong.unless(!some || due.After(l.today) && !due.Before(s.AsOf), "due before today or AsOf")
	wrong.unless(!s.AsOf.After(l.today), "brought beyond today")
	ended, over := s.EndedOn()
	wrong.unless(over == s.State.Ended() && (!over || !ended.After(l.today)), "ended in the future")
	return wrong
}

func (l *life) wrongDates() (wrong claims) {
	s := &l.s
	wrong.unless((s.TrialStartDate == nil) == (s.TrialEndDate == nil) && (s.TrialStartDate == nil) == (s.TrialExpirationAction == nil), "half a trial")
	if s.TrialStartDate != nil {
		wrong.unless(!s.TrialEndDate.Before(*s.TrialStartDate), "trial ends before it begins")
		onFirstDay := *s.TrialEndDate == *s.TrialStartDate && s.StartDate == *s.TrialStartDate
		wrong.unless(s.TrialEndDate.Before(s.StartDate) || onFirstDay, "paid before the trial is over")
		wrong.unless(s.State.Ended() || s.State == StateActive || s.StartDate == s.TrialEndDate.AddDays(1), "the paid term does not follow the trial")
	}
	wrong.unless(!s.TermStartDate.Before(s.StartDate) && !s.EndDate.Before(s.TermStartDate), "term out of order")
	following := s.EndDate.AddDays(1)
	wrong.unless(billing.BillingDate(following.Year, following.Month, s.AnchorDay) == following, "the next term does not begin on its anchor")
	return wrong
}

func (l *life) wrongSchedules() (wrong claims) {
	s := &l.s
	if s.State.Ended() {
		wrong.unless(s.NextPriceList == nil && (s.CancellationDate == nil) == (s.State != StateCanceled), "something scheduled on what is over")
		return wrong
	}
	if c := s.CancellationDate; c != nil {
		wrong.unless(c.After(l.today) && !c.After(s.EndDate.AddDays(1)), "cancellation outside the term")
	}
	if n := s.NextPriceList; n != nil {
		wrong.unless(n.On == s.TermEnd() && n.ID != s.PriceListID, "a plan scheduled for another day than the end of the term")
	}
	return wrong
}

// wrongLines looks at the lines from today on; checkHistory at those before.
func (l *life) wrongLines() (wrong claims) {
	s := &l.s
	byCharge := map[billing.ChargeID][]Line{}
	ended, _ := s.EndedOn()
	wrong.unless(s.Unused == nil || s.CancellationDate != nil, "unused days are kept without a cancellation")
	for _, line := range s.Charges {
		byCharge[line.ChargeID] = append(byCharge[line.ChargeID], line)
		// What is due once by a plan that was left before the first paid day never is.
		left := line.Type == catalog.OneTime && (line.PriceListID != s.PriceListID || !line.StartDate.After(s.StartDate))
		wrong.unless(line.counted() || (s.State.Ended() || left) && line.EndDate.AddDays(1) == line.StartDate, "a line that ends before it begins")
		if k := line.KeptTo; k != nil {
			wrong.unless(k.After(line.EndDate) || *k == line.EndDate && !line.EndDate.Before(l.today), "kept to a day of the line itself")
			wrong.unless(line.counted() && line.Type == catalog.Recurring && line.Rate.BillingTiming == catalog.InAdvance, "kept although it is not billed in advance")
			wrong.unless(!s.State.Ended() || s.Unused != nil || k.Before(ended), "kept beyond the end")
		}
	}
	for _, lines := range byCharge {
		slices.SortFunc(lines, func(a, b Line) int {
			return cmp.Or(a.StartDate.Compare(b.StartDate), a.EndDate.Compare(b.EndDate))
		})
		for i := 1; i < len(lines); i++ {
			wrong.unless(lines[i-1].EndDate.Before(lines[i].StartDate), "lines of a charge overlap")
		}
	}
	for _, c := range offers[s.PriceListID].Charges {
		lines := byCharge[c.ID]
		if len(lines) == 0 {
			wrong.unless(c.ChargeType == catalog.OneTime || offers[s.PriceListID].includes(&c), "no line for "+c.Code)
			continue
		}
		wrong.unless(!slices.ContainsFunc(lines, func(line Line) bool {
			return offers[s.PriceListID].sellsNumber(&c) && (line.Quantity == nil) != line.Off || line.Off && !offers[s.PriceListID].includes(&c)
		}), "no number for "+c.Code)
		last := len(lines) - 1
		switch {
		case c.ChargeType == catalog.OneTime:
			wrong.unless(lines[last].StartDate == lines[last].EndDate || !lines[last].counted(), "a one-time line of several days")
		case s.State.Ended():
			ended, _ := s.EndedOn()
			wrong.unless(!lines[last].counted() || lines[last].EndDate.AddDays(1) == ended, "a line does not end with the subscription")
		default:
			wrong.unless(lines[last].EndDate == maxDate(s.EndDate, lines[last].StartDate), "a line does not end with the term")
			first := last
			for first > 0 && lines[first-1].EndDate.AddDays(1) == lines[first].StartDate {
				first--
			}
			orNone := offers[s.PriceListID].includes(&c)
			wrong.unless(orNone || !lines[first].StartDate.After(maxDate(l.today, s.FirstDay())), "a gap in the lines of a charge")
			wrong.unless(orNone || s.State != StatePending || lines[first].StartDate == s.FirstDay(), "a line does not begin with the subscription")
		}
	}
	return wrong
}

// checkHistory fails unless every day that was lived still has the lines that
// counted then, and no earlier subscription was touched.
func (l *life) checkHistory(t *rapid.T) {
	for day, lived := range l.lived {
		found := map[billing.ChargeID]bool{}
		for i := range l.s.Charges {
			line := &l.s.Charges[i]
			if !line.covers(day) {
				continue
			}
			quantity, known := lived.quantities[line.ChargeID]
			elsewhere := line.PriceListID != lived.list && line.Type != catalog.OneTime // what is due once stays due when the plan changes on its day
			if found[line.ChargeID] || elsewhere || !known || !sameQuantity(line.Quantity, quantity) {
				t.Fatalf("%s of list %d counts on %s, when it was list %d: %+v", line.Code, line.PriceListID, day, lived.list, l.s.Charges)
			}
			found[line.ChargeID] = true
		}
		for _, c := range offers[lived.list].Charges {
			if c.ChargeType != catalog.OneTime && !found[c.ID] && !offers[lived.list].includes(&c) {
				t.Fatalf("nothing counts for %s on %s: %+v", c.Code, day, l.s.Charges)
			}
		}
	}
	for _, k := range l.kept {
		if !reflect.DeepEqual(k.original, k.copied) {
			t.Fatalf("an original was changed: %s", sketch(&k.copied))
		}
	}
}
