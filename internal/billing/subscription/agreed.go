package subscription

import "slices"

// KeepAgreed holds a subscription that was restored again, from quantities, to what was
// agreed before: lines keep the rates of their charges, whatever the catalog has become since,
// and a charge that was added to the price list has no line until somebody orders it.
func (s *Subscription) KeepAgreed(was *Subscription, orders []QuantityOrder, o *Offer) {
	if was.PriceListID != s.PriceListID {
		return
	}
	named, _ := o.resolve(orders) // Restore has found nothing wrong with them
	s.Charges = slices.DeleteFunc(s.Charges, func(line Line) bool {
		return !slices.ContainsFunc(was.Charges, func(known Line) bool { return known.ChargeID == line.ChargeID }) &&
			!slices.ContainsFunc(named, func(n ordered) bool { return n.charge.ID == line.ChargeID })
	})
	for i := range s.Charges {
		line := &s.Charges[i]
		if known := was.agreed(line); known != nil {
			line.Rate, line.Price, line.Name = known.Rate, known.Price, known.Name
		}
	}
}

// agreed returns the line by which the charge of another one is priced: the last that began by
// then, or the first of all; nil if there is none.
func (s *Subscription) agreed(line *Line) (found *Line) {
	for i := range s.Charges {
		known := &s.Charges[i]
		if known.ChargeID != line.ChargeID || known.PriceListID != line.PriceListID || known.Rate == nil {
			continue
		}
		if found == nil || !known.StartDate.After(line.StartDate) {
			found = known
		}
	}
	return found
}
