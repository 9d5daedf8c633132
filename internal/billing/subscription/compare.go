package subscription

import (
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// BroughtTo is the subscription with all that is due until a day done.
func (s Subscription) BroughtTo(day billing.Date, offers Offers) (Subscription, error) {
	then := s
	for moved := false; ; moved = true {
		due, some := then.Due()
		if !some || due.After(day) {
			then.AsOf = maxDate(then.AsOf, day)
			return then, nil
		}
		if !moved { // the steps share one copy
			then = s.clone()
		}
		if _, err := then.step(due, offers); err != nil {
			return s, err
		}
	}
}

// Unlike names, as JSON does, the fields in which two accounts of a
// subscription differ. Of one that has been brought further than the other it
// compares what the other becomes by then, if that can be told.
func (s Subscription) Unlike(other Subscription, offers Offers) []string {
	later := maxDate(s.AsOf, other.AsOf)
	if then, err := s.BroughtTo(later, offers); err == nil {
		s = then
	}
	if then, err := other.BroughtTo(later, offers); err == nil {
		other = then
	}
	s, other = s.bare(offers), other.bare(offers)
	var names []string
	for name := range billing.Changes(&s, &other) {
		names = append(names, name)
	}
	slices.Sort(names)
	if s.TermStartDate != other.TermStartDate {
		names = append(names, "termStartDate")
	}
	if s.AnchorDay != other.AnchorDay {
		names = append(names, "anchorDay")
	}
	if !slices.Equal(s.Epochs, other.Epochs) {
		names = append(names, "epochs")
	}
	if !slices.EqualFunc(s.Pauses, other.Pauses, samePause) {
		names = append(names, "pauses")
	}
	if len(s.Charges)+len(other.Charges) > 0 && !reflect.DeepEqual(s.Charges, other.Charges) {
		names = append(names, "lines")
	}
	return names
}

// bare is the subscription without what only this database knows. The ids of
// what was deleted are below zero in a subscription that came from elsewhere.
func (s Subscription) bare(offers Offers) Subscription {
	s = s.clone()
	s.ID, s.Problem = 0, nil
	for i := range s.Charges {
		line := &s.Charges[i]
		line.ID, line.PriceListID, line.ChargeID = 0, max(line.PriceListID, -line.PriceListID), max(line.ChargeID, -line.ChargeID)
		if line.FeatureID != nil {
			feature := max(*line.FeatureID, -*line.FeatureID)
			line.FeatureID = &feature
		}
	}
	if s.NextPriceList != nil {
		s.NextPriceList = s.NextPriceList.bare(offers)
	}
	return s
}

// bare is the change without quantities of charges that are gone, and without
// codes, which may have changed since it was ordered.
func (n NextPriceList) bare(offers Offers) *NextPriceList {
	given := n.Quantities
	n.Quantities = nil
	o, err := offers(n.ID)
	for _, q := range given {
		if err == nil && slices.ContainsFunc(o.Charges, func(c catalog.Charge) bool { return c.ID == q.ChargeID }) {
			n.Quantities = append(n.Quantities, PlannedQuantity{ChargeID: q.ChargeID, Quantity: q.Quantity})
		}
	}
	return &n
}

// samePause compares pauses. An import ends one that goes on, because it does not have
// the standing.
func samePause(a, b ledger.Pause) bool {
	return a.From == b.From && (a.To == b.To || a.To == billing.Date{} || b.To == billing.Date{})
}
