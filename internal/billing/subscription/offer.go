package subscription

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Offer is what a price list offers, with all that is needed to decide about
// subscriptions on it.
type Offer struct {
	PriceList catalog.PriceList
	ProductID billing.ProductID
	Charges   []catalog.Charge
	// Features has the features that charges are for.
	Features map[billing.FeatureID]catalog.PricedFeature
}

// QuantityOrder is a quantity for a charge, named by its code or by the code
// of its feature. A nil quantity agrees on none.
type QuantityOrder struct {
	Code     string `json:"code"`
	Quantity *int   `json:"quantity"`
}

// ordered is an order with the charge that it means; field is its path.
type ordered struct {
	field    string
	charge   *catalog.Charge
	quantity *int
}

// find returns the charge that an order means.
func (o *Offer) find(field, code string) (*catalog.Charge, *billing.Error) {
	if code == "" {
		return nil, billing.Requiredf(field, "Name the charge, or the feature it is for.")
	}
	var byFeature []*catalog.Charge
	for i := range o.Charges {
		c := &o.Charges[i]
		if c.Code == code {
			return c, nil
		}
		if c.FeatureID != nil && o.Features[*c.FeatureID].Code == code {
			byFeature = append(byFeature, c)
		}
	}
	switch len(byFeature) {
	case 1:
		return byFeature[0], nil
	case 0:
		return nil, billing.Fail(billing.NotFound, field, "The price list %q has no charge %q and no charge for a feature %q.", o.PriceList.Code, code, code)
	}
	codes := make([]string, len(byFeature))
	for i, c := range byFeature {
		codes[i] = c.Code
	}
	return nil, billing.Invalidf(field, "Several charges of the price list are for the feature %q; name one of: %s.", code, strings.Join(codes, ", "))
}

// resolve checks orders and finds the charge of each.
func (o *Offer) resolve(orders []QuantityOrder) ([]ordered, billing.Problems) {
	var problems billing.Problems
	var resolved []ordered
	for i, order := range orders {
		field := fmt.Sprintf("quantities.%d", i)
		charge, err := o.find(field+".code", order.Code)
		if err != nil {
			problems.Add(err)
			continue
		}
		if slices.ContainsFunc(resolved, func(r ordered) bool { return r.charge == charge }) {
			problems.Add(billing.Invalidf(field+".code", "The charge %q is named twice.", charge.Code))
			continue
		}
		problems.Add(o.checkOrdered(field+".quantity", charge, order.Quantity))
		resolved = append(resolved, ordered{field, charge, order.Quantity})
	}
	return resolved, problems
}

// sellsNumber reports whether the charge prices a QUANTITY feature, so that it
// always has a number on a subscription. Usage is counted, not ordered.
func (o *Offer) sellsNumber(c *catalog.Charge) bool {
	return c.FeatureID != nil && c.ChargeType != catalog.Usage && o.Features[*c.FeatureID].Kind == catalog.Quantity
}

// includes reports whether the plan gives a number of the charge's feature
// without the charge.
func (o *Offer) includes(c *catalog.Charge) bool {
	return c.FeatureID != nil && o.Features[*c.FeatureID].Included != nil
}

// unquoted is the quantity of a charge that nobody quoted, and whether the
// charge is on the subscription at all. Nothing is without a limit because
// somebody forgot to say how much.
func (o *Offer) unquoted(c *catalog.Charge) (quantity *int, sold bool) {
	switch {
	case !o.sellsNumber(c):
		return nil, true
	case c.QuantityMin != nil:
		n := *c.QuantityMin
		return &n, true
	case o.includes(c):
		return nil, false
	}
	n := 1
	if c.QuantityMax != nil {
		n = min(n, *c.QuantityMax)
	}
	return &n, true
}

// checkOrdered refuses a quantity that the charge does not sell.
func (o *Offer) checkOrdered(field string, c *catalog.Charge, quantity *int) *billing.Error {
	if quantity == nil {
		if o.sellsNumber(c) && !o.includes(c) {
			return billing.Requiredf(field, "The charge %q is sold by the number: give one%s. It can be taken off only where the plan includes a number of its feature.", c.Code, inBrackets(c.Bounds()))
		}
		return nil
	}
	switch n := *quantity; {
	case n < 0:
		return billing.Invalidf(field, "A quantity is not negative; %d is.", n)
	case n > billing.MaxQuantity:
		return billing.Invalidf(field, "A quantity is at most %d, not %d.", billing.MaxQuantity, n)
	case !c.Sells(n):
		return billing.Invalidf(field, "The charge %q is sold in quantities of %s, not %d.", c.Code, c.Bounds(), n)
	}
	return nil
}

// line makes a line for a charge, at the charge's present rate. A one-time charge counts on its first day
// alone.
func (o *Offer) line(c *catalog.Charge, quantity *int, from, to billing.Date) Line {
	if c.ChargeType == catalog.OneTime {
		to = from
	}
	agreed := rate.Of(c, o.PriceList.PricesIncludeTax)
	return Line{
		PriceListID: o.PriceList.ID, ChargeID: c.ID, Code: c.Code, Name: c.Name, FeatureID: c.FeatureID, Type: c.ChargeType,
		Quantity: quantity, Price: c.Price, Rate: &agreed, CurrencyID: o.PriceList.CurrencyID, StartDate: from, EndDate: to,
	}
}

// lines makes the lines of a new subscription on this offer, with the
// quantities that were ordered and those that follow where none was.
func (o *Offer) lines(orders []ordered, from, to billing.Date) []Line {
	lines := make([]Line, 0, len(o.Charges))
	for i := range o.Charges {
		c := &o.Charges[i]
		quantity, sold := o.unquoted(c)
		if n := slices.IndexFunc(orders, func(order ordered) bool { return order.charge == c }); n >= 0 {
			quantity = orders[n].quantity
			sold = quantity != nil || !o.sellsNumber(c)
		}
		if sold {
			lines = append(lines, o.line(c, quantity, from, to))
		}
	}
	return lines
}
