package catalog_test

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func goodFeature() *catalog.Feature {
	return &catalog.Feature{Code: "f", Name: "F", Kind: catalog.Quantity}
}
func goodPriceList() *catalog.PriceList {
	return &catalog.PriceList{Code: "l", Name: "L", CurrencyID: "EUR", RenewalTermMonths: 12}
}
func goodCharge() *catalog.Charge {
	return &catalog.Charge{
		Code: "c", Name: "C", ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly,
		TaxCode: billing.StandardTaxCode, PricingModel: catalog.Flat, Price: new(billing.Price("9.9")),
	}
}

func TestCatalogCheckAccepts(t *testing.T) {
	billingtest.Accepted(t, map[string]billingtest.Checked{
		"product":    &catalog.Product{Code: "p", Name: "P"},
		"feature":    goodFeature(),
		"plan":       &catalog.Plan{Name: "Basic"},
		"price list": goodPriceList(),
		"charge":     goodCharge(),
		"price list with a trial": billingtest.With(goodPriceList(), func(l *catalog.PriceList) {
			l.TrialAllowed, l.TrialLengthDays, l.TrialExpirationAction = true, new(14), new(catalog.TrialCancel)
		}),
		"charge with tiers": billingtest.With(goodCharge(), func(c *catalog.Charge) {
			c.PricingModel, c.Price, c.Tiers = catalog.Volume, nil, []catalog.Tier{{1, "10"}, {11, "8"}, {101, "0"}}
			c.QuantityMin, c.QuantityMax = new(0), new(0)
		}),
		"one-time charge": billingtest.With(goodCharge(), func(c *catalog.Charge) { c.ChargeType, c.BillingPeriod = catalog.OneTime, catalog.Once }),
	})
}

func TestCatalogCheckRefuses(t *testing.T) {
	feature := func(how func(*catalog.Feature)) billingtest.Checked { return billingtest.With(goodFeature(), how) }
	list := func(how func(*catalog.PriceList)) billingtest.Checked { return billingtest.With(goodPriceList(), how) }
	charge := func(how func(*catalog.Charge)) billingtest.Checked { return billingtest.With(goodCharge(), how) }
	tiers := func(tiers ...catalog.Tier) billingtest.Checked {
		return charge(func(c *catalog.Charge) { c.PricingModel, c.Price, c.Tiers = catalog.Tiered, nil, tiers })
	}
	for _, c := range []struct {
		thing billingtest.Checked
		code  billing.Code
		field string
		says  string
	}{
		{feature(func(f *catalog.Feature) { f.Kind = "LIST" }), billing.Invalid, "kind", "QUANTITY"},
		{feature(func(f *catalog.Feature) { f.Position = -1 }), billing.Invalid, "position", "0"},
		{feature(func(f *catalog.Feature) { f.Code = " x" }), billing.Invalid, "code", "blank"},
		{list(func(l *catalog.PriceList) { l.CurrencyID = "" }), billing.Required, "currencyId", "currency"},
		{list(func(l *catalog.PriceList) { l.CurrencyID = "eur" }), billing.Invalid, "currencyId", "EUR"},
		{list(func(l *catalog.PriceList) { l.RenewalTermMonths = 0 }), billing.Invalid, "renewalTermMonths", "1 to 120"},
		{list(func(l *catalog.PriceList) { l.TrialAllowed = true }), billing.Required, "trialLengthDays", "length"},
		{list(func(l *catalog.PriceList) { l.TrialLengthDays = new(0) }), billing.Invalid, "trialLengthDays", "1 to 3650"},
		{list(func(l *catalog.PriceList) { l.TrialExpirationAction = new(catalog.TrialExpirationAction("X")) }), billing.Invalid, "trialExpirationAction", "ACTIVATE"},
		{charge(func(c *catalog.Charge) { c.Price = nil }), billing.Required, "price", "price"},
		{charge(func(c *catalog.Charge) { c.Tiers = []catalog.Tier{{1, "1"}} }), billing.Invalid, "priceListChargeTiers", "FLAT"},
		{charge(func(c *catalog.Charge) { c.PricingModel = "X" }), billing.Invalid, "pricingModel", "FLAT"},
		{charge(func(c *catalog.Charge) { c.PricingModel, c.Tiers = catalog.Tiered, []catalog.Tier{{1, "1"}} }), billing.Invalid, "price", "tiers"},
		{charge(func(c *catalog.Charge) { c.BillingPeriod = catalog.Once }), billing.Invalid, "billingPeriod", "MONTHLY"},
		{charge(func(c *catalog.Charge) { c.BillingTiming = new(catalog.BillingTiming("LATER")) }), billing.Invalid, "billingTiming", "IN_ADVANCE"},
		{charge(func(c *catalog.Charge) { c.ChargeType, c.BillingTiming = catalog.Usage, new(catalog.InAdvance) }), billing.Invalid, "billingTiming", "IN_ARREARS"},
		{charge(func(c *catalog.Charge) {
			c.ChargeType, c.BillingPeriod, c.BillingTiming = catalog.OneTime, catalog.Once, new(catalog.InAdvance)
		}), billing.Invalid, "billingTiming", "null"},
		{charge(func(c *catalog.Charge) { c.ChargeType = catalog.OneTime }), billing.Invalid, "billingPeriod", "ONCE"},
		{charge(func(c *catalog.Charge) { c.ChargeType = "X" }), billing.Invalid, "chargeType", "RECURRING"},
		{charge(func(c *catalog.Charge) { c.QuantityMin = new(-1) }), billing.Invalid, "quantityMin", "0"},
		{charge(func(c *catalog.Charge) { c.QuantityMin, c.QuantityMax = new(5), new(4) }), billing.Invalid, "quantityMax", "below"},
		{tiers(), billing.Required, "priceListChargeTiers", "at least one"},
		{tiers(catalog.Tier{0, "1"}), billing.Invalid, "priceListChargeTiers.0.starts", "starts at 1"},
		{tiers(catalog.Tier{1, "1"}, catalog.Tier{1, "1"}), billing.Invalid, "priceListChargeTiers.1.starts", "ascend"},
		{tiers(catalog.Tier{1, "1"}, catalog.Tier{billing.MaxQuantity + 1, "1"}), billing.Invalid, "priceListChargeTiers.1.starts", "1000000000"},
		{tiers(make([]catalog.Tier, catalog.MaxTiers+1)...), billing.Invalid, "priceListChargeTiers", "100"},
	} {
		billingtest.Refused(t, c.thing, c.code, c.field, c.says)
	}
}

func TestChargeDefaults(t *testing.T) {
	for _, c := range []struct {
		kind   catalog.ChargeType
		period catalog.BillingPeriod
		timing *catalog.BillingTiming
	}{
		{catalog.Recurring, catalog.Monthly, new(catalog.InAdvance)}, {catalog.Usage, catalog.Monthly, new(catalog.InArrears)}, {catalog.OneTime, catalog.Once, nil},
	} {
		same := func(what string, got catalog.Charge, period catalog.BillingPeriod, timing *catalog.BillingTiming) {
			t.Helper()
			if got.BillingPeriod != period || !reflect.DeepEqual(got.BillingTiming, timing) {
				t.Errorf("%s, %s: billed %s %v", c.kind, what, got.BillingPeriod, got.BillingTiming)
			}
		}
		was := catalog.Charge{ChargeType: "ANOTHER", BillingTiming: new(catalog.InAdvance)}
		charge := catalog.Charge{ChargeType: c.kind}
		charge.SetDefaults(catalog.Charge{})
		same("nothing given", charge, c.period, c.timing)
		charge.BillingTiming = new(catalog.InAdvance)
		charge.SetDefaults(was)
		same("another type than before", charge, c.period, c.timing)
		given := catalog.Charge{ChargeType: c.kind, BillingPeriod: catalog.Annual, BillingTiming: new(catalog.InArrears)}
		given.SetDefaults(was)
		same("both given", given, catalog.Annual, new(catalog.InArrears))
	}
}
