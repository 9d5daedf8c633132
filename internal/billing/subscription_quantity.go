package billing

import "slices"

// ChangeQuantities sets quantities from a day of the term on: from today, or
// from the first day of a subscription that has not begun, if no day is given.
// o is the offer that the subscription is on. Changes scheduled for later stay.
func (s Subscription) ChangeQuantities(orders []QuantityOrder, from *Date, o *Offer, today Date) (Subscription, SubscriptionChange, error) {
	if err := s.mayBe("changed in quantity"); err != nil {
		return s, SubscriptionChange{}, err
	}
	now := s.now(today)
	earliest := maxDate(now, s.FirstDay())
	start := earliest
	if from != nil && *from != today {
		start = *from
	}
	if start.Before(earliest) || start.After(s.EndDate) {
		return s, SubscriptionChange{}, invalid("startDate", "A quantity changes on a day from %s to the end of the term (%s), not on %s.", earliest, s.EndDate, start)
	}
	if len(orders) == 0 {
		return s, SubscriptionChange{}, required("quantities", "Name at least one quantity to change.")
	}
	resolved, problems := o.resolve(orders)
	for _, order := range resolved {
		problems.add(s.checkStillDue(order, start))
	}
	if len(problems) > 0 {
		return s, SubscriptionChange{}, problems
	}
	next := s.clone()
	changed := map[string]any{}
	for _, order := range resolved {
		if next.setQuantity(o, order, start) {
			changed[order.charge.Code] = quoted(order.quantity)
		}
	}
	if len(changed) == 0 {
		return s, SubscriptionChange{}, nil
	}
	next.AsOf = now
	change := SubscriptionChange{Kind: KindQuantityChanged, From: s.State, To: s.State, Detail: map[string]any{"quantities": changed, "startDate": start.String()}}
	if start.After(earliest) {
		change.Kind = KindQuantityScheduled
	}
	return next, change, nil
}

// checkStillDue refuses to change a one-time charge on another day than its own.
func (s *Subscription) checkStillDue(order ordered, on Date) *Error {
	var once *SubscriptionCharge
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID == order.charge.ID && line.Type == OneTime && (once == nil || line.StartDate.After(once.StartDate)) {
			once = line
		}
	}
	if once == nil || once.StartDate == on {
		return nil
	}
	return invalid(order.field+".code", "The charge %q is due once, on %s; its quantity cannot change on %s.", once.Code, once.StartDate, on)
}

// setQuantity changes the quantity of a charge from a day on, and reports
// whether that is a change. The line that counts then is split; a charge that
// came to the price list later gets its first line.
func (s *Subscription) setQuantity(o *Offer, order ordered, from Date) bool {
	i := slices.IndexFunc(s.Charges, func(c SubscriptionCharge) bool { return c.ChargeID == order.charge.ID && c.covers(from) })
	if i < 0 {
		if order.quantity == nil {
			return false
		}
		s.Charges = append(s.Charges, o.line(order.charge, order.quantity, from, s.endBefore(order.charge.ID, from)))
		s.joinLines(len(s.Charges) - 1)
		return true
	}
	line := &s.Charges[i]
	if sameQuantity(line.Quantity, order.quantity) {
		return false
	}
	if line.StartDate != from {
		later := *line
		later.ID, later.StartDate = 0, from
		line.EndDate = from.AddDays(-1)
		s.Charges = append(s.Charges, later)
		i = len(s.Charges) - 1
	}
	s.Charges[i].Quantity = order.quantity
	s.joinLines(i)
	return true
}

// endBefore is the day before the charge's next line begins, or the end of the
// term if there is none.
func (s *Subscription) endBefore(charge ChargeID, from Date) Date {
	end, followed := s.EndDate, false
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID == charge && line.StartDate.After(from) && (!followed || !line.StartDate.After(end)) {
			end, followed = line.StartDate.AddDays(-1), true
		}
	}
	return end
}

// joinLines makes one line of the one at i and those right before and after it
// that quote the same, so that a change taken back leaves no trace in time to
// come.
func (s *Subscription) joinLines(i int) {
	joined := s.Charges[i]
	if joined.Type == OneTime {
		return
	}
	s.Charges = slices.DeleteFunc(slices.Delete(s.Charges, i, i+1), func(c SubscriptionCharge) bool {
		switch {
		case c.ChargeID != joined.ChargeID || !sameQuantity(c.Quantity, joined.Quantity):
			return false
		case c.EndDate.AddDays(1) == joined.StartDate:
			joined.ID, joined.StartDate = c.ID, c.StartDate
		case c.StartDate == joined.EndDate.AddDays(1):
			joined.EndDate = c.EndDate
		default:
			return false
		}
		return true
	})
	if !s.isFollowed(&joined) {
		joined.lastsTo(s.EndDate)
	}
	s.Charges = append(s.Charges, joined)
}
