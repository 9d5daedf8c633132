package subscription

import (
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// NoteChange notes what an action changed about what is owed, for the next
// billing of the account: from which day on, and since when. before is nil if
// the subscription is new. Every action notes its change; the passing of time
// changes nothing, because what it brings is counted with before it happens.
func (s *Subscription) NoteChange(before *Subscription, today billing.Date) {
	first, changed := s.StartDate, true
	if before != nil {
		first, changed = s.firstChange(before)
		if !same(s.PONumber, before.PONumber) || s.SeparateInvoice != before.SeparateInvoice {
			s.BillOn = sooner(s.BillOn, today) // a draft may have to say so
		}
	}
	if !changed {
		return
	}
	s.DirtyFrom = sooner(s.DirtyFrom, first)
	s.ChangedOn = sooner(s.ChangedOn, today)
	s.BillOn = sooner(s.BillOn, today)
}

// firstChange is a day before which the same is owed as before, and whether
// something else may be owed from then on. To project both to the end of the
// longest period would find the very day, at the cost of a dozen renewals each.
func (s *Subscription) firstChange(before *Subscription) (billing.Date, bool) {
	was, is := before.laidOut(before.billedElsewhere()), s.laidOut(s.billedElsewhere())
	var first *billing.Date
	if day, changed := ledger.FirstChange(&was, &is); changed {
		first = &day
	}
	for _, day := range s.changesAhead(before) {
		first = sooner(first, day)
	}
	if first == nil {
		return billing.Date{}, false
	}
	// Nothing is owed before the first paid day.
	start := s.StartDate
	if before.StartDate.Before(start) {
		start = before.StartDate
	}
	return maxDate(*first, start), true
}

// changesAhead are the days on which something else will happen than would have.
func (s *Subscription) changesAhead(before *Subscription) (days []billing.Date) {
	renewal := s.Evergreen != before.Evergreen || s.RenewalTermMonths != before.RenewalTermMonths || s.AnchorDay != before.AnchorDay
	trial := !same(s.TrialEndDate, before.TrialEndDate) || !same(s.TrialExpirationAction, before.TrialExpirationAction)
	if renewal || trial || s.EndDate != before.EndDate {
		days = append(days, s.TermEnd(), before.TermEnd())
	}
	canceled := !same(s.CancellationDate, before.CancellationDate) || !same(s.Unused, before.Unused)
	planned := !reflect.DeepEqual(s.NextPriceList, before.NextPriceList)
	for _, one := range []*Subscription{s, before} {
		if canceled && one.CancellationDate != nil {
			days = append(days, *one.CancellationDate)
		}
		if planned && one.NextPriceList != nil {
			days = append(days, one.NextPriceList.On)
		}
	}
	return append(append(days, s.offSince(before)...), before.offSince(s)...)
}

// offSince are the days from which a charge is ordered off and was not in the
// other subscription. Where this is the first day of the next term, the lines
// that are owed say nothing of it: they end with the term anyway.
func (s *Subscription) offSince(other *Subscription) (days []billing.Date) {
	for _, line := range s.Charges {
		if line.Off && !slices.ContainsFunc(other.Charges, func(o Line) bool {
			return o.Off && o.ChargeID == line.ChargeID && o.StartDate == line.StartDate
		}) {
			days = append(days, line.StartDate)
		}
	}
	return days
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

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
