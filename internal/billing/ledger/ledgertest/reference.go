// Package ledgertest computes what a subscription owes a second time, for tests:
// day by day and unit by unit, straight from the rules and without any function
// of package ledger, so that a mistake would have to be made twice.
package ledgertest

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Day is one paid day of a charge.
type Day struct {
	Date billing.Date
	Key  ledger.Key
	// Cost is the exact price of the day in units of the currency.
	Cost *big.Rat
	// Price is what the whole period would cost.
	Price *big.Rat
	line  *ledger.Line
}

// Days returns the paid days of a charge up to a day, in order. A one-time charge
// has one.
func Days(t *ledger.Timeline, charge billing.ChargeID, through billing.Date) []Day {
	var days []Day
	costs := map[int]Day{} // of each line, the day before
	for day := firstDay(t); !day.After(through); day = day.AddDays(1) {
		var best *Day
		for i := range t.Lines {
			l := &t.Lines[i]
			if l.Charge != charge || !paid(t, l, day) {
				delete(costs, i)
				continue
			}
			d, known := costs[i]
			if !known || d.Key.Period.To.Before(day) || isEpoch(t, day) {
				d = cost(t, l, day)
				costs[i] = d
			}
			d.Date = day
			if best == nil || perMonth(&d).Cmp(perMonth(best)) > 0 || perMonth(&d).Cmp(perMonth(best)) == 0 && l.From.After(best.line.From) {
				best = &d
			}
		}
		if best != nil {
			days = append(days, *best)
		}
	}
	return days
}

// Sum is what the days of a key cost in units of the currency, and when it is
// billed first.
type Sum struct {
	Exact *big.Rat
	Due   billing.Date
}

// Owed adds up the days of every key up to a day. Keys that end later are not
// complete.
func Owed(t *ledger.Timeline, through billing.Date) map[ledger.Key]Sum {
	owed := map[ledger.Key]Sum{}
	seen := map[billing.ChargeID]bool{}
	for i := range t.Lines {
		charge := t.Lines[i].Charge
		if seen[charge] {
			continue
		}
		seen[charge] = true
		advance := map[ledger.Key]bool{}
		for _, d := range Days(t, charge, through) {
			sum, known := owed[d.Key]
			if !known {
				sum.Exact = new(big.Rat)
			}
			sum.Exact.Add(sum.Exact, d.Cost)
			switch inAdvance := d.line.Rate.BillingTiming != catalog.InArrears; {
			case advance[d.Key]:
			case inAdvance:
				sum.Due, advance[d.Key] = d.Date, true
			default:
				sum.Due = d.Date.AddDays(1)
			}
			owed[d.Key] = sum
		}
	}
	return owed
}

func firstDay(t *ledger.Timeline) billing.Date {
	first := t.StartDate
	for i := range t.Lines {
		if t.Lines[i].From.Before(first) {
			first = t.Lines[i].From
		}
	}
	return first
}

// paid reports whether a day of a line is owed for.
func paid(t *ledger.Timeline, l *ledger.Line, day billing.Date) bool {
	none := billing.Date{}
	if day.Before(t.StartDate) || day.Before(t.BillingStartsOn) {
		return false
	}
	if l.To != none && l.To.Before(l.From) {
		return false
	}
	if l.Rate.ChargeType == catalog.OneTime {
		due := l.From
		if due.Before(t.StartDate) {
			due = t.StartDate
		}
		return day == due && (t.End == none || day.Before(t.End))
	}
	if isPaused(t, day) {
		return false
	}
	live := func(day billing.Date) bool {
		return !day.Before(l.From) && (l.To == none || !day.After(l.To)) && (t.End == none || day.Before(t.End)) &&
			!day.Before(t.StartDate) && !day.Before(t.BillingStartsOn)
	}
	if live(day) {
		return true
	}
	if l.KeptTo == none || day.After(l.KeptTo) || day.Before(l.From) {
		return false
	}
	// Kept: back over days that are not live to the last one that was, without a
	// new epoch in between.
	for before := day; !before.Before(l.From); before = before.AddDays(-1) {
		if live(before) {
			return billedInAdvance(t, l, before)
		}
		if isEpoch(t, before) {
			return false
		}
	}
	return false
}

// billedInAdvance reports whether the period of a day was billed by then: it was not if
// all of its days were paused.
func billedInAdvance(t *ledger.Timeline, l *ledger.Line, day billing.Date) bool {
	for first := cost(t, l, day).Key.Period.From; !day.Before(first); day = day.AddDays(-1) {
		if !isPaused(t, day) {
			return true
		}
		if isEpoch(t, day) || day == t.StartDate || day == t.BillingStartsOn {
			return false
		}
	}
	return false
}

// isPaused reports whether a day is in a pause.
func isPaused(t *ledger.Timeline, day billing.Date) bool {
	for _, pause := range t.Paused {
		if !day.Before(pause.From) && !day.After(pause.To) {
			return true
		}
	}
	return false
}

// isEpoch reports whether an epoch begins on a day.
func isEpoch(t *ledger.Timeline, day billing.Date) bool {
	for _, e := range t.Epochs {
		if e.From == day {
			return true
		}
	}
	return false
}

// cost finds the period of a day and its share of the price.
func cost(t *ledger.Timeline, l *ledger.Line, day billing.Date) Day {
	price := Price(l.Rate, l.Quantity)
	if l.Rate.ChargeType == catalog.OneTime {
		return Day{day, ledger.Key{Charge: l.Charge, Period: ledger.Period{From: day, To: day}}, price, price, l}
	}
	epoch := t.Epochs[0]
	for _, e := range t.Epochs {
		if !e.From.After(day) {
			epoch = e
		}
	}
	months := map[catalog.BillingPeriod]int{catalog.Monthly: 1, catalog.Quarterly: 3, catalog.SemiAnnual: 6, catalog.Annual: 12}[l.Rate.BillingPeriod]
	k := 0
	for epoch.Origin.AddMonthsAnchored(k*months, epoch.AnchorDay).After(day) {
		k--
	}
	for !epoch.Origin.AddMonthsAnchored((k+1)*months, epoch.AnchorDay).After(day) {
		k++
	}
	from, next := epoch.Origin.AddMonthsAnchored(k*months, epoch.AnchorDay), epoch.Origin.AddMonthsAnchored((k+1)*months, epoch.AnchorDay)
	n := int64(from.DaysUntil(next))
	key := ledger.Key{Charge: l.Charge, Period: ledger.Period{From: from, To: next.AddDays(-1)}}
	return Day{day, key, new(big.Rat).Mul(price, big.NewRat(1, n)), price, l}
}

// Price is what a quantity costs for one whole period, unit by unit.
func Price(r *rate.Rate, quantity int) *big.Rat {
	sum := new(big.Rat)
	if quantity == 0 {
		return sum
	}
	if r.PricingModel == catalog.Flat {
		return sum.Mul(exact(*r.Price), big.NewRat(int64(quantity), 1))
	}
	last := new(big.Rat)
	for unit := 1; unit <= quantity; unit++ {
		for _, tier := range r.Tiers {
			if tier.Starts <= unit {
				last = exact(tier.Price)
			}
		}
		sum.Add(sum, last)
	}
	switch r.PricingModel {
	case catalog.Volume:
		return new(big.Rat).Mul(last, big.NewRat(int64(quantity), 1))
	case catalog.Bands:
		return last
	}
	return sum
}

func exact(p billing.Price) *big.Rat {
	value, ok := new(big.Rat).SetString(string(p))
	if !ok {
		panic("not a price: " + string(p))
	}
	return value
}

// perMonth makes prices of different periods comparable.
func perMonth(d *Day) *big.Rat {
	months := map[catalog.BillingPeriod]int64{catalog.Quarterly: 3, catalog.SemiAnnual: 6, catalog.Annual: 12}[d.line.Rate.BillingPeriod]
	return new(big.Rat).Quo(d.Price, big.NewRat(max(1, months), 1))
}

// Round rounds half away from zero, by comparing with the neighbors.
func Round(exact *big.Rat) int64 {
	down := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
	rest := new(big.Rat).Sub(exact, big.NewRat(down, 1))
	if rest.Cmp(big.NewRat(1, 2)) >= 0 {
		return down + 1
	}
	if rest.Cmp(big.NewRat(-1, 2)) <= 0 {
		return down - 1
	}
	return down
}
