package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// maxTrialDays bounds a trial, as it does on a price list.
const maxTrialDays = 3650

// setTrial sets the dates of the trial, if there is one. The paid term starts
// the day after it.
func (s *Subscription) setTrial(d Draft, o *Offer, today billing.Date) *billing.Error {
	switch {
	case !d.Trial && d.TrialStartDate != nil:
		return billing.Invalidf("trialStartDate", "A trial start is for a subscription with trial: true.")
	case !d.Trial && d.TrialExpirationAction != nil:
		return billing.Invalidf("trialExpirationAction", "What a trial ends with is for a subscription with trial: true.")
	case !d.Trial:
		return nil
	case !o.PriceList.TrialAllowed || o.PriceList.TrialLengthDays == nil:
		return billing.Invalidf("trial", "The price list %q allows no trial.", o.PriceList.Code)
	}
	action := catalog.TrialActivate
	if o.PriceList.TrialExpirationAction != nil {
		action = *o.PriceList.TrialExpirationAction
	}
	if d.TrialExpirationAction != nil {
		action = *d.TrialExpirationAction
	}
	start, days := today, *o.PriceList.TrialLengthDays
	switch {
	case d.TrialStartDate != nil && d.StartDate != nil:
		start = *d.TrialStartDate
		if days = start.DaysUntil(*d.StartDate); days < 1 || days > maxTrialDays {
			return billing.Invalidf("startDate", "The paid term starts 1 to %d days after the trial does, which is on %s; %s is not.", maxTrialDays, start, *d.StartDate)
		}
	case d.TrialStartDate != nil:
		start = *d.TrialStartDate
	case d.StartDate != nil:
		start = *d.StartDate
	}
	end := start.AddDays(days - 1)
	s.TrialStartDate, s.TrialEndDate, s.TrialExpirationAction, s.StartDate = &start, &end, &action, end.AddDays(1)
	return nil
}

// ExtendTrial moves the end of a trial to today or later, and the beginning of
// the paid term with it.
func (s Subscription) ExtendTrial(end billing.Date, offers Offers, today billing.Date) (Subscription, Change, error) {
	if s.State != StateTrial {
		return s, Change{}, s.refused("extended: it is not in a trial")
	}
	if err := s.sound(); err != nil {
		return s, Change{}, err
	}
	now := s.now(today)
	if end.Before(now) {
		return s, Change{}, billing.Invalidf("trialEndDate", "The trial must end today (%s) or later, not on %s.", now, end)
	}
	if end == *s.TrialEndDate {
		return s, Change{}, nil
	}
	next := s.clone()
	next.AsOf = now
	if e := next.endTrialOn("trialEndDate", end); e != nil {
		return s, Change{}, e
	}
	if err := next.followAll(&s, "trialEndDate", offers); err != nil {
		return s, Change{}, err
	}
	return next, Change{Kind: KindTrialExtended, From: s.State, To: s.State, Detail: map[string]any{"trialEndDate": end.String()}}, nil
}

// endTrialOn sets the last day of the trial, which the paid term follows.
func (s *Subscription) endTrialOn(field string, end billing.Date) *billing.Error {
	if s.TrialStartDate.DaysUntil(end) >= maxTrialDays {
		return billing.Invalidf(field, "A trial has at most %d days; this would be more from %s on.", maxTrialDays, *s.TrialStartDate)
	}
	s.TrialEndDate = &end
	if !s.restartTerm(end.AddDays(1)) {
		return billing.Invalidf(field, "The term ends on %s; the trial must be over before that.", s.EndDate)
	}
	return checkLastDay(field, s.EndDate)
}

// ConvertTrial ends a trial early: the paid term starts today, and the last day
// of the trial was yesterday. On the first day of the trial there is no
// yesterday: then that day is both, the trial it began as and the first paid
// one. A trial that ends before it starts would make no sense to receivers, and
// one without dates would forget that there was a trial. A change of plan that
// was to come with the end of the trial is due at once.
func (s Subscription) ConvertTrial(offers Offers, today billing.Date) (Subscription, Change, error) {
	if s.State != StateTrial {
		return s, Change{}, s.refused("converted: it is not in a trial")
	}
	if err := s.sound(); err != nil {
		return s, Change{}, err
	}
	now := s.now(today)
	next := s.clone()
	next.State, next.AsOf = StateActive, now
	next.TrialEndDate = at(maxDate(now.AddDays(-1), *s.TrialStartDate))
	next.restartTerm(now) // an end that somebody chose is after the trial anyway
	if e := s.checkTermEndStays(&next, ""); e != nil {
		return s, Change{}, e
	}
	next.followTerm(&s)
	if s.NextPriceList != nil {
		next.NextPriceList = s.NextPriceList.movedTo(now)
		if err := next.checkPlanned(&s, offers); err != nil {
			return s, Change{}, err
		}
	}
	return next, Change{Kind: KindStateChanged, From: s.State, To: next.State, Detail: map[string]any{"startDate": now.String()}}, nil
}
