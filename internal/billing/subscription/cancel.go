package subscription

import "github.com/tenantry/tenantry/internal/billing"

// Cancellation says how a subscription is to end.
type Cancellation struct {
	// On is the first day without the subscription: today if it is nil, or a later
	// day of the term up to the day after its end.
	On *billing.Date
	// AtTermEnd waits for the end of the term, in place of a day.
	AtTermEnd bool
	// Unused says what becomes of days that were billed in advance.
	Unused UnusedDays
}

// Cancel ends the subscription.
func (s Subscription) Cancel(c Cancellation, today billing.Date) (Subscription, Change, error) {
	if err := s.mayBe("canceled"); err != nil {
		return s, Change{}, err
	}
	now, last := s.now(today), s.EndDate.AddDays(1)
	on := now
	switch {
	case c.On != nil && c.AtTermEnd:
		return s, Change{}, billing.Invalidf("cancellationDate", "Give cancellationDate or atTermEnd, not both.")
	case c.AtTermEnd:
		on = s.TermEnd()
	case c.On != nil && *c.On != today:
		on = *c.On
	}
	if on.Before(now) || on.After(last) {
		return s, Change{}, billing.Invalidf("cancellationDate", "The cancellation date must be from today (%s) to the day after the term (%s), not %s.", now, last, on)
	}
	unused := keptUnused(c.Unused)
	if s.CancellationDate != nil && *s.CancellationDate == on && (s.Unused == nil) == (unused == nil) {
		return s, Change{}, nil
	}
	if n := s.NextPriceList; n != nil && on.After(n.On) {
		return s, Change{}, billing.Fail(billing.NotAllowed, "cancellationDate", "Subscription %d is %s, and a change of plan is scheduled for %s, before the cancellation. Take that back first, or cancel by then.", s.ID, s.inWords(), n.On)
	}
	next := s.clone()
	next.CancellationDate, next.Unused, next.AsOf = &on, unused, now
	change := Change{Kind: KindCancelScheduled, From: s.State, Detail: map[string]any{"cancellationDate": on.String()}}
	if unused != nil {
		change.Detail["unused"] = *unused
	}
	if on == now {
		next.end(StateCanceled, now)
		change.Kind = KindStateChanged
	}
	change.To = next.State
	return next, change, nil
}

// Reinstate takes back a scheduled cancellation, or starts a fresh term of a
// subscription that is over: today, or on an earlier day of the old term. A term
// that would be over already is refused if it is not to be renewed.
func (s Subscription) Reinstate(effective *billing.Date, today billing.Date) (Subscription, Change, error) {
	if err := s.sound(); err != nil {
		return s, Change{}, err
	}
	if !s.State.Ended() {
		return s.takeCancellationBack(today)
	}
	now := s.now(today)
	start := now
	if effective != nil && *effective != today {
		start = *effective
	}
	if e := s.checkFreshStart(start, now); e != nil {
		return s, Change{}, e
	}
	next := s.clone()
	next.startAfresh(start)
	freshEnd := next.EndDate
	next, err := next.BroughtTo(now, nil)
	if err != nil {
		return s, Change{}, err
	}
	if next.State.Ended() {
		return s, Change{}, billing.Invalidf("effectiveDate", "A term from %s would have ended on %s already, and the subscription does not renew.", start, freshEnd)
	}
	change := Change{
		Kind: KindStateChanged, From: s.State, To: next.State,
		Detail: map[string]any{"effectiveDate": start.String()},
	}
	return next, change, nil
}

// takeCancellationBack takes back a scheduled cancellation.
func (s Subscription) takeCancellationBack(today billing.Date) (Subscription, Change, error) {
	if s.CancellationDate == nil {
		return s, Change{}, s.refused("reinstated: it is not canceled")
	}
	next := s.clone()
	next.CancellationDate, next.Unused, next.AsOf = nil, nil, s.now(today)
	change := Change{
		Kind: KindCancelUnscheduled, From: s.State, To: s.State,
		Detail: map[string]any{"cancellationDate": s.CancellationDate.String()},
	}
	return next, change, nil
}

// hadPaidDay reports whether a subscription that is over got as far as its paid
// term.
func (s *Subscription) hadPaidDay() bool {
	ended, _ := s.EndedOn()
	return ended.After(s.StartDate)
}

// checkFreshStart refuses a fresh term that starts neither today nor on an
// earlier day of the old term, which for a subscription that never got to be
// paid begins with its trial.
func (s *Subscription) checkFreshStart(start, now billing.Date) *billing.Error {
	first := s.FirstDay()
	if s.hadPaidDay() {
		first = maxDate(s.StartDate, s.TermStartDate)
	}
	if start == now || start.Before(now) && !start.Before(first) && !start.After(s.EndDate) {
		return nil
	}
	return billing.Invalidf("effectiveDate", "The fresh term starts today (%s) or on an earlier day of the old term (%s to %s), not on %s.", now, first, s.EndDate, start)
}

// startAfresh lets a subscription that is over be active, in a paid term from
// that day on. A trial that did not take place is forgotten.
func (s *Subscription) startAfresh(start billing.Date) {
	ended, _ := s.EndedOn()
	switch {
	case s.TrialStartDate == nil:
	case !ended.After(*s.TrialStartDate):
		s.TrialStartDate, s.TrialEndDate, s.TrialExpirationAction = nil, nil, nil
	case !s.TrialEndDate.Before(start):
		s.TrialEndDate = at(maxDate(start.AddDays(-1), *s.TrialStartDate))
	}
	fresh := !s.hadPaidDay()
	if fresh {
		s.StartDate = start
	}
	s.State, s.CancellationDate, s.Unused, s.AsOf = StateActive, nil, nil, start
	s.TermStartDate, s.AnchorDay = start, start.Day
	s.EndDate = termEnd(start, s.RenewalTermMonths, s.AnchorDay)
	if s.Epochs = s.Epochs.Restarted(start, s.AnchorDay, s.RenewalTermMonths); fresh {
		s.setFirstEpoch()
	}
	s.endKept(start)
	s.reopenLines(ended, start)
	if s.Pauses.Current() != (billing.Date{}) { // it is still suspended
		s.Pauses = s.Pauses.Ended(minDate(ended, start)).Begun(start)
	}
}
