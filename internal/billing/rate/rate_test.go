package rate

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
)

func flat(price billing.Price) Rate {
	return Rate{billing.Recurring, billing.Monthly, billing.InAdvance, billing.Flat, &price, nil}
}

func tiers(model billing.PricingModel, tiers ...billing.Tier) Rate {
	return Rate{billing.Recurring, billing.Monthly, billing.InAdvance, model, nil, tiers}
}

// Whole units, then fractions of units, for every pricing model.
func TestValueOfAQuantity(t *testing.T) {
	two := []billing.Tier{{Starts: 1, Price: "2"}, {Starts: 101, Price: "1"}}
	eleven := []billing.Tier{{Starts: 1, Price: "3"}, {Starts: 11, Price: "2.5"}, {Starts: 21, Price: "0.0025"}}
	for _, row := range []struct {
		rate     Rate
		quantity string
		want     string
	}{
		{flat("49"), "1", "49"}, {flat("10"), "8", "80"}, {flat("0.0025"), "3", "0.0075"}, {flat("10"), "0", "0"}, {flat("10"), "0.5", "5"}, {flat("0"), "7", "0"},
		{tiers(billing.Volume, two...), "100", "200"}, {tiers(billing.Volume, two...), "101", "101"}, {tiers(billing.Volume, two...), "0", "0"},
		{tiers(billing.Tiered, two...), "100", "200"}, {tiers(billing.Tiered, two...), "101", "201"}, {tiers(billing.Tiered, two...), "1", "2"}, {tiers(billing.Tiered, two...), "0", "0"},
		{tiers(billing.Bands, two...), "100", "2"}, {tiers(billing.Bands, two...), "101", "1"}, {tiers(billing.Bands, two...), "0", "0"},
		{tiers(billing.Tiered, eleven...), "10", "30"}, {tiers(billing.Tiered, eleven...), "11", "32.5"}, {tiers(billing.Tiered, eleven...), "20", "55"}, {tiers(billing.Tiered, eleven...), "24", "55.01"},
		// 10.5 with tiers 1, 11: ten units in the first, half a unit in the second;
		// as VOLUME the second tier for all.
		{tiers(billing.Tiered, eleven...), "10.5", "31.25"}, {tiers(billing.Volume, eleven...), "10.5", "26.25"}, {tiers(billing.Bands, eleven...), "10.5", "2.5"},
		{tiers(billing.Volume, eleven...), "10", "30"}, {tiers(billing.Tiered, eleven...), "0.5", "1.5"}, {tiers(billing.Bands, eleven...), "0.5", "3"},
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
		var all []billing.Tier
		for starts := 1; len(all) < 5; starts += rapid.IntRange(1, 9).Draw(t, "width") {
			price := rapid.SampledFrom([]billing.Price{"0", "1", "2.5", "0.00000001", "17"}).Draw(t, "price")
			all = append(all, billing.Tier{Starts: starts, Price: price})
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
		for model, want := range map[billing.PricingModel]*big.Rat{
			billing.Tiered: sum, billing.Bands: last, billing.Volume: new(big.Rat).Mul(last, big.NewRat(int64(quantity), 1)),
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
		"no tiers":       func(r *Rate) { r.Price, r.PricingModel = nil, billing.Tiered },
		"bad tier":       func(r *Rate) { *r = tiers(billing.Volume, billing.Tier{Starts: 1, Price: "-1"}) },
		"no timing":      func(r *Rate) { r.BillingTiming = "" },
		"unknown timing": func(r *Rate) { r.BillingTiming = "SOMETIMES" },
		"no period":      func(r *Rate) { r.BillingPeriod = "" },
		"timed once":     func(r *Rate) { r.ChargeType, r.BillingPeriod = billing.OneTime, billing.Once },
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
	charge := billing.Charge{ChargeType: billing.Recurring, BillingPeriod: billing.Quarterly, BillingTiming: new(billing.InAdvance), PricingModel: billing.Flat, Price: &price}
	priced := Of(&charge)
	charge.PricingModel, charge.Price, charge.Tiers = billing.Volume, nil, []billing.Tier{{Starts: 1, Price: "3"}}
	*charge.BillingTiming = billing.InArrears
	tiered := Of(&charge)
	price, charge.Tiers[0].Price, charge.BillingPeriod = "99", "98", billing.Annual
	if *priced.Price != "10" || priced.Months() != 3 || priced.BillingTiming != billing.InAdvance {
		t.Errorf("the rate became %+v", priced)
	}
	if tiered.Tiers[0].Price != "3" || tiered.BillingTiming != billing.InArrears {
		t.Errorf("the rate became %+v", tiered)
	}
	if priced.Equal(&tiered) || !priced.Equal(&priced) {
		t.Error("rates are compared wrongly")
	}
}

func TestRateAsJSON(t *testing.T) {
	for want, r := range map[string]Rate{
		`{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"49"}`:                         flat("49"),
		`{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"VOLUME","tiers":[{"starts":1,"price":"2"}]}`: tiers(billing.Volume, billing.Tier{Starts: 1, Price: "2"}),
		`{"chargeType":"ONE_TIME","billingPeriod":"ONCE","pricingModel":"BANDS","tiers":[{"starts":1,"price":"2"},{"starts":5,"price":"1.5"}]}`: {
			ChargeType: billing.OneTime, BillingPeriod: billing.Once, PricingModel: billing.Bands, Tiers: []billing.Tier{{Starts: 1, Price: "2"}, {Starts: 5, Price: "1.5"}},
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
