package subscription

import (
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// PerMonth is what the subscription costs by the month on a day, by currency, without tax
// unless its prices include it. What is billed once or by use does not count, and a trial
// costs nothing.
func (s *Subscription) PerMonth(on billing.Date) map[string]*big.Rat {
	sums := map[string]*big.Rat{}
	if s.State.Ended() || on.Before(s.StartDate) || s.CancellationDate != nil && !on.Before(*s.CancellationDate) {
		return sums
	}
	for n := range s.Charges {
		line := &s.Charges[n]
		value := line.Value()
		if value == nil || line.Off || line.Type != catalog.Recurring || on.Before(line.StartDate) || on.After(line.EndDate) {
			continue
		}
		if sums[line.CurrencyID] == nil {
			sums[line.CurrencyID] = new(big.Rat)
		}
		months := big.NewRat(int64(max(1, line.Rate.Months())), 1)
		sums[line.CurrencyID].Add(sums[line.CurrencyID], new(big.Rat).Quo(value, months))
	}
	return sums
}

// TurnsAfter are the days after a day on which the subscription may begin to cost something
// else although nobody acts, in order: when it begins to be paid, what is scheduled happens,
// or it ends because it does not renew.
func (s *Subscription) TurnsAfter(day billing.Date) (days []billing.Date) {
	if s.State.Ended() {
		return nil
	}
	days = append(days, s.StartDate)
	for _, change := range s.ScheduledChanges() {
		days = append(days, change.On)
	}
	if !s.Evergreen {
		days = append(days, s.EndDate.AddDays(1))
	}
	days = slices.DeleteFunc(days, func(d billing.Date) bool { return !d.After(day) })
	slices.SortFunc(days, billing.Date.Compare)
	return slices.Compact(days)
}

// Value is what the line costs in a period, nil if that is not known.
func (l *Line) Value() *big.Rat {
	if l.Rate == nil || l.Type == catalog.Usage {
		return nil
	}
	quantity := big.NewRat(1, 1)
	if l.Quantity != nil {
		quantity = big.NewRat(int64(*l.Quantity), 1)
	}
	value, err := l.Rate.Value(quantity)
	if err != nil {
		return nil
	}
	return value
}
