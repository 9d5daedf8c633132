package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/service"
)

func editPriceList(in gen.PriceListAttributes, creating bool) func(*billing.PriceList) error {
	return func(l *billing.PriceList) error {
		p := &patch{creating: creating}
		needID(p, "planId", in.PlanID, &l.PlanID)
		need(p, "code", in.Code, &l.Code)
		need(p, "name", in.Name, &l.Name)
		need(p, "currencyId", in.CurrencyID, &l.CurrencyID)
		need(p, "renewalTermMonths", in.RenewalTermMonths, &l.RenewalTermMonths)
		need(p, "trialAllowed", in.TrialAllowed, &l.TrialAllowed)
		may(in.TrialLengthDays, &l.TrialLengthDays)
		may(in.TrialExpirationAction, &l.TrialExpirationAction)
		need(p, "isVisible", in.IsVisible, &l.IsVisible)
		if !creating && in.Charges.IsSet() {
			p.problems = append(p.problems, billing.Fail(billing.Invalid, "charges",
				"charges can be given for a new price list only; change them with the priceListCharge mutations."))
		}
		return p.problems.Err()
	}
}

func editCharges(in gen.PriceListAttributes) []service.ChargeEdit {
	var edits []service.ChargeEdit
	for _, charge := range in.Charges.Value() {
		edits = append(edits, service.ChargeEdit{Edit: editCharge(*charge, true), FeatureCode: charge.FeatureCode.Value()})
	}
	return edits
}

func editCharge(in gen.PriceListChargeAttributes, creating bool) func(*billing.Charge) error {
	return func(c *billing.Charge) error {
		p := &patch{creating: creating}
		if !creating {
			needID(p, "priceListId", in.PriceListID, &c.PriceListID)
		}
		need(p, "code", in.Code, &c.Code)
		need(p, "name", in.Name, &c.Name)
		mayID(in.FeatureID, &c.FeatureID)
		if in.FeatureCode.IsSet() && in.FeatureID.Value() == nil {
			c.FeatureID = nil // a code that is not null is looked up by the operation
		}
		if in.FeatureID.Value() != nil && in.FeatureCode.Value() != nil {
			p.problems = append(p.problems, billing.Fail(billing.Invalid, "featureCode", "Give featureId or featureCode, not both."))
		}
		need(p, "chargeType", in.ChargeType, &c.ChargeType)
		need(p, "billingPeriod", in.BillingPeriod, &c.BillingPeriod)
		need(p, "pricingModel", in.PricingModel, &c.PricingModel)
		if text, set := in.Price.ValueOK(); set {
			c.Price = p.price("price", text)
		}
		if tiers, set := in.PriceListChargeTiers.ValueOK(); set {
			c.Tiers = p.tiers(tiers)
		}
		may(in.QuantityMin, &c.QuantityMin)
		may(in.QuantityMax, &c.QuantityMax)
		return p.problems.Err()
	}
}

func (p *patch) price(field string, text *string) *billing.Price {
	if text == nil {
		return nil
	}
	price, err := billing.ParsePrice(*text)
	if err != nil {
		p.problems = append(p.problems, billing.Fail(billing.Invalid, field, "%s", err.Error()))
		price = "0" // a price that is there but wrong is not also missing
	}
	return &price
}

func (p *patch) tiers(in []*gen.PriceListChargeTierAttributes) []billing.Tier {
	tiers := make([]billing.Tier, len(in))
	for i, tier := range in {
		field := fmt.Sprintf("priceListChargeTiers.%d", i)
		if starts := tier.Starts.Value(); starts != nil {
			tiers[i].Starts = *starts
		} else {
			p.problems = append(p.problems, billing.Fail(billing.Required, field+".starts", "A tier says from which quantity on it is good: give starts."))
			tiers[i].Starts = 1 // what is missing is not also out of order
			if i > 0 {
				tiers[i].Starts = tiers[i-1].Starts + 1
			}
		}
		if price := p.price(field+".price", tier.Price.Value()); price != nil {
			tiers[i].Price = *price
		} else {
			p.problems = append(p.problems, billing.Fail(billing.Required, field+".price", "A tier needs a price."))
		}
	}
	return tiers
}

func editClient(in gen.APIClientAttributes, creating bool) func(*billing.Client) error {
	return func(c *billing.Client) error {
		p := &patch{creating: creating}
		need(p, "name", in.Name, &c.Name)
		if scopes, set := in.Scopes.ValueOK(); set {
			c.Scopes = scopes
		}
		need(p, "accessTokenExpiresIn", in.AccessTokenExpiresIn, &c.AccessTokenExpiresIn)
		may(in.MaxConcurrentRequests, &c.MaxConcurrentRequests)
		may(in.MaxCPUSecondsPerMinute, &c.MaxCPUSecondsPerMinute)
		may(in.MaxMegabytesPerMinute, &c.MaxMegabytesPerMinute)
		return p.problems.Err()
	}
}
