package console_test

import (
	"math/big"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/console"
)

func TestTypedAmounts(t *testing.T) {
	t.Parallel()
	for _, is := range []struct{ typed, currency, want string }{
		{"60", "EUR", "60.00"}, {" 60.5 ", "eur", "60.50"}, {"60.", "EUR", "60.00"}, {"60.00", "EUR", "60.00"}, {"1000", "JPY", "1000"}, {"3", "KWD", "3.000"},
		// What is wrong is left for the operation to refuse.
		{"60.123", "EUR", "60.123"}, {"", "EUR", ""}, {".5", "EUR", ".5"}, {"60", "pounds", "60"}, {"60,50", "EUR", "60,50"},
	} {
		if got := console.TypedAmount(is.typed, is.currency); got != is.want {
			t.Errorf("%q in %s is %q, want %q", is.typed, is.currency, got, is.want)
		}
	}
}

// TestPeriodCosts explains prices of periods, and nothing that they are not.
func TestPeriodCosts(t *testing.T) {
	t.Parallel()
	eur, err := money.CurrencyOf("EUR")
	if err != nil {
		t.Fatal(err)
	}
	price := func(text string) billing.Price {
		p, err := billing.ParsePrice(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	flat := price("9.90")
	tiers := []catalog.Tier{{Starts: 1, Price: price("1.00")}, {Starts: 11, Price: price("0.50")}, {Starts: 101, Price: price("0.25")}}
	by := func(m catalog.PricingModel) *rate.Rate { return &rate.Rate{PricingModel: m, Tiers: tiers} }
	for _, is := range []struct {
		rate       *rate.Rate
		value      string
		quantities []string
		want       string
	}{
		{&rate.Rate{PricingModel: catalog.Flat, Price: &flat}, "148.5", []string{"15"}, "15 × EUR 9.90"},
		{&rate.Rate{PricingModel: catalog.Flat, Price: &flat}, "99", []string{"15", "10"}, "10 × EUR 9.90"},
		{&rate.Rate{PricingModel: catalog.Flat, Price: &flat}, "100", []string{"15", "10"}, ""},
		{by(catalog.Tiered), "15", []string{"20"}, "10 × EUR 1.00 + 10 × EUR 0.50"},
		{by(catalog.Tiered), "5", []string{"5"}, "5 × EUR 1.00"},
		{by(catalog.Tiered), "67.5", []string{"150"}, "10 × EUR 1.00 + 90 × EUR 0.50 + 50 × EUR 0.25"},
		{by(catalog.Volume), "10", []string{"20"}, "20 × EUR 0.50"},
		{by(catalog.Bands), "0.5", []string{"20"}, "20 for EUR 0.50"},
		{nil, "15", []string{"20"}, ""},
	} {
		value, _ := new(big.Rat).SetString(is.value)
		if got := console.PeriodCosts(is.rate, value, eur, is.quantities); got != is.want {
			t.Errorf("%s for %q is %q, want %q", is.value, is.quantities, got, is.want)
		}
	}
}
