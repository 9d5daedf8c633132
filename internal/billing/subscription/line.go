package subscription

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Line is a line of a subscription: a charge of its price list
// with the quoted quantity, from one day to another. Lines of one charge do not
// overlap, and follow each other without a gap while the subscription lives on
// their price list. A line that ends the day before it begins never counted: it
// keeps what was agreed on a subscription that was over before.
type Line struct {
	ID billing.SubscriptionChargeID `json:"id"`
	// PriceListID is the price list that the line came from.
	PriceListID billing.PriceListID `json:"priceListId"`
	ChargeID    billing.ChargeID    `json:"chargeId"`
	Code        string              `json:"code"`
	Name        string              `json:"name"`
	FeatureID   *billing.FeatureID  `json:"featureId"`
	Type        catalog.ChargeType  `json:"type"`
	Quantity    *int                `json:"quantity"`
	Price       *billing.Price      `json:"price"`
	// Rate is what the line costs, frozen when the line was made. It is nil if it
	// cannot be known: the charge was deleted before rates were kept.
	Rate *rate.Rate `json:"rate,omitempty"`
	// CurrencyID is that of the price list.
	CurrencyID string       `json:"currencyId,omitempty"`
	StartDate  billing.Date `json:"startDate"`
	EndDate    billing.Date `json:"endDate"`
	// KeptTo is the last day that stays owed although the line has ended, because
	// unused days were kept when it was reduced or canceled. Of a line that is to
	// end later it is not final.
	KeptTo *billing.Date `json:"keptTo,omitempty"`
	// Off says that the charge is not on the subscription while the line lasts:
	// somebody took it off.
	Off bool `json:"off,omitempty"`
}

// SetRate gives a line that was made without a rate the one of its charge and
// price list, at the line's own price. It leaves the line as it is if the charge has become
// something else.
func (c *Line) SetRate(charge *catalog.Charge, list *catalog.PriceList) {
	r := rate.Of(charge, list.PricesIncludeTax)
	switch {
	case c.Type != charge.ChargeType, c.Price == nil && charge.Price != nil:
		return
	case c.Price != nil:
		r.PricingModel, r.Price, r.Tiers = catalog.Flat, c.Price, nil
	}
	c.Rate = &r
}

// sameRate reports whether two lines cost the same.
func (c *Line) sameRate(other *Line) bool {
	if c.Rate == nil || other.Rate == nil {
		return c.Rate == other.Rate
	}
	return c.Rate.Equal(other.Rate)
}

// covers reports whether the line counts on that day.
func (c *Line) covers(day billing.Date) bool {
	return !day.Before(c.StartDate) && !day.After(c.EndDate)
}

// counted reports whether there is a day on which the line counts.
func (c *Line) counted() bool { return !c.EndDate.Before(c.StartDate) }

// lastsTo lets the line end on that day, or on its first if that is later. A
// one-time line has one day only.
func (c *Line) lastsTo(end billing.Date) {
	c.EndDate = maxDate(c.StartDate, end)
	if c.Type == catalog.OneTime {
		c.EndDate = c.StartDate
	}
}

// counts reports whether a line of the subscription counts on that day. Those
// that last to the end of the term go on counting until the subscription has
// been moved on from there.
func (s *Subscription) counts(line *Line, day billing.Date) bool {
	if line.covers(day) {
		return true
	}
	goesOn := line.counted() && line.Type != catalog.OneTime && line.PriceListID == s.PriceListID
	return goesOn && line.EndDate.Before(day) && !line.EndDate.Before(s.EndDate) &&
		!slices.ContainsFunc(s.Charges, func(c Line) bool {
			return c.ChargeID == line.ChargeID && c.StartDate.After(line.StartDate) && !c.StartDate.After(day)
		})
}

// isFollowed reports whether another line of the same charge begins after the
// line.
func (s *Subscription) isFollowed(line *Line) bool {
	return slices.ContainsFunc(s.Charges, func(c Line) bool {
		return c.ChargeID == line.ChargeID && c.StartDate.After(line.StartDate)
	})
}

// stretchLines lets the lines that lasted to the old end of the term last to
// its present one. A quantity scheduled for after that stays scheduled, with a
// line of one day until a term gets there.
func (s *Subscription) stretchLines(old billing.Date) {
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.PriceListID == s.PriceListID && line.Type != catalog.OneTime && !line.EndDate.Before(old) && !s.isFollowed(line) {
			line.lastsTo(s.EndDate)
		}
	}
}

// cutLines lets all lines end on that day at the latest, without those that
// would begin later.
func (s *Subscription) cutLines(last billing.Date) {
	s.Charges = slices.DeleteFunc(s.Charges, func(c Line) bool { return c.StartDate.After(last) })
	for i := range s.Charges {
		if line := &s.Charges[i]; line.EndDate.After(last) {
			line.EndDate, line.KeptTo = last, nil
		}
	}
}

// closeLines cuts the lines of a subscription that is over. Where none of a
// charge lasted until then, the first that would have followed stays as one that
// never counted.
func (s *Subscription) closeLines(last billing.Date) {
	first := map[billing.ChargeID]Line{}
	var order []billing.ChargeID
	for _, line := range s.Charges {
		if line.PriceListID != s.PriceListID || !line.StartDate.After(last) {
			continue
		}
		known, seen := first[line.ChargeID]
		if !seen {
			order = append(order, line.ChargeID)
		}
		if !seen || line.StartDate.Before(known.StartDate) {
			first[line.ChargeID] = line
		}
	}
	s.cutLines(last)
	for _, id := range order {
		lasted := slices.ContainsFunc(s.Charges, func(c Line) bool { return c.ChargeID == id && c.EndDate == last })
		if line := first[id]; !lasted {
			line.EndDate, line.KeptTo = line.StartDate.AddDays(-1), nil
			s.Charges = append(s.Charges, line)
		}
	}
}

// reopenLines lets the lines that lasted until the subscription was over, and
// those that never counted, go on from a day to the end of the term.
func (s *Subscription) reopenLines(ended, from billing.Date) {
	var more []Line
	for i := range s.Charges {
		line := &s.Charges[i]
		switch {
		case line.PriceListID != s.PriceListID:
		case !line.counted():
			line.StartDate = maxDate(from, ended) // until then other lines counted
			line.lastsTo(s.EndDate)
		case line.Type == catalog.OneTime || line.EndDate.AddDays(1) != ended:
		case !from.After(ended):
			line.lastsTo(s.EndDate)
		default:
			next := *line
			next.ID, next.StartDate, next.EndDate, next.KeptTo = 0, from, s.EndDate, nil
			more = append(more, next)
		}
	}
	s.Charges = append(s.Charges, more...)
}

// beginLines lets the lines that begin with the subscription begin on another
// day. Nothing is scheduled for that day or before.
func (s *Subscription) beginLines(old, first billing.Date) {
	s.Charges = slices.DeleteFunc(s.Charges, func(c Line) bool {
		return c.Type != catalog.OneTime && c.EndDate.Before(first)
	})
	for i := range s.Charges {
		if line := &s.Charges[i]; line.StartDate == old || line.StartDate.Before(first) {
			line.StartDate = first
			if line.lastsTo(line.EndDate); !s.isFollowed(line) {
				line.lastsTo(s.EndDate)
			}
		}
	}
}
