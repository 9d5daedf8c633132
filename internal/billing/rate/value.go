package rate

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Value returns the exact price of a quantity for one whole period, in units of
// the currency. A quantity is not negative; nothing costs nothing.
func (r *Rate) Value(quantity *big.Rat) (*big.Rat, error) {
	if quantity.Sign() == 0 {
		return new(big.Rat), nil
	}
	if r.PricingModel == catalog.Flat && r.Price != nil {
		price, err := exact(*r.Price)
		if err != nil {
			return nil, err
		}
		return times(price, quantity), nil
	}
	if len(r.Tiers) == 0 {
		return nil, billing.Fail(billing.Invalid, "rate", "A rate with the pricing model %q has no price.", r.PricingModel)
	}
	switch r.PricingModel {
	case catalog.Tiered:
		return r.tiered(quantity)
	case catalog.Volume:
		price, err := exact(r.Tiers[r.tier(quantity)].Price)
		if err != nil {
			return nil, err
		}
		return times(price, quantity), nil
	case catalog.Bands:
		return exact(r.Tiers[r.tier(quantity)].Price)
	}
	return nil, billing.Fail(billing.Invalid, "rate", "There is no pricing model %q.", r.PricingModel)
}

// tier finds the tier that a quantity falls into: the last that starts less
// than one unit above it, so that 10.5 units are in a tier that starts at 11.
func (r *Rate) tier(quantity *big.Rat) int {
	last := 0
	for k := 1; k < len(r.Tiers); k++ {
		if quantity.Cmp(below(r.Tiers[k])) > 0 {
			last = k
		}
	}
	return last
}

// tiered adds up the price of the units in each tier.
func (r *Rate) tiered(quantity *big.Rat) (*big.Rat, error) {
	sum := new(big.Rat)
	for k := range r.tier(quantity) + 1 {
		price, err := exact(r.Tiers[k].Price)
		if err != nil {
			return nil, err
		}
		units := quantity
		if k+1 < len(r.Tiers) {
			if next := below(r.Tiers[k+1]); next.Cmp(quantity) < 0 {
				units = next
			}
		}
		sum.Add(sum, price.Mul(price, new(big.Rat).Sub(units, below(r.Tiers[k]))))
	}
	return sum, nil
}

// below is the number of units before a tier starts.
func below(t catalog.Tier) *big.Rat { return big.NewRat(int64(t.Starts)-1, 1) }

// times is a × b in the place of a.
func times(a, b *big.Rat) *big.Rat {
	if b.IsInt() && b.Num().IsInt64() && b.Num().Int64() == 1 {
		return a
	}
	return a.Mul(a, b)
}

// exact reads a price.
func exact(p billing.Price) (*big.Rat, error) {
	if canonical, err := billing.ParsePrice(string(p)); err != nil {
		return nil, err
	} else if canonical != p {
		return nil, billing.Fail(billing.Invalid, "price", "The price %q is not in its canonical form, %q.", p, canonical)
	}
	value, _ := new(big.Rat).SetString(string(p))
	return value, nil
}
