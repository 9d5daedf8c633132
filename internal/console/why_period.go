package console

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// periodCosts says how the price of a period comes about, if one of the quantities
// at that rate has it: "10 × EUR 1.00 + 10 × EUR 0.50".
func periodCosts(r *rate.Rate, value *big.Rat, in money.Currency, quantities []string) string {
	for _, text := range quantities {
		quantity, ok := new(big.Rat).SetString(text)
		if r == nil || !ok {
			continue
		}
		if is, err := r.Value(quantity); err == nil && is.Cmp(value) == 0 {
			return multiplied(r, quantity, in)
		}
	}
	return ""
}

// multiplied is a quantity at its price or prices.
func multiplied(r *rate.Rate, quantity *big.Rat, in money.Currency) string {
	times := func(units *big.Rat, price string) string { return units.RatString() + " × " + price }
	if r.PricingModel == catalog.Flat {
		if r.Price == nil {
			return ""
		}
		return times(quantity, r.Price.Money(in.Code))
	}
	var parts []string
	for n, tier := range r.Tiers {
		first, last := big.NewRat(int64(tier.Starts)-1, 1), quantity
		if first.Cmp(quantity) >= 0 {
			break
		}
		price, isLast := tier.Price.Money(in.Code), true
		if n+1 < len(r.Tiers) {
			if end := big.NewRat(int64(r.Tiers[n+1].Starts)-1, 1); end.Cmp(quantity) < 0 {
				last, isLast = end, false
			}
		}
		switch {
		case r.PricingModel == catalog.Tiered:
			parts = append(parts, times(new(big.Rat).Sub(last, first), price))
		case isLast && r.PricingModel == catalog.Volume:
			return times(quantity, price)
		case isLast:
			return quantity.RatString() + " for " + price
		}
	}
	return strings.Join(parts, " + ")
}

// billedBefore is what was billed of the period of an item before, if it is a
// difference whose quantities do not tell: "EUR 99.00 was billed before".
func billedBefore(i *document.Item, in money.Currency) string {
	var e ledger.Explanation
	if i.Kind != document.DifferenceItem || i.PreviousQuantity != nil || json.Unmarshal(i.Explanation, &e) != nil {
		return ""
	}
	before, err := in.Parse(e.BilledBefore)
	if err != nil || before == 0 {
		return ""
	}
	return amountText(before, in) + " was billed before"
}

// itemQuantities are those that an item names.
func itemQuantities(i *document.Item) []string {
	if i.PreviousQuantity == nil {
		return []string{i.Quantity}
	}
	return []string{i.Quantity, *i.PreviousQuantity}
}

// itemUnder is what stands below the name of an item.
func itemUnder(i *document.Item, in money.Currency) string {
	var parts []string
	if i.TenantCode != "" {
		parts = append(parts, "tenant "+i.TenantCode)
	}
	if before := billedBefore(i, in); before != "" {
		parts = append(parts, before)
	}
	return strings.Join(parts, "; ")
}
