// Package tax decides which tax an item has and computes it: categories and
// rates by where seller and buyer are, one rounding for each group of a
// document, prices with and without tax, and the tax of credits. Rates and
// territories are data.
package tax

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
)

// Percent is a tax rate in its canonical text, such as 19 or 8.1. Equal rates
// are equal as strings.
type Percent string

// ParsePercent reads a rate from 0 to 100.
func ParsePercent(s string) (Percent, error) {
	price, err := billing.ParsePrice(s)
	if err != nil || price.Cmp("100") > 0 {
		return "", wrongPercent("rate", s)
	}
	return Percent(price), nil
}

func wrongPercent(field, s string) *billing.Error {
	return billing.Invalidf(field, "%q is not a tax rate. Write a percentage from 0 to 100, such as 19 or 8.1.", billing.Excerpt(s))
}

// of is the tax on an exact net amount.
func (p Percent) of(net *big.Rat) (*big.Rat, error) {
	r, err := p.rate()
	if err != nil {
		return nil, err
	}
	return r.Mul(r, net), nil
}

// within is the tax that an exact gross amount has in it.
func (p Percent) within(gross *big.Rat) (*big.Rat, error) {
	r, err := p.rate()
	if err != nil {
		return nil, err
	}
	share := new(big.Rat).Add(r, big.NewRat(1, 1))
	return r.Mul(r.Quo(r, share), gross), nil
}

// rate is the rate as a fraction of 1.
func (p Percent) rate() (*big.Rat, error) {
	if _, err := ParsePercent(string(p)); err != nil {
		return nil, err
	}
	r, _ := new(big.Rat).SetString(string(p))
	return r.Mul(r, big.NewRat(1, 100)), nil
}
