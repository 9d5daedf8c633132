package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFormsSayWhatTheyDo changes the catalog and customers in the console: what that does
// to tenants is said before it is saved, and nothing is asked where nothing happens.
func TestFormsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		v := s.as(billing.Admin)
		change := func(path, field, value string) answer {
			return v.submitForm(readForm(v, v.get(path+"/edit")), map[string]string{field: value})
		}

		asked := v.wants(change("/features/2", "isProvisioned", ""), 200, "Save feature “Storage in GB”?", "tenants lose Storage in GB", "4 webhooks are sent", `"lose":`, "Back to the form")
		if f := must[*catalog.Feature](s)(store.Features.Get(s.ctx, s.service.Read(), 2)); !f.IsProvisioned {
			t.Error("something was saved before anybody said yes")
		}
		back := readForm(v, v.wants(v.submit(asked, "back", "yes"), 200, "Edit feature: Storage in GB"))
		if strings.Contains(back.body, `name="isProvisioned" value="true" checked`) {
			t.Error("going back forgets what was typed")
		}
		v.wants(v.submit(asked), 200, "Saved feature “Storage in GB”")

		v.wants(v.get("/features/2/delete"), 200, "Delete feature “Storage in GB”?", "It is removed from every plan that includes it. This cannot be undone.", "4 tenants are sent a webhook. Nothing that they may use changes today.")
		v.wants(change("/accounts/1", "poNumber", "PO 7"), 200, "Saved account")
		v.wants(change("/tenants/2", "name", "Another name"), 200, "Save tenant “", "1 tenant is sent a webhook. Nothing that it may use changes today.")
		v.wants(change("/plans/1", "name", "Beginner"), 200, "Saved plan “Beginner”")
		v.wants(change("/tenants/2", "name", ""), 422, "Name must not be empty")
		sub := fmt.Sprintf("/subscriptions/%d", s.subs["ACTIVE"].ID)
		v.wants(v.submitShown(v.get(sub+"/quantities"), "quantity:seats", "45"), 200, "For 1 tenant Users changes from 40 to 45: tenant-",
			"+EUR 95.00 from today", `"perMonth": "95.00"`, "Nothing is done yet.")
	})
}

// TestAPriceSaysWhoIsToPayIt changes the price of a list that a customer is to change to, and
// adds a charge to it. Whoever has the charge keeps the price they agreed.
func TestAPriceSaysWhoIsToPayIt(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	sub := s.subs["ACTIVE"]
	lists := must[[]catalog.PriceList](s)(store.PriceLists.List(s.ctx, s.service.Read(), store.Page{Limit: 100}))
	var next *catalog.PriceList
	for n := range lists {
		if lists[n].ID != sub.PriceListID && lists[n].CurrencyID == "EUR" {
			next = &lists[n]
		}
	}
	offer := must[*subscription.Offer](s)(store.LoadOffer(s.ctx, s.service.Read(), next.ID))
	charge := fmt.Sprintf("/charges/%d", offer.Charges[0].ID)
	edited := func(price string) answer {
		return v.submitForm(readForm(v, v.get(charge+"/edit")), map[string]string{"price": price})
	}
	v.wants(edited("60.00"), 200, "Saved charge")
	if _, err := s.service.Subscriptions.SubscriptionPlanChange(s.ctx, sub.ID, subscriptions.PriceListRef{ID: &next.ID}, subscription.PlanUpdate{AtTermEnd: true}); err != nil {
		t.Fatal(err)
	}
	v.wants(v.get(fmt.Sprintf("/price-lists/%d", next.ID)), 200, "the price list is used by 2 subscriptions", "Subscriptions that are to change to it Account Plan Price State Tenant Term Acme Inc", fmt.Sprintf(`href="/subscriptions/%d"`, sub.ID))
	if text := v.get(fmt.Sprintf("/price-lists/%d", sub.PriceListID)).text(); strings.Contains(text, "are to change to it") {
		t.Errorf("nobody is to change to the price list, and it says %s", text)
	}
	asked := v.wants(edited("70.00"), 200, "Save charge “", "1 customer pays EUR ", " more a month from ", " on: ", `"later": [`)
	v.wants(v.submit(asked), 200, "Saved charge")
	asked = v.wants(v.submitForm(readForm(v, v.get(fmt.Sprintf("/charges/new?priceListId=%d", next.ID))), map[string]string{"code": "care", "name": "Care", "price": "5.00"}), 200,
		"Create charge “Care”?", "1 customer pays EUR 5.00 more a month from ")
	v.wants(v.submit(asked), 200, "Created charge “Care”")
}

// TestANewFeatureSaysWhomItReaches shows all tenants that are known, and takes people back
// to what they typed.
func TestANewFeatureSaysWhomItReaches(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.openDemo()
	v := s.as(billing.Admin)
	product := must[[]catalog.Product](s)(store.Products.List(s.ctx, s.service.Read(), store.Page{Limit: 1}))[0]
	plans := must[[]catalog.Plan](s)(store.PlansOf(s.ctx, s.service.Read(), []billing.ProductID{product.ID}, billing.Filter{}))
	var all []string
	for _, p := range plans {
		all = append(all, fmt.Sprint(p.ID))
	}
	page := v.get(fmt.Sprintf("/features/new?productId=%d", product.ID))
	asked := v.wants(v.submitForm(readForm(v, page), map[string]string{"name": "AI assistant", "code": "ai", fmt.Sprintf("planIds:%d", product.ID): strings.Join(all, " ")}), 200,
		"Create feature “AI assistant”?", "gain AI assistant", `<details class="said"><summary>`, "Back to the form")
	pages := len(regexp.MustCompile(`<a href="/tenants/\d+">`).FindAllString(asked.body, -1))
	shared := strings.Count(asked.body, `<a href="/tenants?q=code%3A`) // codes that are on two platforms
	gain := between(asked.text(), "”? ", " tenants gain AI assistant")
	if pages == 0 || shared == 0 || pages+shared <= 10 || fmt.Sprint(pages+shared) != gain {
		t.Errorf("%d tenants are named by their pages, %d by codes, and %s gain the feature", pages, shared, gain)
	}
	if strings.Contains(asked.body, ">Cancel<") {
		t.Error("what was typed can be lost")
	}
	back := v.wants(v.submit(asked, "back", "yes"), 200, "New feature")
	if !strings.Contains(back.body, `value="AI assistant"`) || strings.Count(back.body, " checked") < len(all) {
		t.Error("going back forgets what was typed")
	}
	v.wants(v.submit(asked), 200, "Created feature “AI assistant”.")
}

// TestAPreviewThatTakesTooLong asks all the same, and says that nothing is known.
func TestAPreviewThatTakesTooLong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openWith(t, db, func(p *app.Process) { p.Previews = 1 })
		s.fill()
		v := s.as(billing.Admin)
		const late = "The effect could not be computed within 15 seconds."
		asked := v.wants(v.submitForm(readForm(v, v.get("/features/2/edit")), map[string]string{"isProvisioned": ""}), 200, "Save feature “Storage in GB”?", late)
		v.wants(v.submit(asked), 200, "Saved feature “Storage in GB”")
		page := v.get("/features/new?productId=1")
		asked = v.wants(v.submitForm(readForm(v, page), map[string]string{"name": "AI", "code": "ai", "planIds:1": "1"}), 200, "Create this feature?", late)
		v.wants(v.submit(asked), 200, "Created feature “AI”")
		page = v.get("/products/1/matrix")
		asked = v.wants(v.submit(page, matrixFields(page, "1.2", "no limit")...), 200, "Save 1 change to the plans of Harbour CRM?", late)
		v.wants(v.submit(asked), 200, "Saved 1 change.")
		v.wants(v.submit(v.wants(v.get("/features/2/delete"), 200, "Delete feature “Storage in GB”?", late)), 200, "Deleted feature")

		// What is done to a subscription shows webhooks and money first, or is not done.
		v.wants(v.submit(v.get("/subscriptions/1/cancel"), "when", "now"), 503, "The preview took too long", "could not be computed within 15 seconds, and nothing was done.")
	})
}

// TestANewPriceIsForNewSubscriptions says that those who agreed on a price keep it.
func TestANewPriceIsForNewSubscriptions(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	const said = "Subscriptions that have the charge keep the price they agreed, also when they renew or change quantities."
	form := readForm(v, v.wants(v.get("/charges/1/edit"), 200, said))
	v.wants(v.submitForm(form, map[string]string{"price": "77"}), 200, "Saved charge", said)
	a := v.submitForm(readForm(v, v.get("/charges/1/edit")), map[string]string{"name": "Another name"})
	if v.wants(a, 200, "Saved charge"); strings.Contains(a.text(), said) {
		t.Error("the price did not change")
	}
}
