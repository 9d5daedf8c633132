package subscription

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Ask is a charge whose number a person is asked for before a subscription is
// made, moved to another price list or changed.
type Ask struct {
	Charge *catalog.Charge
	// Quantity is the number that follows if nobody says another one, nil if
	// the charge has none then.
	Quantity *int
	// Kept says that the subscription has the quantity already: it stays if
	// nothing is said.
	Kept bool
	// Required says that the charge cannot be without a number.
	Required bool
	// Counts says that the charge is on the subscription without a number, too:
	// then it counts once.
	Counts bool
	// Included is the number that the plan gives without the charge.
	Included *int
}

// Fits reports whether the charge sells that number, nil being none.
func (a *Ask) Fits(n *int) bool {
	if n == nil {
		return !a.Required
	}
	return *n >= 0 && *n <= billing.MaxQuantity && a.Charge.Sells(*n)
}

func (o *Offer) ask(c *catalog.Charge) Ask {
	a := Ask{Charge: c, Required: o.sellsNumber(c) && !o.includes(c)}
	if c.FeatureID != nil {
		a.Included = o.Features[*c.FeatureID].Included
	}
	return a
}

// Asks returns what is asked for in a new subscription on the offer.
func (o *Offer) Asks() []Ask {
	var asks []Ask
	for i := range o.Charges {
		if c := &o.Charges[i]; c.ChargeType != catalog.Usage {
			a := o.ask(c)
			a.Quantity, a.Counts = o.unquoted(c)
			asks = append(asks, a)
		}
	}
	return asks
}

// AsksToMove returns what is asked for in a change of plan to the offer on a
// day: the numbers that are carried over, and those that are needed.
func (s *Subscription) AsksToMove(o *Offer, on billing.Date) []Ask {
	m, lines := move{to: o, on: on}, s.linesOfPlan()
	var asks []Ask
	for i := range o.Charges {
		c := &o.Charges[i]
		if c.ChargeType != catalog.Recurring {
			continue
		}
		a := o.ask(c)
		a.Counts = !o.sellsNumber(c)
		if a.Quantity = sumOn(on, m.going(lines, c)); a.Quantity != nil || !a.Required {
			a.Kept = true
		} else {
			a.Quantity, _ = o.unquoted(c)
		}
		asks = append(asks, a)
	}
	return asks
}

// AsksToChange returns what is asked for in a change of quantities from a day
// on. o is the offer that the subscription is on. What is due once is asked for
// on its day alone.
func (s *Subscription) AsksToChange(o *Offer, from billing.Date) []Ask {
	var asks []Ask
	for i := range o.Charges {
		c := &o.Charges[i]
		var lines []*Line
		for j := range s.Charges {
			if line := &s.Charges[j]; line.ChargeID == c.ID && line.counted() {
				lines = append(lines, line)
			}
		}
		if c.ChargeType == catalog.Usage || c.ChargeType == catalog.OneTime && s.checkStillDue(ordered{charge: c}, from) != nil {
			continue
		}
		a := o.ask(c)
		a.Quantity, a.Kept = sumOn(from, lines), true
		a.Counts = slices.ContainsFunc(lines, func(line *Line) bool { return !line.Off && s.counts(line, from) })
		a.Required = a.Required && a.Quantity != nil // a charge that is new on the price list may stay off
		asks = append(asks, a)
	}
	return asks
}

// Earliest is the first day on which something can change: today, or the first
// day of a subscription that has not begun.
func (s *Subscription) Earliest(today billing.Date) billing.Date {
	return maxDate(s.now(today), s.FirstDay())
}

// NextTerm returns the first day after the trial or the term, and whether
// another term follows.
func (s *Subscription) NextTerm() (billing.Date, bool) {
	return s.TermEnd(), s.checkFollowed("") == nil
}

// RestartedTerm returns the first and the last day of the term if a change of
// plan restarts it today.
func (s *Subscription) RestartedTerm(months int, today billing.Date) (first, last billing.Date) {
	first = maxDate(s.Earliest(today), s.StartDate)
	return first, termEnd(first, months, first.Day)
}

// PaidTerm returns the paid term that the subscription is in or comes to, as
// far as it lasts, and false if it ends before there is one.
func (s *Subscription) PaidTerm() (first, last billing.Date, paid bool) {
	first, last = maxDate(s.StartDate, s.TermStartDate), s.EndDate
	if c := s.CancellationDate; c != nil && !c.After(last) {
		last = c.AddDays(-1)
	}
	if ended, over := s.EndedOn(); over && !ended.After(last) {
		last = ended.AddDays(-1)
	}
	unpaid := s.State == StateTrialExpired || s.hasTrialAhead() && s.TrialExpirationAction != nil && *s.TrialExpirationAction == catalog.TrialCancel
	return first, last, !unpaid && !last.Before(first)
}
