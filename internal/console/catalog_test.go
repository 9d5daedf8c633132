package console_test

import (
	"fmt"
	"slices"
	"strings"
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

// TestCatalogLists: features come in the order of their positions within their
// product, price lists with their plan, page by page.
func TestCatalogLists(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		mail := must[*billing.Product](s)(s.service.ProductCreate(s.ctx, func(p *billing.Product) error { p.Code, p.Name = "mail", "Harbour Mail"; return nil }, nil))
		add := func(product billing.ProductID, name string, position int) {
			must[*billing.Feature](s)(s.service.FeatureCreate(s.ctx, product, []billing.PlanID{}, func(f *billing.Feature) error {
				f.Code, f.Name, f.Position = strings.ToLower(name), name, position
				return nil
			}))
		}
		add(mail.ID, "Mailboxes", 2)
		add(s.product.ID, "Newest", 0)
		add(mail.ID, "Spam", 1)
		v := s.as(billing.Admin)
		crm := []string{"Newest", "Users", "Storage in GB", "Single sign-on", "Audit log", "Support level"}
		v.inOrder("/features", append(slices.Clone(crm), "Spam", "Mailboxes")...)
		v.inOrder("/features?q=product%3Amail", "Spam", "Mailboxes")
		v.inOrder(fmt.Sprintf("/products/%d", s.product.ID), crm...)
		for i := range 60 {
			add(mail.ID, fmt.Sprintf("F%02d", i), 100-i)
		}
		next := v.wants(v.get("/features"), 200, "F59", "F18", "Next →").body
		second := v.wants(v.get(pageLink(next, "next")), 200, "F17", "F00", "← Previous")
		if strings.Contains(second.text(), "F18") || strings.Contains(second.text(), "Newest") {
			t.Errorf("the second page has what is on the first: %s", second.text())
		}
		v.wants(v.get(pageLink(second.body, "prev")), 200, "Newest", "F18")
		v.wants(v.get("/features?after=1"), 422, "A key of this list has 3 numbers")

		s.inDinars() // on the first plan, after those of all others
		v.inOrder("/price-lists", "starter-1", "starter-12", "dinars", "team-1", "team-12", "enterprise-1", "enterprise-12")
		v.wants(v.get("/price-lists"), 200, "Harbour CRM")
		v.inOrder("/plans", "Starter", "Team", "Enterprise")
	})
}

// pageLink is where the page beside this one is.
func pageLink(body, rel string) string {
	before, _, _ := strings.Cut(body, `" rel="`+rel+`"`)
	return unescape(before[strings.LastIndex(before, `href="`)+len(`href="`):])
}

// inOrder fails the test unless the rows of a page's tables begin with those
// texts, or have them as codes, in that order.
func (v *visitor) inOrder(path string, texts ...string) {
	v.t.Helper()
	_, text, _ := strings.Cut(v.wants(v.get(path), 200).body, "<tbody>")
	for _, want := range texts {
		_, rest, found := strings.Cut(text, ">"+want+"<")
		if !found {
			v.t.Fatalf("%s does not have %q behind those before it", path, want)
		}
		text = rest
	}
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
