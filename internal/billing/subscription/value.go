package subscription

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// PerMonth is what the subscription costs by the month on a day, by currency, without tax
// unless its prices include it. What is billed once or by use does not count.
func (s *Subscription) PerMonth(on billing.Date) map[string]*big.Rat {
	sums := map[string]*big.Rat{}
	if s.State.Ended() || s.CancellationDate != nil && !on.Before(*s.CancellationDate) {
		return sums
	}
	for n := range s.Charges {
		line := &s.Charges[n]
		if line.Off || line.Type != catalog.Recurring || line.Rate == nil || on.Before(line.StartDate) || on.After(line.EndDate) {
			continue
		}
		value, err := line.Rate.Value(line.bought())
		if err != nil {
			continue // its rate says nothing about such a quantity
		}
		if sums[line.CurrencyID] == nil {
			sums[line.CurrencyID] = new(big.Rat)
		}
		months := big.NewRat(int64(max(1, line.Rate.Months())), 1)
		sums[line.CurrencyID].Add(sums[line.CurrencyID], new(big.Rat).Quo(value, months))
	}
	return sums
}

// bought is the quantity of a line, 1 if it is not sold by quantity.
func (l *Line) bought() *big.Rat {
	if l.Quantity == nil {
		return big.NewRat(1, 1)
	}
	return big.NewRat(int64(*l.Quantity), 1)
}
