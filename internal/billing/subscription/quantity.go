package subscription

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// QuantityUpdate says which quantities are to change, and from when on.
type QuantityUpdate struct {
	Orders []QuantityOrder
	// StartDate is the first day with the new quantities: today if it is nil, or
	// the first day of a subscription that has not begun.
	StartDate *billing.Date
	// AtTermEnd waits for the end of the term, in place of a day.
	AtTermEnd bool
	// Scheduled says what becomes of later changes of the same charges.
	Scheduled Scheduled
	// Unused says what becomes of days that were billed in advance where a new
	// quantity costs less.
	Unused UnusedDays
}

// ChangeQuantities sets quantities from a day on. Every order is kept until its
// day comes, be its number the present one or not, so that it does not matter
// in which order they are given.
func (s Subscription) ChangeQuantities(u QuantityUpdate, offers Offers, today billing.Date) (Subscription, Change, error) {
	if err := s.mayBe("changed in quantity"); err != nil {
		return s, Change{}, err
	}
	now := s.now(today)
	earliest := maxDate(now, s.FirstDay())
	start, e := s.quantityStart(u, earliest, today)
	if e != nil {
		return s, Change{}, e
	}
	if len(u.Orders) == 0 {
		return s, Change{}, billing.Requiredf("quantities", "Name at least one quantity to change.")
	}
	o, err := offers(s.PriceListID)
	if err != nil {
		return s, Change{}, err
	}
	resolved, problems := o.resolve(u.Orders)
	for _, order := range resolved {
		problems.Add(s.checkStillDue(order, start), s.checkLater(order, start, earliest, u.Scheduled))
	}
	if len(problems) > 0 {
		return s, Change{}, problems
	}
	next := s.clone()
	changed := map[string]any{}
	for _, order := range resolved {
		dropped := u.Scheduled == ReplaceScheduled && next.dropLater(order.charge.ID, start)
		set := next.setQuantity(o, order, start, earliest)
		if set {
			next.keepBefore(order.charge.ID, start, u.Unused)
		}
		if set || dropped {
			changed[order.charge.Code] = quoted(order.quantity)
		}
	}
	if len(changed) == 0 {
		return s, Change{}, nil
	}
	if next.AsOf = now; start == earliest {
		next.settleKept(start)
	}
	if err := next.checkPlanned(&s, offers); err != nil {
		return s, Change{}, err
	}
	change := Change{Kind: KindQuantityChanged, From: s.State, To: s.State, Detail: map[string]any{"quantities": changed, "startDate": start.String()}}
	if u.Unused == KeepUnused {
		change.Detail["unused"] = u.Unused
	}
	if start.After(earliest) {
		change.Kind = KindQuantityScheduled
	}
	return next, change, nil
}

// quantityStart is the first day of new quantities: one from the earliest to
// the first day of the next term, if there will be one.
func (s *Subscription) quantityStart(u QuantityUpdate, earliest, today billing.Date) (billing.Date, *billing.Error) {
	start := earliest
	switch {
	case u.AtTermEnd && u.StartDate != nil:
		return start, billing.Invalidf("startDate", "Give startDate or atTermEnd, not both.")
	case u.AtTermEnd:
		return s.TermEnd(), s.checkFollowed("atTermEnd")
	case u.StartDate != nil && *u.StartDate != today:
		start = *u.StartDate
	}
	last := s.lastQuantityDay()
	switch {
	case last.Before(earliest):
		return start, billing.Fail(billing.NotAllowed, "startDate", "Subscription %d is %s and ends on %s, before anything could change.", s.ID, s.inWords(), last.AddDays(1))
	case start.Before(earliest), start.After(last):
		return start, billing.Invalidf("startDate", "A quantity changes on a day from %s to %s, not on %s.", earliest, last, start)
	}
	return start, nil
}

// lastQuantityDay is the first day of the next term, or the last day of the
// subscription if no term follows.
func (s *Subscription) lastQuantityDay() billing.Date {
	last := s.EndDate
	switch {
	case s.hasTrialAhead() && *s.TrialExpirationAction == catalog.TrialCancel:
		last = *s.TrialEndDate
	case s.Evergreen:
		last = s.EndDate.AddDays(1)
	}
	if c := s.CancellationDate; c != nil && !c.After(last) {
		last = c.AddDays(-1)
	}
	return last
}

// checkStillDue refuses to change a one-time charge on another day than its own.
func (s *Subscription) checkStillDue(order ordered, on billing.Date) *billing.Error {
	var once *Line
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID == order.charge.ID && line.Type == catalog.OneTime && (once == nil || line.StartDate.After(once.StartDate)) {
			once = line
		}
	}
	if once == nil || once.StartDate == on {
		return nil
	}
	return billing.Invalidf(order.field+".code", "The charge %q is due once, on %s; its quantity cannot change on %s.", once.Code, once.StartDate, on)
}

// checkLater refuses an order for a charge that has a change scheduled for that
// day or a later one, unless it says what becomes of that.
func (s *Subscription) checkLater(order ordered, start, earliest billing.Date, scheduled Scheduled) *billing.Error {
	if scheduled == ReplaceScheduled || order.charge.ChargeType == catalog.OneTime {
		return nil
	}
	var next *Line
	for i := range s.Charges {
		line := &s.Charges[i]
		switch {
		case line.ChargeID != order.charge.ID || !line.StartDate.After(earliest):
		case line.StartDate == start && !sameQuantity(line.Quantity, order.quantity):
			return billing.Fail(billing.NotAllowed, "scheduled", "%s is scheduled already. Take it back first, or give scheduled: REPLACE to order %s instead.", line.scheduled(), inWords(order.quantity))
		case line.StartDate.After(start) && (next == nil || line.StartDate.Before(next.StartDate)):
			next = line
		}
	}
	if next != nil && scheduled == "" {
		return billing.Fail(billing.NotAllowed, "scheduled", "%s is scheduled already. Give scheduled: KEEP to have %s until then, or scheduled: REPLACE to drop that change.", next.scheduled(), inWords(order.quantity))
	}
	return nil
}

// dropLater forgets changes of a charge that are scheduled for after a day, and
// reports whether there were any.
func (s *Subscription) dropLater(charge billing.ChargeID, after billing.Date) bool {
	count := len(s.Charges)
	s.dropLines(func(line *Line) bool { return line.ChargeID == charge && line.StartDate.After(after) })
	return len(s.Charges) < count
}

// setQuantity changes the quantity of a charge from a day on, and reports
// whether that is a change. The line that counts then is split, also where an
// order for a later day has the present number: until then another may be
// ordered.
func (s *Subscription) setQuantity(o *Offer, order ordered, from, earliest billing.Date) bool {
	off := order.quantity == nil && o.sellsNumber(order.charge)
	i := slices.IndexFunc(s.Charges, func(c Line) bool { return c.ChargeID == order.charge.ID && c.covers(from) })
	known := i >= 0
	switch {
	case !known && order.quantity == nil && (!off || from == earliest):
		return false // there is nothing to take off
	case !known:
		line := o.line(order.charge, order.quantity, from, from)
		line.lastsTo(s.endBefore(order.charge.ID, from))
		s.Charges = append(s.Charges, line)
		i = len(s.Charges) - 1
	case sameQuantity(s.Charges[i].Quantity, order.quantity) && (from == earliest || s.Charges[i].StartDate == from):
		return false
	case s.Charges[i].StartDate != from:
		later := s.Charges[i]
		later.ID, later.StartDate = 0, from
		s.Charges[i].EndDate, s.Charges[i].KeptTo = from.AddDays(-1), nil
		s.Charges = append(s.Charges, later)
		i = len(s.Charges) - 1
	}
	// The feature is what is ordered now, should the charge have got it since.
	s.Charges[i].Quantity, s.Charges[i].Off, s.Charges[i].FeatureID = order.quantity, off, order.charge.FeatureID
	if from == earliest {
		s.joinBack(i)
	}
	return true
}

// endBefore is the day before the charge's next line begins, or the end of the
// term if there is none.
func (s *Subscription) endBefore(charge billing.ChargeID, from billing.Date) billing.Date {
	end, followed := s.EndDate, false
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID == charge && line.StartDate.After(from) && (!followed || !line.StartDate.After(end)) {
			end, followed = line.StartDate.AddDays(-1), true
		}
	}
	return end
}

// joinBack makes one line of the one at i and the one right before it, if that
// quotes the same at the same rate: a change taken back on its own day leaves no trace.
func (s *Subscription) joinBack(i int) {
	joined := s.Charges[i]
	if joined.Type == catalog.OneTime {
		return
	}
	before := slices.IndexFunc(s.Charges, func(c Line) bool {
		return c.ChargeID == joined.ChargeID && c.EndDate.AddDays(1) == joined.StartDate && c.counted() && sameQuantity(c.Quantity, joined.Quantity) && c.sameRate(&joined)
	})
	if before < 0 {
		return
	}
	s.Charges[before].EndDate, s.Charges[before].KeptTo = joined.EndDate, joined.KeptTo
	s.Charges = slices.Delete(s.Charges, i, i+1)
}
