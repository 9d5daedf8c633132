package ledger

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// stretch is a part of a line's days on which it is what its charge is owed
// for.
type stretch struct {
	Period
	line  *Line
	value *big.Rat
}

// stretches divides the paid days of every charge among its lines, in order. The
// charges are in the order in which they begin, and of their ids: so documents list
// them alike, however the lines came about.
// Lines that have no day of a period that ends on that day or later are left
// out, so that the cost does not grow with the age of the subscription.
func (t *Timeline) stretches(from billing.Date) ([][]stretch, error) {
	var charges [][]stretch
	var starts [13]billing.Date // of the periods of so many months
	yearBefore := billing.Date{Year: from.Year - 2, Month: 12, Day: 31}
	for i := range t.Lines {
		l := &t.Lines[i]
		long := l.To.Before(yearBefore) && l.KeptTo.Before(yearBefore) && t.StartDate.Before(yearBefore) // most of a long history
		if long && l.To != (billing.Date{}) || !t.matters(l, from, &starts) {
			continue
		}
		n := slices.IndexFunc(charges, func(c []stretch) bool { return c[0].line.Charge == l.Charge })
		if n < 0 {
			n = len(charges)
		}
		claims, err := t.claims(l)
		switch {
		case err != nil:
			return nil, err
		case n == len(charges) && len(claims) > 0:
			charges = append(charges, claims)
		case len(claims) > 0:
			charges[n] = append(charges[n], claims...)
		}
	}
	for n, c := range charges {
		if len(c) > 1 {
			charges[n] = settle(c)
		}
		if len(t.Paused) > 0 {
			charges[n] = t.unpaused(charges[n])
		}
	}
	charges = slices.DeleteFunc(charges, func(c []stretch) bool { return len(c) == 0 })
	slices.SortFunc(charges, func(a, b []stretch) int {
		return cmp.Or(a[0].From.Compare(b[0].From), cmp.Compare(a[0].line.Charge, b[0].line.Charge))
	})
	return charges, nil
}

// matters reports whether a line can have days of a period that ends on a day
// or later. What was used is not billed by the day.
func (t *Timeline) matters(l *Line, from billing.Date, starts *[13]billing.Date) bool {
	months := 12
	switch {
	case l.Rate != nil && l.Rate.ChargeType == catalog.Usage:
		return false
	case l.To == (billing.Date{}) || len(t.Epochs) == 0:
		return true
	case l.Rate != nil && l.Rate.Months() == 0:
		return !later(l.To, t.StartDate).Before(from)
	case l.Rate != nil:
		months = l.Rate.Months()
	}
	if starts[months] == (billing.Date{}) {
		starts[months] = t.Epochs.firstOf(from, months)
	}
	return !later(l.To, l.KeptTo).Before(starts[months])
}

// claims are the paid days of a line: those on which it counts, and those that
// were kept.
func (t *Timeline) claims(l *Line) ([]stretch, error) {
	live := t.live(l)
	if l.Rate != nil && l.Rate.ChargeType == catalog.OneTime {
		live = t.once(l)
	}
	if live.empty() {
		return nil, nil
	}
	value, err := t.value(l)
	if err != nil {
		return nil, err
	}
	claims := []stretch{{live, l, value}}
	if kept := t.kept(l, live); !kept.empty() {
		claims = append(claims, stretch{kept, l, value})
	}
	return claims, nil
}
