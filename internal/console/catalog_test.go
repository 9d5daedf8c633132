package console_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// inDinars is a price list in a currency with three digits.
func (s *site) inDinars() *catalog.PriceList {
	return must[*catalog.PriceList](s)(s.service.Catalog.PriceListCreate(s.ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.CurrencyID, l.RenewalTermMonths, l.Code, l.Name = s.plans[0].ID, "KWD", 1, "dinars", "In dinars"
		return nil
	}, []catalog.ChargeEdit{
		{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.Price = "base", "Base fee", price("1049.9")
			return nil
		}},
		{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.PricingModel = "seats", "Seats", catalog.Tiered
			c.Tiers = []catalog.Tier{{Starts: 1, Price: *price("2.5")}, {Starts: 11, Price: *price("0.0025")}}
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
		charges := must[[]catalog.Charge](s)(store.ChargesOf(s.ctx, s.service.Read(), []billing.PriceListID{list.ID}))
		v.wants(v.get(fmt.Sprintf("/charges/%d", charges[1].ID)), 200, "KWD 2.500", "KWD 0.0025")
		v.wants(v.get(fmt.Sprintf("/charges/%d/edit", charges[0].ID)), 200, `value="1049.900"`)
		v.wants(v.get(fmt.Sprintf("/charges/%d/edit", charges[1].ID)), 200, "1 2.500\n11 0.0025")
		sub := must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionCreate(s.ctx, subscriptions.NewSubscription{
			AccountID: &s.accounts[0].ID, PriceList: subscriptions.PriceListRef{ID: &list.ID},
			Draft: subscription.Draft{Quantities: []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(5)}}},
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
		mail := must[*catalog.Product](s)(s.service.Catalog.ProductCreate(s.ctx, func(p *catalog.Product) error { p.Code, p.Name = "mail", "Harbour Mail"; return nil }, nil))
		add := func(product billing.ProductID, name string, position int) {
			must[*catalog.Feature](s)(s.service.Catalog.FeatureCreate(s.ctx, product, []billing.PlanID{}, func(f *catalog.Feature) error {
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
		v.inOrder("/charges", "Starter: Monthly", "Starter: Yearly", "Team: Monthly", "Team: Yearly", "Enterprise: Monthly", "Enterprise: Yearly", "Starter: In dinars")
		v.wants(v.get("/charges"), 200, "Team: Monthly Harbour CRM")
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

// TestNewFeaturesAndPlansAsk: nothing is included that nobody asked for, and a
// quantity has no limit only if somebody says so.
func TestNewFeaturesAndPlansAsk(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		v := s.as(billing.Admin)
		values := func(id billing.FeatureID) map[billing.PlanID]string {
			of := map[billing.PlanID]string{}
			for _, pf := range must[[]catalog.PlanFeature](s)(store.PlanFeaturesWith(s.ctx, s.service.Read(), []billing.FeatureID{id})) {
				of[pf.PlanID] = pf.Value
			}
			return of
		}
		form := v.wants(v.get("/features/new"), 200, "Starter: 2 tenants", "Team: 1 tenant", "Enterprise: 1 tenant",
			"4 tenants will be notified of the change to the features of Harbour CRM")
		if strings.Contains(form.body, `name="planIds:1" value="1" checked`) {
			t.Error("a plan is picked beforehand")
		}
		quantity := []string{"productId", "1", "kind", "QUANTITY", "isProvisioned", "on", "planIds:1", "1", "planIds:1", "3"}
		v.wants(v.submit(v.get("/features/new"), append([]string{"name", "Seats", "code", "seats"}, quantity...)...), 422, "a number, or “no limit”")
		v.wants(v.submit(v.get("/features/new"), append([]string{"name", "Seats", "code", "seats", "value", "-1"}, quantity...)...), 422, "is a whole number from 0")
		for i, c := range []struct{ typed, want string }{{"25", "25"}, {"No limit", ""}} {
			asked := v.wants(v.submit(v.get("/features/new"), append([]string{"name", c.typed, "code", fmt.Sprintf("q-%d", i), "value", c.typed}, quantity...)...), 200,
				"Create feature “"+c.typed+"”?", "3 tenants gain "+c.typed+" ("+strings.ToLower(c.typed)+"): tenant-2, tenant-3 and tenant-5. 4 webhooks are sent, also to tenants for which nothing changes.", `"gain": 3`)
			if f := must[*catalog.Feature](s)(store.FeatureByCode(s.ctx, s.service.Read(), 1, fmt.Sprintf("q-%d", i))); f != nil {
				t.Fatal("the feature is there before anybody said yes")
			}
			v.wants(v.submit(asked), 200, "Created feature “"+c.typed+"”. 4 tenants will be notified in the background; see Jobs.")
			f := must[*catalog.Feature](s)(store.FeatureByCode(s.ctx, s.service.Read(), 1, fmt.Sprintf("q-%d", i)))
			if got := values(f.ID); len(got) != 2 || got[1] != c.want || got[3] != c.want {
				t.Errorf("%q became %v", c.typed, got)
			}
		}
		v.wants(v.submit(v.submit(v.get("/features/new"), "name", "Lab", "code", "lab", "productId", "1", "kind", "QUANTITY")), 200, "Created feature", "No plan includes it.")

		// A form that could not ask yet, because the product was not known, asks.
		v.wants(v.post("/features/new", "fields", "productId name code kind planIds:2", "productId", "1", "name", "X", "code", "x", "kind", "BOOLEAN"), 422,
			"Say which plans of the product include the feature", "Team: 1 tenant")

		v.wants(v.get("/plans/new"), 200, "Empty: the plan does not include the feature")
		v.wants(v.submit(v.get("/plans/new"), "productId", "1", "name", "Small", "code", "small", "feature:1", "many"), 422, "is a whole number from 0")
		v.wants(v.submit(v.get("/plans/new"), "productId", "1", "name", "Small", "code", "small", "feature:1", "3", "feature:2", "no limit", "feature:3", "on"), 200, "Created plan")
		small := must[*catalog.Plan](s)(store.PlanByCode(s.ctx, s.service.Read(), 1, "small"))
		included := must[[]catalog.PlanFeature](s)(store.PlanFeaturesOf(s.ctx, s.service.Read(), []billing.PlanID{small.ID}))
		got := map[billing.FeatureID]string{}
		for _, pf := range included {
			got[pf.FeatureID] = pf.Value
		}
		if fmt.Sprint(got) != "map[1:3 2: 3:true]" {
			t.Errorf("the plan includes %v", got)
		}
		v.wants(v.post("/plans/new", "fields", "productId name code", "productId", "1", "name", "Y", "code", "y"), 422, "Say which features of the product")
	})
}

// TestMatrixAsks: saving says what changes and how many tenants are on each plan
// before anything is changed.
func TestMatrixAsks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		v := s.as(billing.Admin)
		page := v.wants(v.get("/products/1/matrix"), 200, "Empty: the plan does not include the feature", `placeholder="not included"`, `name="3.2" value="no limit"`, `name="3.1" value="as sold"`)
		v.wants(v.submit(page, matrixFields(page, "1.2", "As sold")...), 422, "Storage in GB in Starter: No price list of the plan sells it by quantity.")
		v.wants(v.get("/plans/3"), 200, "Users users as sold", "Storage in GB storage no limit")
		v.wants(v.get("/features/1"), 200, "Enterprise as sold")
		asked := v.wants(v.submit(page, matrixFields(page, "1.2", "no limit")...), 200,
			"Save 1 change to the plans of Harbour CRM?", "Storage in GB: 10 → no limit", "2 tenants", "For 2 tenants Storage in GB changes from 10 to no limit: tenant-3 and tenant-5. 4 webhooks are sent, also to tenants for which nothing changes.", `"change": 2`)
		if strings.Contains(asked.text(), "Enterprise") {
			t.Error("a plan that does not change is named")
		}
		if pf := s.planFeature(1, 2); pf.Value != "10" {
			t.Errorf("the plan has %q before anybody said yes", pf.Value)
		}
		v.wants(v.submit(asked), 200, "Saved 1 change.")
		if pf := s.planFeature(1, 2); pf.Value != "" {
			t.Errorf("the plan has %q after somebody said yes", pf.Value)
		}
		must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, s.platform.ID, func(p *webhook.Platform) error { p.ProvisioningEnabled = false; return nil }, delivery.PlatformSecrets{}))
		page = v.get("/products/1/matrix")
		v.wants(v.submit(page, matrixFields(page, "1.2", "")...), 200, "Storage in GB: no limit → not included", "0 tenants", "Nobody will be notified")
	})
}

// planFeature is what a plan says of a feature that it includes.
func (s *site) planFeature(plan billing.PlanID, feature billing.FeatureID) catalog.PlanFeature {
	for _, pf := range must[[]catalog.PlanFeature](s)(store.PlanFeaturesOf(s.ctx, s.service.Read(), []billing.PlanID{plan})) {
		if pf.FeatureID == feature {
			return pf
		}
	}
	s.t.Fatalf("plan %d does not include feature %d", plan, feature)
	return catalog.PlanFeature{}
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

	b.open("/products/1/matrix")
	b.fills("1.2", "")
	b.presses("Save")
	b.says("Storage in GB: 10 → not included")
	b.says("2 tenants")
	b.presses("Save and notify")
	b.says("Saved 1 change.")

	b.open("/features/new?productId=1")
	b.says("Starter: 2 tenants")
	b.fills("name", "Reports")
	b.fills("planIds:1", "on")
	b.presses("Create feature")
	b.says("2 tenants gain Reports: tenant-3 and tenant-5.")
	b.presses("Create feature")
	b.says("4 tenants will be notified in the background")
	b.says("Plans that include it")
	b.says("Starter")
	b.deletesWhatCanBe()
}

// deletesWhatCanBe is offered to delete a feature that nothing needs, and does;
// of one that has a price the page says what stands in the way.
func (b *browser) deletesWhatCanBe() {
	offered := `[...document.querySelectorAll("main a, main button")].some(e => e.innerText.trim() === "Delete")`
	for path, why := range map[string]string{
		"/features/1": "It cannot be deleted: the feature is priced by 6 charges, which must be deleted first.",
		"/accounts/1": "It cannot be deleted: the account has 1 subscription", "/price-lists/1": "It cannot be deleted: the price list is used by",
		"/plans/1": "It cannot be deleted: the plan is priced by", "/products/1": "It cannot be deleted: the product still has",
	} {
		b.open(path)
		b.says(why)
		if eval[bool](b, offered) {
			b.t.Errorf("%s offers to delete what cannot be deleted", path)
		}
	}
	b.open("/features/4")
	if strings.Contains(b.text(), "It cannot be deleted") {
		b.t.Error("something stands in the way of deleting a feature that nothing needs")
	}
	b.presses("Delete")
	b.says("Delete feature “Audit log”?")
	b.presses("Delete feature")
	b.says("Harbour CRM")
	if f := must[*catalog.Feature](b.site)(store.Features.Get(b.site.ctx, b.service.Read(), 4)); f != nil {
		b.t.Error("the feature is still there")
	}
}
