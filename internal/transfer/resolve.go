package transfer

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// resolve looks up the codes of a subscription in the catalog.
func (c *knownCatalog) resolve(l *subscriptionLine) (*catalog.PriceList, error) {
	list := priceLists.find(c, l.priceList)
	if list == nil {
		return nil, missing("priceList", "price list", l.priceList)
	}
	var problems billing.Problems
	if l.next != nil {
		next := priceLists.find(c, l.next.priceList)
		switch {
		case next == nil:
			problems = append(problems, missing("nextPriceList.priceList", "price list", l.next.priceList))
		case plans.of(c, next.PlanID).ProductID != plans.of(c, list.PlanID).ProductID:
			problems = append(problems, billing.Fail(billing.Invalid, "nextPriceList.priceList", "The price list %q is for another product.", next.Code))
		default:
			planned, wrong := c.offer(next).PlannedQuantities(l.next.quantities)
			problems = append(problems, wrong.Within("nextPriceList")...)
			l.record.NextPriceList = &subscription.NextPriceList{ID: next.ID, On: l.next.on, Quantities: planned}
		}
	}
	if l.lines != nil {
		l.record.Lines = make([]subscription.Line, len(l.lines))
	}
	for i := range l.lines {
		line, found := c.resolveLine(list, &l.lines[i])
		l.record.Lines[i] = line
		problems = append(problems, found.Within("lines", fmt.Sprint(i))...)
	}
	return list, problems.Err()
}

// resolveLine finds the charge of a line and takes from it what the line leaves
// open.
func (c *knownCatalog) resolveLine(list *catalog.PriceList, l *chargeOf) (line subscription.Line, problems billing.Problems) {
	gone := deletedLine{}
	if l.deleted != nil {
		gone = *l.deleted
	}
	of := list
	if l.priceList != nil {
		if of = priceLists.find(c, *l.priceList); of == nil {
			return line, billing.Problems{missing("priceList", "price list", *l.priceList)}
		}
	}
	var charge *catalog.Charge
	switch {
	case gone.priceList != nil && gone.charge == nil:
		return line, billing.Problems{billing.Fail(billing.Required, "deleted.charge", "A price list that was deleted went with its charges: give the number of the charge too.")}
	case gone.charge != nil:
		line.ChargeID = billing.ChargeID(-*gone.charge)
		if l.name == nil || l.chargeType == nil {
			return line, billing.Problems{billing.Fail(billing.Required, "name", "A line of a charge that was deleted needs its name and its type.")}
		}
		charge = &catalog.Charge{ID: line.ChargeID, Code: l.charge}
	default:
		if charge = charges.find(c, of.Code, l.charge); charge == nil {
			return line, billing.Problems{missing("charge", "charge of the price list "+of.Code, l.charge)}
		}
	}
	line = subscription.Line{
		PriceListID: of.ID, ChargeID: charge.ID, Code: charge.Code, Name: charge.Name, FeatureID: charge.FeatureID, Type: charge.ChargeType,
		Quantity: l.quantity, Price: charge.Price, CurrencyID: of.CurrencyID, Rate: l.rate,
	}
	if gone.priceList != nil {
		line.PriceListID = billing.PriceListID(-*gone.priceList)
	}
	if l.currencyID != nil {
		line.CurrencyID = *l.currencyID
	}
	if l.override(&line); line.Rate == nil && gone.charge == nil {
		line.SetRate(charge, of)
	}
	problems = append(problems, c.lineFeature(of, l, &line, gone)...)
	if line.Type != catalog.Recurring && line.Type != catalog.OneTime && line.Type != catalog.Usage {
		problems = append(problems, billing.Fail(billing.Invalid, "type", "A charge is RECURRING, ONE_TIME or USAGE, not %q.", excerpt(string(line.Type))))
	}
	return line, problems
}

// override sets what a line says itself.
func (l *chargeOf) override(line *subscription.Line) {
	if l.code != nil {
		line.Code = *l.code
	}
	if l.name != nil {
		line.Name = *l.name
	}
	if l.chargeType != nil {
		line.Type = *l.chargeType
	}
	if l.price != nil || l.noPrice {
		line.Price = l.price
	}
	if l.start != nil {
		line.StartDate = *l.start
	}
	if l.end != nil {
		line.EndDate = *l.end
	}
	line.Off, line.KeptTo = l.off != nil && *l.off, l.keptTo
}

// lineFeature sets the feature that a line is for.
func (c *knownCatalog) lineFeature(of *catalog.PriceList, l *chargeOf, line *subscription.Line, gone deletedLine) billing.Problems {
	switch {
	case gone.feature != nil:
		id := billing.FeatureID(-*gone.feature)
		line.FeatureID = &id
	case l.noFeature:
		line.FeatureID = nil
	case l.feature != nil:
		product := products.of(c, plans.of(c, of.PlanID).ProductID)
		feature := features.find(c, product.Code, *l.feature)
		if feature == nil {
			return billing.Problems{missing("feature", "feature of the product "+product.Code, *l.feature)}
		}
		line.FeatureID = &feature.ID
	}
	return nil
}
