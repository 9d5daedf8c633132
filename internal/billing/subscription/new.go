package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Draft is what a caller asks for in a new subscription. StartDate
// is the first paid day; with a trial and no TrialStartDate it is the first day
// of the trial.
type Draft struct {
	Trial                 bool
	Evergreen             bool
	StartDate             *billing.Date
	EndDate               *billing.Date
	TrialStartDate        *billing.Date
	RenewalTermMonths     *int
	TrialExpirationAction *catalog.TrialExpirationAction
	Quantities            []QuantityOrder
}

// New decides what a new subscription on an offer is today. One
// that starts in the past is brought to today's term at once, or to its end if
// it is over.
func New(d Draft, o *Offer, today billing.Date) (Subscription, Change, error) {
	s := Subscription{
		ProductID: o.ProductID, PriceListID: o.PriceList.ID, State: StatePending,
		Evergreen: d.Evergreen, RenewalTermMonths: o.PriceList.RenewalTermMonths,
	}
	problems := s.setDates(d, o, today)
	orders, wrong := o.resolve(d.Quantities)
	if problems.Add(wrong...); len(problems) > 0 {
		return Subscription{}, Change{}, problems
	}
	s.Charges = o.lines(orders, s.FirstDay(), s.EndDate)
	s, err := s.BroughtTo(today, nil)
	if err != nil {
		return Subscription{}, Change{}, err
	}
	return s, Change{Kind: KindCreated, To: s.State}, nil
}

// setDates sets the trial and the first term.
func (s *Subscription) setDates(d Draft, o *Offer, today billing.Date) billing.Problems {
	var problems billing.Problems
	if d.RenewalTermMonths != nil {
		if e := checkTermMonths(*d.RenewalTermMonths); e != nil {
			problems.Add(e)
		} else {
			s.RenewalTermMonths = *d.RenewalTermMonths
		}
	}
	s.StartDate = today
	if d.StartDate != nil {
		s.StartDate = *d.StartDate
	}
	problems.Add(s.setTrial(d, o, today))
	if d.EndDate != nil && d.EndDate.Before(s.StartDate) {
		problems.Add(billing.Invalidf("endDate", "The end (%s) is before the start (%s).", *d.EndDate, s.StartDate))
		return problems
	}
	s.startTerm(d.EndDate)
	field := "startDate"
	switch {
	case d.EndDate != nil:
		field = "endDate"
	case d.TrialStartDate != nil:
		field = "trialStartDate"
	}
	problems.Add(checkLastDay(field, s.EndDate))
	return problems
}

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
