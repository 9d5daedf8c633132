package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// NoteChange notes what an action changed about what is owed, for the next
// billing of the account: from which day on, and since when. before is nil if
// the subscription is new. Every action notes its change; the passing of time
// changes nothing, because what it brings is counted with before it happens.
func (s *Subscription) NoteChange(before *Subscription, offers Offers, today billing.Date) {
	first, changed := s.firstChange(before, offers, s.now(today))
	if !changed {
		return
	}
	s.DirtyFrom = sooner(s.DirtyFrom, first)
	s.ChangedOn = sooner(s.ChangedOn, today)
	s.BillOn = sooner(s.BillOn, today)
}

// firstChange is the first day from which on something else may be owed than
// before: the first paid day if that cannot be told.
func (s *Subscription) firstChange(before *Subscription, offers Offers, today billing.Date) (billing.Date, bool) {
	if before == nil {
		return s.StartDate, true
	}
	start := s.StartDate
	if before.StartDate.Before(start) {
		start = before.StartDate
	}
	was, err := before.Timeline(today, before.billedElsewhere(), offers)
	if err != nil {
		return start, true
	}
	is, err := s.Timeline(today, s.billedElsewhere(), offers)
	if err != nil {
		return start, true
	}
	first, changed := ledger.FirstChange(&was, &is)
	return maxDate(first, start), changed
}

// billedElsewhere is the first day that was not billed elsewhere.
func (s *Subscription) billedElsewhere() billing.Date {
	if s.BilledThrough == nil {
		return s.StartDate
	}
	return ledger.BillingStart(s.StartDate, billing.Date{}, *s.BilledThrough)
}

// sooner is the earlier of two days of which the first may be none.
func sooner(known *billing.Date, day billing.Date) *billing.Date {
	if known != nil && known.Before(day) {
		return known
	}
	return &day
}
