package catalog

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestPriceSentence(t *testing.T) {
	users, storage, sso, boards := billing.FeatureID(1), billing.FeatureID(2), billing.FeatureID(3), billing.FeatureID(4)
	features := []Feature{
		{ID: users, Name: "Users", Kind: Quantity, UnitName: new("user")}, {ID: storage, Name: "Storage", Kind: Quantity, UnitName: new("GB")},
		{ID: sso, Name: "Single sign-on", Kind: Boolean}, {ID: boards, Name: "Dashboards", Kind: Quantity},
	}
	flat := func(name, price string, change ...func(*Charge)) Charge {
		c := Charge{Name: name, ChargeType: Recurring, BillingPeriod: Monthly, PricingModel: Flat, Price: new(billing.Price(price))}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	of := func(id billing.FeatureID) func(*Charge) { return func(c *Charge) { c.FeatureID = &id } }
	every := func(p BillingPeriod) func(*Charge) { return func(c *Charge) { c.BillingPeriod = p } }
	once := func(c *Charge) { c.ChargeType, c.BillingPeriod = OneTime, Once }
	used := func(c *Charge) { c.ChargeType = Usage }
	bounds := func(lower, upper *int) func(*Charge) {
		return func(c *Charge) { c.QuantityMin, c.QuantityMax = lower, upper }
	}
	by := func(model PricingModel, tiers ...Tier) func(*Charge) {
		return func(c *Charge) { c.Price, c.PricingModel, c.Tiers = nil, model, tiers }
	}
	three := []Tier{{1, "7"}, {11, "5.5"}, {51, "4"}}
	many := []Tier{{1, "9"}, {2, "8"}, {3, "7"}, {4, "6"}, {10, "5"}, {20, "4"}}
	base := flat("Base fee", "49")
	for _, c := range []struct {
		currency string
		charges  []Charge
		want     string
	}{
		{"EUR", nil, "No charges"},
		{"EUR", []Charge{base}, "EUR 49.00 a month"},
		{"JPY", []Charge{base}, "JPY 49 a month"},
		{"EUR", []Charge{flat("Base fee", "49", every(Quarterly))}, "EUR 49.00 a quarter"},
		{"EUR", []Charge{flat("Base fee", "49", every(SemiAnnual))}, "EUR 49.00 every six months"},
		{"EUR", []Charge{flat("Base fee", "1490", every(Annual))}, "EUR 1,490.00 a year"},
		{
			"EUR", []Charge{flat("Seats", "9", of(users), bounds(new(5), new(100))), base},
			"EUR 49.00 a month, plus EUR 9.00 per user a month (5 to 100)",
		},
		{"EUR", []Charge{flat("Seats", "9", of(users), bounds(new(5000), nil))}, "EUR 9.00 per user a month (at least 5,000)"},
		{"EUR", []Charge{flat("Seats", "9", of(users), bounds(nil, new(100)))}, "EUR 9.00 per user a month (up to 100)"},
		{"EUR", []Charge{flat("Seats", "9", of(users), bounds(new(0), new(100)))}, "EUR 9.00 per user a month (up to 100)"},
		{"EUR", []Charge{flat("Seats", "9", of(users), bounds(new(0), nil))}, "EUR 9.00 per user a month"},
		{"EUR", []Charge{flat("Seats", "9", of(users), bounds(new(5), new(5)))}, "EUR 9.00 per user a month (exactly 5)"},
		{"EUR", []Charge{flat("Boards", "2", of(boards))}, "EUR 2.00 per unit of Dashboards a month"},
		{
			"EUR", []Charge{flat("Onboarding", "450", once), base, flat("Single sign-on", "20", of(sso)), flat("Support", "99")},
			"EUR 49.00 a month, plus EUR 99.00 a month (Support), plus EUR 20.00 a month (Single sign-on), plus EUR 450.00 once (Onboarding)",
		},
		{"EUR", []Charge{flat("Onboarding", "450", once)}, "EUR 450.00 once"},
		{"EUR", []Charge{flat("Traffic", "0.0025", of(storage), used)}, "EUR 0.0025 per GB used a month"},
		{"EUR", []Charge{flat("Calls", "0.0025", used)}, "EUR 0.0025 per unit of Calls used a month"},
		{
			"EUR", []Charge{base, flat("Seats", "", of(users), by(Tiered, three...))},
			"EUR 49.00 a month, plus EUR 7.00 per user a month for the first 10, EUR 5.50 for the next 40 and EUR 4.00 for each beyond 50",
		},
		{
			"EUR", []Charge{flat("Seats", "", of(users), by(Volume, three...), bounds(new(5), nil))},
			"EUR 7.00 per user a month with up to 10, EUR 5.50 for all of them with 11 to 50 and EUR 4.00 for all of them with 51 or more (at least 5)",
		},
		{
			"EUR", []Charge{flat("Users", "", of(users), by(Bands, three...), bounds(nil, new(90)))},
			"EUR 7.00 a month for up to 10, EUR 5.50 for 11 to 50 and EUR 4.00 for 51 or more (Users, up to 90)",
		},
		{"EUR", []Charge{flat("Users", "", of(users), by(Tiered, three[0]))}, "EUR 7.00 per user a month"},
		{"EUR", []Charge{flat("Users", "", by(Bands, three[:2]...))}, "EUR 7.00 a month for up to 10 and EUR 5.50 for 11 or more (Users)"},
		{
			"EUR", []Charge{flat("Seats", "", of(users), by(Tiered, many...))},
			"EUR 9.00 per user a month for the first 1, EUR 8.00 for the next 1, EUR 7.00 for the next 1, EUR 6.00 for the next 6 and further prices from 10 on",
		},
		{
			"EUR", []Charge{flat("Seats", "", of(users), by(Volume, many[:3]...))},
			"EUR 9.00 per user a month with up to 1, EUR 8.00 for all of them with 2 and EUR 7.00 for all of them with 3 or more",
		},
	} {
		if got := PriceSentence(c.currency, c.charges, features); got != c.want {
			t.Errorf("the sentence is\n%s, want\n%s", got, c.want)
		}
	}
}
