package billing

import (
	"fmt"
	"time"
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
	Starts int   `json:"starts"`
	Price  Price `json:"price"`
}

// Charge is one line of a price list. A charge for a feature gives the
// subscribed quantity of that feature.
type Charge struct {
	ID            ChargeID       `json:"id"`
	PriceListID   PriceListID    `json:"priceListId"`
	Code          string         `json:"code"`
	Name          string         `json:"name"`
	FeatureID     *FeatureID     `json:"featureId"`
	ChargeType    ChargeType     `json:"chargeType"`
	BillingPeriod BillingPeriod  `json:"billingPeriod"`
	BillingTiming *BillingTiming `json:"billingTiming"`
	PricingModel  PricingModel   `json:"pricingModel"`
	Price         *Price         `json:"price"`
	Tiers         []Tier         `json:"priceListChargeTiers"`
	QuantityMin   *int           `json:"quantityMin"`
	QuantityMax   *int           `json:"quantityMax"`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt"`
}

// ChargeFields describes the fields of a charge, but for its tiers.
var ChargeFields = Fields[Charge]{
	{Fields: []Field[Charge]{
		Reference("priceListId", func(c *Charge) *PriceListID { return &c.PriceListID }),
		Describe("name", "Name", func(c *Charge) *string { return &c.Name }, NameText).AsRequired(),
		Describe("code", "Code", func(c *Charge) *string { return &c.Code }, CheckCode).AsRequired().WithHelp("Orders name the charge by its code."),
		Reference("featureId", func(c *Charge) **FeatureID { return &c.FeatureID }),
		Describe("chargeType", "", func(c *Charge) *ChargeType { return &c.ChargeType }),
		Describe("billingPeriod", "", func(c *Charge) *BillingPeriod { return &c.BillingPeriod }),
		Optional("billingTiming", "", func(c *Charge) **BillingTiming { return &c.BillingTiming }),
	}},
	{Title: "Price", Fields: []Field[Charge]{
		Describe("pricingModel", "", func(c *Charge) *PricingModel { return &c.PricingModel }),
		Optional("price", "", func(c *Charge) **Price { return &c.Price }),
	}},
	{Title: "Quantity", Fields: []Field[Charge]{
		Optional("quantityMin", "At least", func(c *Charge) **int { return &c.QuantityMin }, CheckQuantity),
		Optional("quantityMax", "At most", func(c *Charge) **int { return &c.QuantityMax }, CheckQuantity),
	}},
}

// SetDefaults completes a charge without a period or timing: it is billed every
// month in advance, usage in arrears, and a one-time charge once. was is the
// charge before it was edited: the timing follows a changed type.
func (c *Charge) SetDefaults(was Charge) {
	if c.ChargeType != was.ChargeType && c.BillingTiming != nil && was.BillingTiming != nil && *c.BillingTiming == *was.BillingTiming {
		c.BillingTiming = nil
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
func (c *Charge) Check() Problems {
	p := ChargeFields.Check(c)
	p.Add(c.checkPeriod(), c.checkTiming())
	p.Add(c.checkPricing()...)
	if c.QuantityMin != nil && c.QuantityMax != nil && *c.QuantityMin > *c.QuantityMax {
		p.Add(Invalidf("quantityMax", "The largest quantity (%d) is below the smallest (%d).", *c.QuantityMax, *c.QuantityMin))
	}
	return p
}

func (c *Charge) checkPeriod() *Error {
	switch c.ChargeType {
	case Recurring, Usage:
		switch c.BillingPeriod {
		case Monthly, Quarterly, SemiAnnual, Annual:
			return nil
		}
		return Invalidf("billingPeriod", "A %s charge is billed MONTHLY, QUARTERLY, SEMI_ANNUAL or ANNUAL, not %q.", c.ChargeType, c.BillingPeriod)
	case OneTime:
		if c.BillingPeriod != Once {
			return Invalidf("billingPeriod", "A ONE_TIME charge is billed ONCE, not %q.", c.BillingPeriod)
		}
		return nil
	}
	return Invalidf("chargeType", "A charge is RECURRING, ONE_TIME or USAGE, not %q.", c.ChargeType)
}

func (c *Charge) checkTiming() *Error {
	switch t := c.BillingTiming; {
	case c.ChargeType == OneTime && t != nil:
		return Invalidf("billingTiming", "A ONE_TIME charge has no periods: billingTiming must be null.")
	case c.ChargeType == Usage && t != nil && *t != InArrears:
		return Invalidf("billingTiming", "Usage is known when the period is over: a USAGE charge is billed IN_ARREARS, not %q.", *t)
	case t != nil && *t != InAdvance && *t != InArrears:
		return Invalidf("billingTiming", "A charge is billed IN_ADVANCE or IN_ARREARS, not %q.", *t)
	}
	return nil
}

func (c *Charge) checkPricing() []*Error {
	switch c.PricingModel {
	case Flat:
		if len(c.Tiers) > 0 {
			return []*Error{Invalidf("priceListChargeTiers", "A FLAT charge has one price and no tiers; choose TIERED, VOLUME or BANDS for tiers.")}
		}
		if c.Price == nil {
			return []*Error{Requiredf("price", "A FLAT charge needs a price.")}
		}
		return nil
	case Tiered, Volume, Bands:
		if c.Price != nil {
			return []*Error{Invalidf("price", "A %s charge is priced by its tiers alone; leave price out.", c.PricingModel)}
		}
		return checkTiers(c.PricingModel, c.Tiers)
	}
	return []*Error{Invalidf("pricingModel", "A pricing model is FLAT, TIERED, VOLUME or BANDS, not %q.", c.PricingModel)}
}

func checkTiers(model PricingModel, tiers []Tier) []*Error {
	if len(tiers) == 0 {
		return []*Error{Requiredf("priceListChargeTiers", "A %s charge needs at least one tier.", model)}
	}
	if len(tiers) > MaxTiers {
		return []*Error{Invalidf("priceListChargeTiers", "A charge has at most %d tiers, not %d.", MaxTiers, len(tiers))}
	}
	var p Problems
	for i, tier := range tiers {
		field := fmt.Sprintf("priceListChargeTiers.%d.starts", i)
		switch {
		case i == 0 && tier.Starts != 1:
			p.Add(Invalidf(field, "The first tier starts at 1, not at %d.", tier.Starts))
		case i > 0 && tier.Starts <= tiers[i-1].Starts:
			p.Add(Invalidf(field, "Tiers ascend: this one starts at %d, not above the one before it (%d).", tier.Starts, tiers[i-1].Starts))
		case tier.Starts > MaxQuantity:
			p.Add(Invalidf(field, "A tier starts at %d at the most, not at %d.", MaxQuantity, tier.Starts))
		}
	}
	return p
}

// Sells reports whether a number is within the charge's minimum and maximum.
func (c *Charge) Sells(n int) bool {
	return (c.QuantityMin == nil || n >= *c.QuantityMin) && (c.QuantityMax == nil || n <= *c.QuantityMax)
}

// CheckQuantity refuses a quantity that nothing can have.
var CheckQuantity = Between(0, MaxQuantity, "A quantity is a whole number from %d to %d, not %d.")
