package subscription

import "github.com/tenantry/tenantry/internal/billing"

// LedgerFrom is the day from which on keys have to be read to bill the subscription:
// whatever ended before is billed and has not changed since.
func (s *Subscription) LedgerFrom() billing.Date {
	if s.BilledOn == nil {
		return billing.Date{}
	}
	from := *s.BilledOn
	if s.DirtyFrom != nil && s.DirtyFrom.Before(from) {
		from = *s.DirtyFrom
	}
	if paused := s.Pauses.Current(); paused != (billing.Date{}) && paused.Before(from) {
		from = paused
	}
	return from
}

// LinesFrom is a day before which lines can have ended that are not needed to bill
// the subscription: none of their days is in a period that ends on LedgerFrom or
// later. It is zero if all lines are needed.
func (s *Subscription) LinesFrom() billing.Date {
	from := s.LedgerFrom()
	if from == (billing.Date{}) {
		return from
	}
	// The longest period can be a few days longer than it was a year before. What
	// is due once waits for the first paid day.
	from = from.AddMonths(-longestPeriod - 1)
	if !s.StartDate.Before(from) {
		return billing.Date{}
	}
	return from
}
