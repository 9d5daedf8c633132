package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// PriceSentence says what a price list costs, for people:
// EUR 49.00 a month, plus EUR 9.00 per user a month (5 to 100). What recurs
// comes first and what is paid once last. features are those that charges are
// for; one that is missing is called a unit.
func PriceSentence(currency string, charges []Charge, features []Feature) string {
	if len(charges) == 0 {
		return "No charges"
	}
	ordered := slices.Clone(charges)
	slices.SortStableFunc(ordered, func(a, b Charge) int { return a.rank() - b.rank() })
	parts := make([]string, len(ordered))
	for i := range ordered {
		parts[i] = ordered[i].Sentence(currency, features)
	}
	// What everybody pays needs no name where it comes first.
	if first := ordered[0]; first.FeatureID == nil && first.Price != nil {
		parts[0] = strings.TrimSuffix(parts[0], " ("+first.Name+")")
	}
	return strings.Join(parts, ", plus ")
}

// rank is the place of a charge in a sentence.
func (c *Charge) rank() int {
	switch {
	case c.ChargeType == Recurring && c.FeatureID == nil:
		return 0
	case c.ChargeType == Recurring:
		return 1
	case c.ChargeType == Usage:
		return 2
	}
	return 3
}

// Sentence says what a charge costs, for people, with its bounds.
func (c *Charge) Sentence(currency string, features []Feature) string {
	feature := c.counts(features)
	unit := c.unit(feature)
	text := c.amounts(currency, unit)
	var notes []string
	if unit == "" || c.PricingModel == Bands && len(c.Tiers) > 1 {
		notes = append(notes, c.Name)
	}
	if bounds := c.Bounds(); bounds != "" {
		notes = append(notes, bounds)
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// Costs says what an ordered number of the charge costs, for people: "7 × EUR
// 19.00 per user a month". A nil number counts once.
func (c *Charge) Costs(quantity *int, currency string, features []Feature) string {
	text := c.amounts(currency, c.unit(c.counts(features)))
	switch {
	case quantity == nil:
		return text
	case c.Price == nil:
		return forPeople(*quantity) + " at " + text
	}
	return forPeople(*quantity) + " × " + text
}

// counts returns the feature whose quantity the charge prices, nil if there is
// none.
func (c *Charge) counts(features []Feature) *Feature {
	for i := range features {
		if f := &features[i]; c.FeatureID != nil && f.ID == *c.FeatureID && f.Kind == Quantity {
			return f
		}
	}
	return nil
}

// unit is what one price of the charge is for, as in "per user", or nothing if
// it is for the whole.
func (c *Charge) unit(feature *Feature) string {
	switch {
	case feature != nil && feature.UnitName != nil && *feature.UnitName != "":
		return *feature.UnitName
	case feature != nil:
		return "unit of " + feature.Name
	case len(c.Tiers) > 0, c.ChargeType == Usage:
		return "unit of " + c.Name
	}
	return ""
}

// amounts says the price, or the price of each tier.
func (c *Charge) amounts(currency, unit string) string {
	per := ""
	if unit != "" {
		per = " per " + unit
	}
	if c.ChargeType == Usage {
		per += " used"
	}
	if c.Price != nil {
		return c.Price.Money(currency) + per + c.BillingPeriod.words()
	}
	if len(c.Tiers) == 0 {
		return "no price"
	}
	if c.PricingModel == Bands {
		per = ""
	}
	first := c.Tiers[0].Price.Money(currency) + per + c.BillingPeriod.words()
	if len(c.Tiers) == 1 {
		return first
	}
	const most = 4
	parts := []string{first + " " + c.stretch(0)}
	for i := 1; i < len(c.Tiers) && i < most; i++ {
		parts = append(parts, c.Tiers[i].Price.Money(currency)+" "+c.stretch(i))
	}
	if more := len(c.Tiers) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("further prices from %s on", forPeople(c.Tiers[most].Starts)))
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// stretch says which quantities a tier is for, in the words of the pricing
// model: a tier's own units, all units, or the whole.
func (c *Charge) stretch(i int) string {
	starts, ends := c.Tiers[i].Starts, 0
	if i+1 < len(c.Tiers) {
		ends = c.Tiers[i+1].Starts - 1
	}
	if c.PricingModel == Tiered {
		switch {
		case i == 0:
			return fmt.Sprintf("for the first %s", forPeople(ends))
		case ends == 0:
			return fmt.Sprintf("for each beyond %s", forPeople(starts-1))
		}
		return fmt.Sprintf("for the next %s", forPeople(ends-starts+1))
	}
	words := "for all of them with "
	if c.PricingModel == Bands {
		words = "for "
	} else if i == 0 {
		words = "with "
	}
	switch {
	case i == 0:
		return fmt.Sprintf("%sup to %s", words, forPeople(ends))
	case ends == 0:
		return fmt.Sprintf("%s%s or more", words, forPeople(starts))
	case ends == starts:
		return fmt.Sprintf("%s%s", words, forPeople(starts))
	}
	return fmt.Sprintf("%s%s to %s", words, forPeople(starts), forPeople(ends))
}

// Bounds says which quantities can be subscribed, nothing if any can.
func (c *Charge) Bounds() string {
	switch lower, upper := c.QuantityMin, c.QuantityMax; {
	case lower != nil && upper != nil && *lower == *upper:
		return fmt.Sprintf("exactly %s", forPeople(*lower))
	case lower != nil && *lower > 0 && upper != nil:
		return fmt.Sprintf("%s to %s", forPeople(*lower), forPeople(*upper))
	case lower != nil && *lower > 0:
		return fmt.Sprintf("at least %s", forPeople(*lower))
	case upper != nil:
		return fmt.Sprintf("up to %s", forPeople(*upper))
	}
	return ""
}

// words is how often something is paid, behind a price.
func (p BillingPeriod) words() string {
	return map[BillingPeriod]string{
		Monthly: " a month", Quarterly: " a quarter", SemiAnnual: " every six months", Annual: " a year", Once: " once",
	}[p]
}

// forPeople writes a quantity for people.
func forPeople(n int) string { return billing.Grouped(strconv.Itoa(n)) }
