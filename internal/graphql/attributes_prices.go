package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editPriceList(in gen.PriceListAttributes, creating bool) func(*catalog.PriceList) error {
	return edit(setPriceList, in, creating, func(p *patch, _ *catalog.PriceList) {
		if !creating && in.Charges.IsSet() {
			p.fail(billing.Invalid, "charges", "charges can be given for a new price list only; change them with the priceListCharge mutations.")
		}
	})
}

func editCharges(in gen.PriceListAttributes) []catalog.ChargeEdit {
	var edits []catalog.ChargeEdit
	for _, charge := range in.Charges.Value() {
		edits = append(edits, catalog.ChargeEdit{Edit: editCharge(*charge, true), FeatureCode: charge.FeatureCode.Value()})
	}
	return edits
}

func editCharge(in gen.PriceListChargeAttributes, creating bool) func(*catalog.Charge) error {
	return func(c *catalog.Charge) error {
		list := c.PriceListID
		err := edit(setCharge, in, creating, func(p *patch, c *catalog.Charge) {
			if in.FeatureCode.IsSet() && in.FeatureID.Value() == nil {
				c.FeatureID = nil // a code that is not null is looked up by the operation
			}
			p.notBoth("feature", in.FeatureID.Value(), in.FeatureCode.Value())
			if tiers, set := in.PriceListChargeTiers.ValueOK(); set {
				c.Tiers = p.tiers(tiers)
			}
		})(c)
		if creating {
			c.PriceListID = list // it is the one that was asked for, whatever was sent
		}
		return err
	}
}

func (p *patch) tiers(in []*gen.PriceListChargeTierAttributes) []catalog.Tier {
	tiers := make([]catalog.Tier, len(in))
	for i, tier := range in {
		field := fmt.Sprintf("priceListChargeTiers.%d", i)
		if starts := tier.Starts.Value(); starts != nil {
			tiers[i].Starts = *starts
		} else {
			p.fail(billing.Required, field+".starts", "A tier says from which quantity on it is good: give starts.")
			tiers[i].Starts = 1 // what is missing is not also out of order
			if i > 0 {
				tiers[i].Starts = tiers[i-1].Starts + 1
			}
		}
		if price := read(p, field+".price", tier.Price.Value(), billing.ParsePrice); price != nil {
			tiers[i].Price = *price
		} else {
			p.fail(billing.Required, field+".price", "A tier needs a price.")
		}
	}
	return tiers
}

func editClient(in gen.APIClientAttributes, creating bool) func(*billing.Client) error {
	return edit(setClient, in, creating, func(_ *patch, c *billing.Client) {
		if scopes, set := in.Scopes.ValueOK(); set {
			c.Scopes = scopes
		}
	})
}
