package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Due returns the day on whose beginning something happens to the subscription
// next, and whether anything will. Of one with bad data it is the day that the
// subscription has been brought to, so that Step is asked and says so.
func (s *Subscription) Due() (billing.Date, bool) {
	if s.State.Ended() {
		return billing.Date{}, false
	}
	if s.sound() != nil {
		return s.AsOf, true
	}
	due := s.TermEnd()
	sooner := func(d billing.Date) {
		if d.Before(due) {
			due = d
		}
	}
	if s.State == StatePending {
		sooner(s.FirstDay())
	}
	if s.CancellationDate != nil {
		sooner(*s.CancellationDate)
	}
	if s.NextPriceList != nil {
		sooner(s.NextPriceList.On)
	}
	if s.State.Live() {
		for i := range s.Charges {
			if from := s.Charges[i].StartDate; from.After(s.AsOf) {
				sooner(from)
			}
		}
	}
	return due, true
}

// Offers finds the offer of a price list.
type Offers func(billing.PriceListID) (*Offer, error)

// Step does the one thing that is due first. Of several that are due at the
// same moment, the order is: cancellation, beginning, end of the trial, change
// of plan, renewal or expiry, quantities. offers is asked for the price list
// of a scheduled change of plan. An error means that the subscription cannot be
// moved, and that it is as it was.
func (s Subscription) Step(offers Offers) (Subscription, Change, error) {
	due, some := s.Due()
	if !some {
		return s, Change{}, nil
	}
	next := s.clone()
	change, err := next.step(due, offers)
	if err != nil {
		return s, Change{}, err
	}
	return next, change, nil
}

// step does to the subscription what is due first.
func (s *Subscription) step(due billing.Date, offers Offers) (change Change, err error) {
	if err := s.sound(); err != nil {
		return Change{}, err
	}
	change = Change{Kind: KindStateChanged, From: s.State, On: due}
	// What else begins on this day waits for a step of its own.
	waits := s.State.Live() && s.hasQuantitiesFrom(due, nil)
	switch {
	case s.CancellationDate != nil && *s.CancellationDate == due:
		s.end(StateCanceled, due)
	case s.State == StatePending && s.FirstDay() == due:
		s.begin()
	case s.State == StateTrial && s.TermEnd() == due:
		s.endTrial(due)
	case s.NextPriceList != nil && s.NextPriceList.On == due:
		waits, err = s.changePlan(due, offers, &change)
	case s.State == StateActive && s.TermEnd() == due:
		err = s.endTerm(due, &change)
	default:
		waits = false
		change.Kind, change.Detail = KindQuantityChanged, map[string]any{"quantities": s.quantitiesFrom(due)}
	}
	if err != nil {
		return Change{}, err
	}
	s.settleKept(due)
	if s.AsOf = due; waits && s.State.Live() {
		s.AsOf = due.AddDays(-1)
	}
	change.To = s.State
	return change, nil
}

// begin lets a pending subscription begin.
func (s *Subscription) begin() {
	s.State = StateActive
	if s.TrialStartDate != nil {
		s.State = StateTrial
	}
}

// endTrial lets the paid term follow the trial, or nothing.
func (s *Subscription) endTrial(on billing.Date) {
	if s.TrialExpirationAction != nil && *s.TrialExpirationAction == catalog.TrialCancel {
		s.end(StateTrialExpired, on)
		return
	}
	s.State = StateActive
}

// changePlan does the scheduled change of plan. It reports whether quantities
// of the new price list wait for that day.
func (s *Subscription) changePlan(on billing.Date, offers Offers, change *Change) (waits bool, err error) {
	offer, err := offers(s.NextPriceList.ID)
	if err != nil {
		return false, err
	}
	waits = s.State.Live() && s.hasQuantitiesFrom(on, offer)
	change.Kind, change.Detail = KindPlanChanged, planDetail(s, offer)
	// A term that has not begun has the new length; the current one is over.
	was := *s
	s.switchTo(s.planned(offer), !on.After(s.StartDate) && offer.PriceList.RenewalTermMonths != s.RenewalTermMonths)
	s.followTerm(&was)
	return waits, nil
}

// endTerm lets the next term follow the paid one, or nothing.
func (s *Subscription) endTerm(on billing.Date, change *Change) error {
	if !s.Evergreen {
		s.end(StateExpired, on)
		return nil
	}
	change.Kind = KindRenewed
	if e := s.renew(); e != nil {
		return e
	}
	change.Detail = map[string]any{"endDate": s.EndDate.String()}
	return nil
}

// hasQuantitiesFrom reports whether quantities that have not been told of begin
// on that day; with an offer, whether it has charges for them.
func (s *Subscription) hasQuantitiesFrom(day billing.Date, o *Offer) bool {
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.StartDate == day && day.After(s.AsOf) && (o == nil || o.match(line) != nil) {
			return true
		}
	}
	return false
}

// quantitiesFrom returns the quantities that begin on that day, by code.
func (s *Subscription) quantitiesFrom(day billing.Date) map[string]any {
	quantities := map[string]any{}
	for i := range s.Charges {
		if line := &s.Charges[i]; line.StartDate == day {
			quantities[line.Code] = quoted(line.Quantity)
		}
	}
	return quantities
}
