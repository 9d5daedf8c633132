// Package rate has what a line of a subscription costs: a copy of everything in
// its charge that decides a price. It is frozen when the line is made, so that a
// change of the catalog changes nothing that was agreed.
package rate

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Rate is what a line costs.
type Rate struct {
	ChargeType    catalog.ChargeType    `json:"chargeType"`
	BillingPeriod catalog.BillingPeriod `json:"billingPeriod"`
	BillingTiming catalog.BillingTiming `json:"billingTiming,omitempty"`
	PricingModel  catalog.PricingModel  `json:"pricingModel"`
	Price         *billing.Price        `json:"price,omitempty"`
	Tiers         []catalog.Tier        `json:"tiers,omitempty"`
	// TaxCode is that of the charge, empty for the standard one: see TaxedAs.
	TaxCode string `json:"taxCode,omitempty"`
	// TaxIncluded says that the prices of its price list include tax.
	TaxIncluded bool `json:"taxIncluded,omitempty"`
}

// Of freezes the rate of a charge, of a price list whose prices include tax or do
// not.
func Of(c *catalog.Charge, taxIncluded bool) Rate {
	r := Rate{ChargeType: c.ChargeType, BillingPeriod: c.BillingPeriod, PricingModel: c.PricingModel, Tiers: slices.Clone(c.Tiers), TaxIncluded: taxIncluded}
	if c.TaxCode != billing.StandardTaxCode {
		r.TaxCode = c.TaxCode
	}
	if c.BillingTiming != nil {
		r.BillingTiming = *c.BillingTiming
	}
	if c.Price != nil {
		price := *c.Price
		r.Price = &price
	}
	return r
}

// Equal reports whether two rates cost the same in every respect. Only then may
// lines be joined.
func (r *Rate) Equal(other *Rate) bool {
	samePrice := r.Price == other.Price || r.Price != nil && other.Price != nil && *r.Price == *other.Price
	return samePrice && r.TaxedAs() == other.TaxedAs() && r.TaxIncluded == other.TaxIncluded && r.ChargeType == other.ChargeType && r.BillingPeriod == other.BillingPeriod &&
		r.BillingTiming == other.BillingTiming && r.PricingModel == other.PricingModel && slices.Equal(r.Tiers, other.Tiers)
}

// TaxedAs is the tax code of the line.
func (r *Rate) TaxedAs() string {
	if r.TaxCode == "" {
		return billing.StandardTaxCode
	}
	return r.TaxCode
}

// Months is how long a billing period is; 0 for what is billed once.
func (r *Rate) Months() int {
	switch r.BillingPeriod {
	case catalog.Monthly:
		return 1
	case catalog.Quarterly:
		return 3
	case catalog.SemiAnnual:
		return 6
	case catalog.Annual:
		return 12
	}
	return 0
}

// Check returns what keeps the rate from being billed, nil if nothing does.
// Charges are checked when they are made; this finds stored data that is
// broken.
func (r *Rate) Check() error {
	charge := catalog.Charge{
		Code: "rate", Name: "rate", ChargeType: r.ChargeType, BillingPeriod: r.BillingPeriod,
		PricingModel: r.PricingModel, Price: r.Price, Tiers: r.Tiers, TaxCode: r.TaxedAs(),
	}
	if r.BillingTiming != "" {
		charge.BillingTiming = &r.BillingTiming
	}
	if err := charge.Check().Err(); err != nil {
		return err
	}
	if r.ChargeType != catalog.OneTime && r.BillingTiming == "" {
		return billing.Fail(billing.Required, "billingTiming", "A %s charge is billed IN_ADVANCE or IN_ARREARS.", r.ChargeType)
	}
	if r.Price != nil {
		_, err := exact(*r.Price)
		return err
	}
	for _, tier := range r.Tiers {
		if _, err := exact(tier.Price); err != nil {
			return err
		}
	}
	return nil
}
