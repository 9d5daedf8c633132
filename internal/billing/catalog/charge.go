package catalog

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// ChargeType says when a charge is due.
type ChargeType string

// BillingPeriod is how often a recurring charge is billed.
type BillingPeriod string

// BillingTiming says whether a period is billed when it begins or when it is over.
type BillingTiming string

// PricingModel says how a quantity becomes a price.
type PricingModel string

// The allowed values of the four.
const (
	Recurring ChargeType = "RECURRING"
	OneTime   ChargeType = "ONE_TIME"
	Usage     ChargeType = "USAGE"

	Monthly    BillingPeriod = "MONTHLY"
	Quarterly  BillingPeriod = "QUARTERLY"
	SemiAnnual BillingPeriod = "SEMI_ANNUAL"
	Annual     BillingPeriod = "ANNUAL"
	Once       BillingPeriod = "ONCE"

	InAdvance BillingTiming = "IN_ADVANCE"
	InArrears BillingTiming = "IN_ARREARS"

	Flat   PricingModel = "FLAT"
	Tiered PricingModel = "TIERED"
	Volume PricingModel = "VOLUME"
	Bands  PricingModel = "BANDS"
)

// MaxTiers bounds the tiers of one charge.
const MaxTiers = 100

// Tier is a price from a quantity on.
type Tier struct {
	Starts int           `json:"starts"`
	Price  billing.Price `json:"price"`
}

// Charge is one line of a price list. A charge for a feature gives the
// subscribed quantity of that feature.
type Charge struct {
	ID            billing.ChargeID    `json:"id"`
	PriceListID   billing.PriceListID `json:"priceListId"`
	Code          string              `json:"code"`
	Name          string              `json:"name"`
	FeatureID     *billing.FeatureID  `json:"featureId"`
	ChargeType    ChargeType          `json:"chargeType"`
	BillingPeriod BillingPeriod       `json:"billingPeriod"`
	BillingTiming *BillingTiming      `json:"billingTiming"`
	PricingModel  PricingModel        `json:"pricingModel"`
	Price         *billing.Price      `json:"price"`
	Tiers         []Tier              `json:"priceListChargeTiers"`
	// TaxCode names the tax rates that the charge is taxed at.
	TaxCode     string    `json:"taxCode"`
	QuantityMin *int      `json:"quantityMin"`
	QuantityMax *int      `json:"quantityMax"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// ChargeFields describes the fields of a charge, but for its tiers.
var ChargeFields = billing.Fields[Charge]{
	{Fields: []billing.Field[Charge]{
		billing.Reference("priceListId", func(c *Charge) *billing.PriceListID { return &c.PriceListID }),
		billing.Describe("name", "Name", func(c *Charge) *string { return &c.Name }, billing.NameText).AsRequired(),
		billing.Describe("code", "Code", func(c *Charge) *string { return &c.Code }, billing.CheckCode).AsRequired().WithHelp("Orders name the charge by its code."),
		billing.Reference("featureId", func(c *Charge) **billing.FeatureID { return &c.FeatureID }),
		billing.Describe("chargeType", "", func(c *Charge) *ChargeType { return &c.ChargeType }),
		billing.Describe("billingPeriod", "", func(c *Charge) *BillingPeriod { return &c.BillingPeriod }),
		billing.Optional("billingTiming", "", func(c *Charge) **BillingTiming { return &c.BillingTiming }),
	}},
	{Title: "Price", Fields: []billing.Field[Charge]{
		billing.Describe("pricingModel", "", func(c *Charge) *PricingModel { return &c.PricingModel }),
		billing.Optional("price", "", func(c *Charge) **billing.Price { return &c.Price }),
		billing.Describe("taxCode", "Tax code", func(c *Charge) *string { return &c.TaxCode }, billing.CheckCode).AsRequired().WithHelp("Of the tax rates that apply, such as standard or reduced."),
	}},
	{Title: "Quantity", Fields: []billing.Field[Charge]{
		billing.Optional("quantityMin", "At least", func(c *Charge) **int { return &c.QuantityMin }, CheckQuantity),
		billing.Optional("quantityMax", "At most", func(c *Charge) **int { return &c.QuantityMax }, CheckQuantity),
	}},
}

// SetDefaults completes a charge without a period, timing or tax code: it is
// billed every month in advance, usage in arrears, and a one-time charge once. was is the
// charge before it was edited: the timing follows a changed type.
func (c *Charge) SetDefaults(was Charge) {
	if c.ChargeType != was.ChargeType && c.BillingTiming != nil && was.BillingTiming != nil && *c.BillingTiming == *was.BillingTiming {
		c.BillingTiming = nil
	}
	if c.TaxCode == "" {
		c.TaxCode = billing.StandardTaxCode
	}
	if c.BillingPeriod == "" {
		if c.BillingPeriod = Monthly; c.ChargeType == OneTime {
			c.BillingPeriod = Once
		}
	}
	if c.BillingTiming == nil && c.ChargeType != OneTime {
		timing := InAdvance
		if c.ChargeType == Usage {
			timing = InArrears
		}
		c.BillingTiming = &timing
	}
}

// Check returns what is wrong with the charge, nil if nothing is. Prices are
// right by construction: see ParsePrice.
func (c *Charge) Check() billing.Problems {
	p := ChargeFields.Check(c)
	p.Add(c.checkPeriod(), c.checkTiming())
	p.Add(c.checkPricing()...)
	if c.QuantityMin != nil && c.QuantityMax != nil && *c.QuantityMin > *c.QuantityMax {
		p.Add(billing.Invalidf("quantityMax", "The largest quantity (%d) is below the smallest (%d).", *c.QuantityMax, *c.QuantityMin))
	}
	return p
}

func (c *Charge) checkPeriod() *billing.Error {
	switch c.ChargeType {
	case Recurring, Usage:
		switch c.BillingPeriod {
		case Monthly, Quarterly, SemiAnnual, Annual:
			return nil
		}
		return billing.Invalidf("billingPeriod", "A %s charge is billed MONTHLY, QUARTERLY, SEMI_ANNUAL or ANNUAL, not %q.", c.ChargeType, c.BillingPeriod)
	case OneTime:
		if c.BillingPeriod != Once {
			return billing.Invalidf("billingPeriod", "A ONE_TIME charge is billed ONCE, not %q.", c.BillingPeriod)
		}
		return nil
	}
	return billing.Invalidf("chargeType", "A charge is RECURRING, ONE_TIME or USAGE, not %q.", c.ChargeType)
}

func (c *Charge) checkTiming() *billing.Error {
	switch t := c.BillingTiming; {
	case c.ChargeType == OneTime && t != nil:
		return billing.Invalidf("billingTiming", "A ONE_TIME charge has no periods: billingTiming must be null.")
	case c.ChargeType == Usage && t != nil && *t != InArrears:
		return billing.Invalidf("billingTiming", "Usage is known when the period is over: a USAGE charge is billed IN_ARREARS, not %q.", *t)
	case t != nil && *t != InAdvance && *t != InArrears:
		return billing.Invalidf("billingTiming", "A charge is billed IN_ADVANCE or IN_ARREARS, not %q.", *t)
	}
	return nil
}

func (c *Charge) checkPricing() []*billing.Error {
	switch c.PricingModel {
	case Flat:
		if len(c.Tiers) > 0 {
			return []*billing.Error{billing.Invalidf("priceListChargeTiers", "A FLAT charge has one price and no tiers; choose TIERED, VOLUME or BANDS for tiers.")}
		}
		if c.Price == nil {
			return []*billing.Error{billing.Requiredf("price", "A FLAT charge needs a price.")}
		}
		return nil
	case Tiered, Volume, Bands:
		if c.Price != nil {
			return []*billing.Error{billing.Invalidf("price", "A %s charge is priced by its tiers alone; leave price out.", c.PricingModel)}
		}
		return checkTiers(c.PricingModel, c.Tiers)
	}
	return []*billing.Error{billing.Invalidf("pricingModel", "A pricing model is FLAT, TIERED, VOLUME or BANDS, not %q.", c.PricingModel)}
}

func checkTiers(model PricingModel, tiers []Tier) []*billing.Error {
	if len(tiers) == 0 {
		return []*billing.Error{billing.Requiredf("priceListChargeTiers", "A %s charge needs at least one tier.", model)}
	}
	if len(tiers) > MaxTiers {
		return []*billing.Error{billing.Invalidf("priceListChargeTiers", "A charge has at most %d tiers, not %d.", MaxTiers, len(tiers))}
	}
	var p billing.Problems
	for i, tier := range tiers {
		field := fmt.Sprintf("priceListChargeTiers.%d.starts", i)
		switch {
		case i == 0 && tier.Starts != 1:
			p.Add(billing.Invalidf(field, "The first tier starts at 1, not at %d.", tier.Starts))
		case i > 0 && tier.Starts <= tiers[i-1].Starts:
			p.Add(billing.Invalidf(field, "Tiers ascend: this one starts at %d, not above the one before it (%d).", tier.Starts, tiers[i-1].Starts))
		case tier.Starts > billing.MaxQuantity:
			p.Add(billing.Invalidf(field, "A tier starts at %d at the most, not at %d.", billing.MaxQuantity, tier.Starts))
		}
	}
	return p
}

// Sells reports whether a number is within the charge's minimum and maximum.
func (c *Charge) Sells(n int) bool {
	return (c.QuantityMin == nil || n >= *c.QuantityMin) && (c.QuantityMax == nil || n <= *c.QuantityMax)
}

// CheckQuantity refuses a quantity that nothing can have.
var CheckQuantity = billing.Between(0, billing.MaxQuantity, "A quantity is a whole number from %d to %d, not %d.")

// ChargeEdit is how a caller describes a charge. FeatureCode names its feature
// instead of an id, if it is not nil.
type ChargeEdit struct {
	Edit        func(*Charge) error
	FeatureCode *string
}
