package billing_test

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func goodFeature() *billing.Feature {
	return &billing.Feature{Code: "f", Name: "F", Kind: billing.Quantity}
}
func goodPriceList() *billing.PriceList {
	return &billing.PriceList{Code: "l", Name: "L", CurrencyID: "EUR", RenewalTermMonths: 12}
}
func goodCharge() *billing.Charge {
	return &billing.Charge{
		Code: "c", Name: "C", ChargeType: billing.Recurring, BillingPeriod: billing.Monthly,
		PricingModel: billing.Flat, Price: new(billing.Price("9.9")),
	}
}

func TestCatalogCheckAccepts(t *testing.T) {
	Accepted(t, map[string]Checked{
		"product":    &billing.Product{Code: "p", Name: "P"},
		"feature":    goodFeature(),
		"plan":       &billing.Plan{Name: "Basic"},
		"price list": goodPriceList(),
		"charge":     goodCharge(),
		"price list with a trial": With(goodPriceList(), func(l *billing.PriceList) {
			l.TrialAllowed, l.TrialLengthDays, l.TrialExpirationAction = true, new(14), new(billing.TrialCancel)
		}),
		"charge with tiers": With(goodCharge(), func(c *billing.Charge) {
			c.PricingModel, c.Price, c.Tiers = billing.Volume, nil, []billing.Tier{{1, "10"}, {11, "8"}, {101, "0"}}
			c.QuantityMin, c.QuantityMax = new(0), new(0)
		}),
		"one-time charge": With(goodCharge(), func(c *billing.Charge) { c.ChargeType, c.BillingPeriod = billing.OneTime, billing.Once }),
	})
}

func TestCatalogCheckRefuses(t *testing.T) {
	feature := func(how func(*billing.Feature)) Checked { return With(goodFeature(), how) }
	list := func(how func(*billing.PriceList)) Checked { return With(goodPriceList(), how) }
	charge := func(how func(*billing.Charge)) Checked { return With(goodCharge(), how) }
	tiers := func(tiers ...billing.Tier) Checked {
		return charge(func(c *billing.Charge) { c.PricingModel, c.Price, c.Tiers = billing.Tiered, nil, tiers })
	}
	for _, c := range []struct {
		thing Checked
		code  billing.Code
		field string
		says  string
	}{
		{feature(func(f *billing.Feature) { f.Kind = "LIST" }), billing.Invalid, "kind", "QUANTITY"},
		{feature(func(f *billing.Feature) { f.Position = -1 }), billing.Invalid, "position", "0"},
		{feature(func(f *billing.Feature) { f.Code = " x" }), billing.Invalid, "code", "blank"},
		{list(func(l *billing.PriceList) { l.CurrencyID = "" }), billing.Required, "currencyId", "currency"},
		{list(func(l *billing.PriceList) { l.CurrencyID = "eur" }), billing.Invalid, "currencyId", "EUR"},
		{list(func(l *billing.PriceList) { l.RenewalTermMonths = 0 }), billing.Invalid, "renewalTermMonths", "1 to 120"},
		{list(func(l *billing.PriceList) { l.TrialAllowed = true }), billing.Required, "trialLengthDays", "length"},
		{list(func(l *billing.PriceList) { l.TrialLengthDays = new(0) }), billing.Invalid, "trialLengthDays", "1 to 3650"},
		{list(func(l *billing.PriceList) { l.TrialExpirationAction = new(billing.TrialExpirationAction("X")) }), billing.Invalid, "trialExpirationAction", "ACTIVATE"},
		{charge(func(c *billing.Charge) { c.Price = nil }), billing.Required, "price", "price"},
		{charge(func(c *billing.Charge) { c.Tiers = []billing.Tier{{1, "1"}} }), billing.Invalid, "priceListChargeTiers", "FLAT"},
		{charge(func(c *billing.Charge) { c.PricingModel = "X" }), billing.Invalid, "pricingModel", "FLAT"},
		{charge(func(c *billing.Charge) { c.PricingModel, c.Tiers = billing.Tiered, []billing.Tier{{1, "1"}} }), billing.Invalid, "price", "tiers"},
		{charge(func(c *billing.Charge) { c.BillingPeriod = billing.Once }), billing.Invalid, "billingPeriod", "MONTHLY"},
		{charge(func(c *billing.Charge) { c.BillingTiming = new(billing.BillingTiming("LATER")) }), billing.Invalid, "billingTiming", "IN_ADVANCE"},
		{charge(func(c *billing.Charge) { c.ChargeType, c.BillingTiming = billing.Usage, new(billing.InAdvance) }), billing.Invalid, "billingTiming", "IN_ARREARS"},
		{charge(func(c *billing.Charge) {
			c.ChargeType, c.BillingPeriod, c.BillingTiming = billing.OneTime, billing.Once, new(billing.InAdvance)
		}), billing.Invalid, "billingTiming", "null"},
		{charge(func(c *billing.Charge) { c.ChargeType = billing.OneTime }), billing.Invalid, "billingPeriod", "ONCE"},
		{charge(func(c *billing.Charge) { c.ChargeType = "X" }), billing.Invalid, "chargeType", "RECURRING"},
		{charge(func(c *billing.Charge) { c.QuantityMin = new(-1) }), billing.Invalid, "quantityMin", "0"},
		{charge(func(c *billing.Charge) { c.QuantityMin, c.QuantityMax = new(5), new(4) }), billing.Invalid, "quantityMax", "below"},
		{tiers(), billing.Required, "priceListChargeTiers", "at least one"},
		{tiers(billing.Tier{0, "1"}), billing.Invalid, "priceListChargeTiers.0.starts", "starts at 1"},
		{tiers(billing.Tier{1, "1"}, billing.Tier{1, "1"}), billing.Invalid, "priceListChargeTiers.1.starts", "ascend"},
		{tiers(billing.Tier{1, "1"}, billing.Tier{billing.MaxQuantity + 1, "1"}), billing.Invalid, "priceListChargeTiers.1.starts", "1000000000"},
		{tiers(make([]billing.Tier, billing.MaxTiers+1)...), billing.Invalid, "priceListChargeTiers", "100"},
	} {
		Refused(t, c.thing, c.code, c.field, c.says)
	}
}

func TestChargeDefaults(t *testing.T) {
	for _, c := range []struct {
		kind   billing.ChargeType
		period billing.BillingPeriod
		timing *billing.BillingTiming
	}{
		{billing.Recurring, billing.Monthly, new(billing.InAdvance)}, {billing.Usage, billing.Monthly, new(billing.InArrears)}, {billing.OneTime, billing.Once, nil},
	} {
		same := func(what string, got billing.Charge, period billing.BillingPeriod, timing *billing.BillingTiming) {
			t.Helper()
			if got.BillingPeriod != period || !reflect.DeepEqual(got.BillingTiming, timing) {
				t.Errorf("%s, %s: billed %s %v", c.kind, what, got.BillingPeriod, got.BillingTiming)
			}
		}
		was := billing.Charge{ChargeType: "ANOTHER", BillingTiming: new(billing.InAdvance)}
		charge := billing.Charge{ChargeType: c.kind}
		charge.SetDefaults(billing.Charge{})
		same("nothing given", charge, c.period, c.timing)
		charge.BillingTiming = new(billing.InAdvance)
		charge.SetDefaults(was)
		same("another type than before", charge, c.period, c.timing)
		given := billing.Charge{ChargeType: c.kind, BillingPeriod: billing.Annual, BillingTiming: new(billing.InArrears)}
		given.SetDefaults(was)
		same("both given", given, billing.Annual, new(billing.InArrears))
	}
}
