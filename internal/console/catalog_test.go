package console_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// inDinars is a price list in a currency with three digits.
func (s *site) inDinars() *billing.PriceList {
	return must[*billing.PriceList](s)(s.service.PriceListCreate(s.ctx, func(l *billing.PriceList) error {
		l.PlanID, l.CurrencyID, l.RenewalTermMonths, l.Code, l.Name = s.plans[0].ID, "KWD", 1, "dinars", "In dinars"
		return nil
	}, []service.ChargeEdit{
		{Edit: func(c *billing.Charge) error {
			c.Code, c.Name, c.Price = "base", "Base fee", price("1049.9")
			return nil
		}},
		{FeatureCode: ptr("users"), Edit: func(c *billing.Charge) error {
			c.Code, c.Name, c.PricingModel = "seats", "Seats", billing.Tiered
			c.Tiers = []billing.Tier{{Starts: 1, Price: *price("2.5")}, {Starts: 11, Price: *price("0.0025")}}
			c.QuantityMin = ptr(5)
			return nil
		}},
	}))
}

// TestPricesAreShownInTheirCurrency: in sentences, in tables and in forms, with
// the digits that the currency has.
func TestPricesAreShownInTheirCurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		list := s.inDinars()
		v := s.as(billing.Admin)
		const sentence = "KWD 1,049.900 a month, plus KWD 2.500 per user a month for the first 10 and KWD 0.0025 for each beyond 10 (at least 5)"
		page := fmt.Sprintf("/price-lists/%d", list.ID)
		v.wants(v.get(page), 200, sentence, "from KWD 2.500")
		v.wants(v.get("/price-lists"), 200, sentence, "EUR 9.00 per user a month (1 to 5,000), plus EUR 250.00 once (Set-up)")
		charges := must[[]billing.Charge](s)(store.ChargesOf(s.ctx, s.service.Read(), []billing.PriceListID{list.ID}))
		v.wants(v.get(fmt.Sprintf("/charges/%d", charges[1].ID)), 200, "KWD 2.500", "KWD 0.0025")
		v.wants(v.get(fmt.Sprintf("/charges/%d/edit", charges[0].ID)), 200, `value="1049.900"`)
		v.wants(v.get(fmt.Sprintf("/charges/%d/edit", charges[1].ID)), 200, "1 2.500\n11 0.0025")
		sub := must[*billing.Subscription](s)(s.service.SubscriptionCreate(s.ctx, service.NewSubscription{
			AccountID: &s.accounts[0].ID, PriceList: service.PriceListRef{ID: &list.ID},
			Draft: billing.SubscriptionDraft{Quantities: []billing.QuantityOrder{{Code: "seats", Quantity: ptr(5)}}},
		}))
		v.wants(v.get(fmt.Sprintf("/subscriptions/%d", sub.ID)), 200, "KWD 1,049.900", "by tiers")
	})
}

// TestCatalogInTheBrowser looks at pages of the catalog as they are drawn.
func TestCatalogInTheBrowser(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	b := s.browse(t)
	b.signIn(adminEmail)
	b.open(fmt.Sprintf("/price-lists/%d", s.lists[0].ID))
	for _, part := range []string{"th", "td"} {
		got := eval[string](b, `(() => { const style = getComputedStyle(document.querySelector("`+part+`.money")); return style.textAlign + " " + style.fontVariantNumeric })()`)
		if got != "right tabular-nums" {
			t.Errorf("prices in %s are %q", part, got)
		}
	}
}
