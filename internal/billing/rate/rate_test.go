package rate

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func flat(price billing.Price) Rate {
	return Rate{catalog.Recurring, catalog.Monthly, catalog.InAdvance, catalog.Flat, &price, nil, "", false}
}

func tiers(model catalog.PricingModel, tiers ...catalog.Tier) Rate {
	return Rate{catalog.Recurring, catalog.Monthly, catalog.InAdvance, model, nil, tiers, "", false}
}

// Whole units, then fractions of units, for every pricing model.
func TestValueOfAQuantity(t *testing.T) {
	two := []catalog.Tier{{Starts: 1, Price: "2"}, {Starts: 101, Price: "1"}}
	eleven := []catalog.Tier{{Starts: 1, Price: "3"}, {Starts: 11, Price: "2.5"}, {Starts: 21, Price: "0.0025"}}
	for _, row := range []struct {
		rate     Rate
		quantity string
		want     string
	}{
		{flat("49"), "1", "49"}, {flat("10"), "8", "80"}, {flat("0.0025"), "3", "0.0075"}, {flat("10"), "0", "0"}, {flat("10"), "0.5", "5"}, {flat("0"), "7", "0"},
		{tiers(catalog.Volume, two...), "100", "200"}, {tiers(catalog.Volume, two...), "101", "101"}, {tiers(catalog.Volume, two...), "0", "0"},
		{tiers(catalog.Tiered, two...), "100", "200"}, {tiers(catalog.Tiered, two...), "101", "201"}, {tiers(catalog.Tiered, two...), "1", "2"}, {tiers(catalog.Tiered, two...), "0", "0"},
		{tiers(catalog.Bands, two...), "100", "2"}, {tiers(catalog.Bands, two...), "101", "1"}, {tiers(catalog.Bands, two...), "0", "0"},
		{tiers(catalog.Tiered, eleven...), "10", "30"}, {tiers(catalog.Tiered, eleven...), "11", "32.5"}, {tiers(catalog.Tiered, eleven...), "20", "55"}, {tiers(catalog.Tiered, eleven...), "24", "55.01"},
		// 10.5 with tiers 1, 11: ten units in the first, half a unit in the second;
		// as VOLUME the second tier for all.
		{tiers(catalog.Tiered, eleven...), "10.5", "31.25"}, {tiers(catalog.Volume, eleven...), "10.5", "26.25"}, {tiers(catalog.Bands, eleven...), "10.5", "2.5"},
		{tiers(catalog.Volume, eleven...), "10", "30"}, {tiers(catalog.Tiered, eleven...), "0.5", "1.5"}, {tiers(catalog.Bands, eleven...), "0.5", "3"},
		{flat("999999999999999.99999999"), "1000000000", "999999999999999999999990"},
	} {
		quantity, _ := new(big.Rat).SetString(row.quantity)
		want, _ := new(big.Rat).SetString(row.want)
		got, err := row.rate.Value(quantity)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("%s of %s: %v, %v; want %s", row.rate.PricingModel, row.quantity, got, err, row.want)
		}
		if again, _ := new(big.Rat).SetString(row.quantity); quantity.Cmp(again) != 0 {
			t.Errorf("the quantity %s became %s", again, quantity)
		}
	}
}

// In whole units, every unit of a TIERED rate costs the price of the tier that
// it is in, and VOLUME and BANDS take the tier of the last unit.
func TestTiersUnitByUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []catalog.Tier
		for starts := 1; len(all) < 5; starts += rapid.IntRange(1, 9).Draw(t, "width") {
			price := rapid.SampledFrom([]billing.Price{"0", "1", "2.5", "0.00000001", "17"}).Draw(t, "price")
			all = append(all, catalog.Tier{Starts: starts, Price: price})
		}
		quantity := rapid.IntRange(0, 60).Draw(t, "quantity")
		sum, last := new(big.Rat), new(big.Rat)
		for unit := 1; unit <= quantity; unit++ {
			for _, tier := range all {
				if tier.Starts <= unit {
					last.SetString(string(tier.Price))
				}
			}
			sum.Add(sum, last)
		}
		for model, want := range map[catalog.PricingModel]*big.Rat{
			catalog.Tiered: sum, catalog.Bands: last, catalog.Volume: new(big.Rat).Mul(last, big.NewRat(int64(quantity), 1)),
		} {
			r := tiers(model, all...)
			if got, err := r.Value(big.NewRat(int64(quantity), 1)); err != nil || got.Cmp(want) != 0 {
				t.Fatalf("%s of %d by %v: %v, %v; want %v", model, quantity, all, got, err, want)
			}
		}
	})
}

func TestRatesThatCannotBeBilled(t *testing.T) {
	sound := flat("10")
	if err := sound.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Rate){
		"no price":       func(r *Rate) { r.Price = nil },
		"bad price":      func(r *Rate) { p := billing.Price("ten"); r.Price = &p },
		"untidy price":   func(r *Rate) { p := billing.Price("10.00"); r.Price = &p },
		"no model":       func(r *Rate) { r.PricingModel = "" },
		"no tiers":       func(r *Rate) { r.Price, r.PricingModel = nil, catalog.Tiered },
		"bad tier":       func(r *Rate) { *r = tiers(catalog.Volume, catalog.Tier{Starts: 1, Price: "-1"}) },
		"no timing":      func(r *Rate) { r.BillingTiming = "" },
		"unknown timing": func(r *Rate) { r.BillingTiming = "SOMETIMES" },
		"no period":      func(r *Rate) { r.BillingPeriod = "" },
		"timed once":     func(r *Rate) { r.ChargeType, r.BillingPeriod = catalog.OneTime, catalog.Once },
	} {
		r := sound
		spoil(&r)
		if r.Check() == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := r.Value(big.NewRat(1, 1)); err == nil && (r.Price == nil || *r.Price != "10") {
			t.Errorf("%s: has a value", name)
		}
	}
}

// A rate does not follow the charge that it was made of.
func TestRateIsFrozen(t *testing.T) {
	price := billing.Price("10")
	charge := catalog.Charge{ChargeType: catalog.Recurring, BillingPeriod: catalog.Quarterly, BillingTiming: new(catalog.InAdvance), PricingModel: catalog.Flat, Price: &price}
	priced := Of(&charge, false)
	charge.PricingModel, charge.Price, charge.Tiers = catalog.Volume, nil, []catalog.Tier{{Starts: 1, Price: "3"}}
	*charge.BillingTiming = catalog.InArrears
	tiered := Of(&charge, false)
	price, charge.Tiers[0].Price, charge.BillingPeriod = "99", "98", catalog.Annual
	if *priced.Price != "10" || priced.Months() != 3 || priced.BillingTiming != catalog.InAdvance {
		t.Errorf("the rate became %+v", priced)
	}
	if tiered.Tiers[0].Price != "3" || tiered.BillingTiming != catalog.InArrears {
		t.Errorf("the rate became %+v", tiered)
	}
	if taxed := Of(&catalog.Charge{TaxCode: "reduced"}, true); taxed.TaxedAs() != "reduced" || !taxed.TaxIncluded || priced.TaxedAs() != billing.StandardTaxCode {
		t.Errorf("the taxes are of %+v and %+v", taxed, priced)
	}
	for _, other := range []Rate{{TaxCode: "reduced"}, {TaxIncluded: true}} {
		if same := (Rate{}); other.Equal(&same) || !same.Equal(&Rate{TaxCode: billing.StandardTaxCode}) {
			t.Errorf("%+v is equal to another", other)
		}
	}
	if priced.Equal(&tiered) || !priced.Equal(&priced) {
		t.Error("rates are compared wrongly")
	}
}

func TestRateAsJSON(t *testing.T) {
	for want, r := range map[string]Rate{
		`{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"49"}`:                         flat("49"),
		`{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"VOLUME","tiers":[{"starts":1,"price":"2"}]}`: tiers(catalog.Volume, catalog.Tier{Starts: 1, Price: "2"}),
		`{"chargeType":"ONE_TIME","billingPeriod":"ONCE","pricingModel":"BANDS","tiers":[{"starts":1,"price":"2"},{"starts":5,"price":"1.5"}]}`: {
			ChargeType: catalog.OneTime, BillingPeriod: catalog.Once, PricingModel: catalog.Bands, Tiers: []catalog.Tier{{Starts: 1, Price: "2"}, {Starts: 5, Price: "1.5"}},
		},
	} {
		text, err := json.Marshal(r)
		if err != nil || string(text) != want {
			t.Errorf("%s, %v; want %s", text, err, want)
		}
		var back Rate
		if err := json.Unmarshal(text, &back); err != nil || !back.Equal(&r) {
			t.Errorf("%s is read as %+v, %v", text, back, err)
		}
	}
}
