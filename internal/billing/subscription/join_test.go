package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// TestJoinBack joins a line with the one before it only if nothing about them differs:
// days at different prices are billed apart.
func TestJoinBack(t *testing.T) {
	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 3, Day: n} }
	rateOf := func(price billing.Price) *rate.Rate {
		return &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat, Price: &price}
	}
	for name, c := range map[string]struct {
		edit func(before, after *Line)
		want int
	}{
		"the same":              {func(*Line, *Line) {}, 1},
		"at another price":      {func(_, after *Line) { after.Rate = rateOf("62") }, 2},
		"of which one has none": {func(before, _ *Line) { before.Rate = nil }, 2},
		"another quantity":      {func(_, after *Line) { after.Quantity = new(6) }, 2},
		"another charge":        {func(_, after *Line) { after.ChargeID = 9 }, 2},
		"a day between":         {func(before, _ *Line) { before.EndDate = day(9) }, 2},
		"made once":             {func(before, after *Line) { before.Type, after.Type = catalog.OneTime, catalog.OneTime }, 2},
	} {
		before := Line{ID: 1, ChargeID: 7, Type: catalog.Recurring, Quantity: new(5), Rate: rateOf("31"), StartDate: day(1), EndDate: day(10)}
		after := Line{ID: 2, ChargeID: 7, Type: catalog.Recurring, Quantity: new(5), Rate: rateOf("31"), StartDate: day(11), EndDate: day(31)}
		c.edit(&before, &after)
		s := &Subscription{Charges: []Line{before, after}}
		s.joinBack(1)
		if len(s.Charges) != c.want || s.Charges[len(s.Charges)-1].EndDate != day(31) {
			t.Errorf("%s: %+v, want %d lines", name, s.Charges, c.want)
		}
	}
}
