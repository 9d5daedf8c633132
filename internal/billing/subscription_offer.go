package billing

import (
	"fmt"
	"slices"
	"strings"
)

// Offer is what a price list offers, with all that is needed to decide about
// subscriptions on it.
type Offer struct {
	PriceList PriceList
	ProductID ProductID
	Charges   []Charge
	// FeatureCodes names the features that charges are for.
	FeatureCodes map[FeatureID]string
}

// QuantityOrder is a quantity for a charge, named by its code or by the code
// of its feature. A nil quantity agrees on none.
type QuantityOrder struct {
	Code     string
	Quantity *int
}

// ordered is an order with the charge that it means; field is its path.
type ordered struct {
	field    string
	charge   *Charge
	quantity *int
}

// find returns the charge that an order means.
func (o *Offer) find(field, code string) (*Charge, *Error) {
	if code == "" {
		return nil, required(field, "Name the charge, or the feature it is for.")
	}
	var byFeature []*Charge
	for i := range o.Charges {
		c := &o.Charges[i]
		if c.Code == code {
			return c, nil
		}
		if c.FeatureID != nil && o.FeatureCodes[*c.FeatureID] == code {
			byFeature = append(byFeature, c)
		}
	}
	switch len(byFeature) {
	case 1:
		return byFeature[0], nil
	case 0:
		return nil, Fail(NotFound, field, "The price list %q has no charge %q and no charge for a feature %q.", o.PriceList.Code, code, code)
	}
	codes := make([]string, len(byFeature))
	for i, c := range byFeature {
		codes[i] = c.Code
	}
	return nil, invalid(field, "Several charges of the price list are for the feature %q; name one of: %s.", code, strings.Join(codes, ", "))
}

// resolve checks orders and finds the charge of each.
func (o *Offer) resolve(orders []QuantityOrder) ([]ordered, Problems) {
	var problems Problems
	var resolved []ordered
	for i, order := range orders {
		field := fmt.Sprintf("quantities.%d", i)
		charge, err := o.find(field+".code", order.Code)
		if err != nil {
			problems.add(err)
			continue
		}
		if slices.ContainsFunc(resolved, func(r ordered) bool { return r.charge == charge }) {
			problems.add(invalid(field+".code", "The charge %q is named twice.", charge.Code))
			continue
		}
		problems.add(charge.checkOrdered(field+".quantity", order.Quantity))
		resolved = append(resolved, ordered{field, charge, order.Quantity})
	}
	return resolved, problems
}

// checkOrdered refuses a quantity that the charge does not sell.
func (c *Charge) checkOrdered(field string, quantity *int) *Error {
	if quantity == nil {
		return nil
	}
	switch n := *quantity; {
	case n < 0:
		return invalid(field, "A quantity is not negative; %d is.", n)
	case n > MaxQuantity:
		return invalid(field, "A quantity is at most %d, not %d.", MaxQuantity, n)
	case c.QuantityMin != nil && n < *c.QuantityMin:
		return invalid(field, "The charge %q is sold from %d on; %d is too few.", c.Code, *c.QuantityMin, n)
	case c.QuantityMax != nil && n > *c.QuantityMax:
		return invalid(field, "The charge %q is sold up to %d; %d is too many.", c.Code, *c.QuantityMax, n)
	}
	return nil
}

// line makes a line for a charge. A one-time charge counts on its first day
// alone.
func (o *Offer) line(c *Charge, quantity *int, from, to Date) SubscriptionCharge {
	if c.ChargeType == OneTime {
		to = from
	}
	return SubscriptionCharge{
		PriceListID: o.PriceList.ID, ChargeID: c.ID, Code: c.Code, Name: c.Name, FeatureID: c.FeatureID, Type: c.ChargeType,
		Quantity: quantity, Price: c.Price, StartDate: from, EndDate: to,
	}
}

// lines makes the lines of a new subscription on this offer, one for each
// charge whether its quantity is quoted or not.
func (o *Offer) lines(orders []ordered, from, to Date) []SubscriptionCharge {
	lines := make([]SubscriptionCharge, len(o.Charges))
	for i := range o.Charges {
		lines[i] = o.line(&o.Charges[i], nil, from, to)
		for _, order := range orders {
			if order.charge == &o.Charges[i] {
				lines[i].Quantity = order.quantity
			}
		}
	}
	return lines
}

// match returns the charge that a line of another offer goes on as, nil if
// there is none: the one for the same feature, if several are that of the same
// code, and where one of them is for no feature the one with the same code. What
// was due once does not go on.
func (o *Offer) match(line *SubscriptionCharge) *Charge {
	var best *Charge
	most := 0
	for i := range o.Charges {
		if n := o.Charges[i].likeness(line); n > most {
			best, most = &o.Charges[i], n
		}
	}
	return best
}

// likeness says how well a line of another offer would go on as this charge: 0
// is not at all.
func (c *Charge) likeness(line *SubscriptionCharge) int {
	if c.ChargeType != line.Type || c.ChargeType == OneTime {
		return 0
	}
	sameCode := c.Code == line.Code
	bothForFeatures := c.FeatureID != nil && line.FeatureID != nil
	switch {
	case bothForFeatures && *c.FeatureID != *line.FeatureID:
		return 0
	case bothForFeatures && sameCode:
		return 3
	case bothForFeatures:
		return 2
	case sameCode:
		return 1
	}
	return 0
}

// within brings a quantity into what the charge sells.
func (c *Charge) within(quantity *int) *int {
	if quantity == nil {
		return nil
	}
	n := min(*quantity, MaxQuantity)
	if c.QuantityMin != nil {
		n = max(n, *c.QuantityMin)
	}
	if c.QuantityMax != nil {
		n = min(n, *c.QuantityMax)
	}
	return &n
}

// takeOver makes lines on this offer, from a day to the end of the term, that
// go on with the quantities of lines of another: those of several charges that
// go on as one add up, and changes scheduled for later stay scheduled. What the
// new charge does not sell becomes the nearest quantity that it does.
func (o *Offer) takeOver(old []SubscriptionCharge, on, end Date) []SubscriptionCharge {
	var lines []SubscriptionCharge
	for i := range o.Charges {
		c := &o.Charges[i]
		var going []*SubscriptionCharge
		for j := range old {
			if !old[j].EndDate.Before(on.AddDays(-1)) && o.match(&old[j]) == c {
				going = append(going, &old[j])
			}
		}
		lines = append(lines, o.goOn(c, going, on, end)...)
	}
	return lines
}

// goOn makes the lines of one charge that go on with the quantities of others.
func (o *Offer) goOn(c *Charge, going []*SubscriptionCharge, on, end Date) []SubscriptionCharge {
	days := []Date{on}
	for _, line := range going {
		if line.StartDate.After(on) {
			days = append(days, line.StartDate)
		}
	}
	slices.SortFunc(days, Date.Compare)
	var lines []SubscriptionCharge
	for _, day := range days {
		quantity := c.within(sumOn(day, going))
		if n := len(lines); n > 0 {
			last := &lines[n-1]
			if sameQuantity(last.Quantity, quantity) {
				continue
			}
			last.EndDate = day.AddDays(-1)
		}
		lines = append(lines, o.line(c, quantity, day, maxDate(day, end)))
	}
	return lines
}

// sumOn adds up the quantities that lines quote on a day, nil if none does. A
// line counts until another of its charge begins.
func sumOn(day Date, lines []*SubscriptionCharge) *int {
	latest := map[ChargeID]*SubscriptionCharge{}
	for _, line := range lines {
		known := latest[line.ChargeID]
		if !line.StartDate.After(day) && (known == nil || line.StartDate.After(known.StartDate)) {
			latest[line.ChargeID] = line
		}
	}
	var sum *int
	for _, line := range latest {
		if line.Quantity != nil {
			sum = addUp(sum, *line.Quantity)
		}
	}
	return sum
}

// addUp adds a quantity to a sum that is nil as long as there was none.
func addUp(sum *int, n int) *int {
	if sum != nil {
		n += *sum
	}
	return &n
}

func sameQuantity(a, b *int) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// quoted is a quantity as details show it: null if there is none.
func quoted(quantity *int) any {
	if quantity == nil {
		return nil
	}
	return *quantity
}
