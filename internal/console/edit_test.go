package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestThingsAreMadeChangedAndDeleted goes through the life of every kind of
// thing, on both engines, with the mistakes that people make.
func TestThingsAreMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		v := s.as(billing.Admin)
		for _, c := range []struct {
			path, one string
			wrong     []string // fields, and what is said about them
			says      string
			right     []string
			edit      []string
			shows     string
		}{
			{"platforms", "platform", []string{"name", "App", "code", "", "webhookUrl", "ftp://x"}, "must start with https://",
				[]string{"name", "App", "code", "app", "provisioningEnabled", "on", "webhookUrl", "https://app.example.com/hooks"}, []string{"name", "The App"}, "The App"},
			{"products", "product", []string{"name", "", "code", "crm"}, "Name must not be empty",
				[]string{"name", "CRM", "code", "crm", "platformId", "1"}, []string{"description", "Two\r\nlines"}, "Two\nlines"},
			{"plans", "plan", []string{"name", "Pro", "productId", ""}, "A plan belongs to a product",
				[]string{"name", "Pro", "code", "pro", "productId", "1", "isVisible", "on"}, []string{"name", "Professional"}, "Professional"},
			{"features", "feature", []string{"name", "Users", "code", " users", "productId", "1", "kind", "QUANTITY", "position", "x"}, "Write a whole number",
				[]string{"name", "Users", "code", "users", "productId", "1", "kind", "QUANTITY", "isProvisioned", "on"}, []string{"unitName", "seat", "position", "3"}, "seat"},
			{"price-lists", "price list", []string{"name", "M", "code", "m", "planId", "1", "currencyId", "EURO", "renewalTermMonths", "1"}, "EURO",
				[]string{"name", "Monthly", "code", "m", "planId", "1", "currencyId", "EUR", "renewalTermMonths", "1", "isVisible", "on"}, []string{"renewalTermMonths", "3"}, "3 months"},
			{"charges", "charge", []string{"name", "Seats", "code", "seats", "priceListId", "1", "chargeType", "RECURRING", "billingPeriod", "MONTHLY", "pricingModel", "TIERED", "priceListChargeTiers", "1 10\n11 eight"}, "Line 2 is not a tier",
				[]string{"name", "Seats", "code", "seats", "priceListId", "1", "chargeType", "RECURRING", "billingPeriod", "MONTHLY", "pricingModel", "TIERED", "priceListChargeTiers", "1 10\n11 8.50", "featureId", "1"}, []string{"quantityMax", "500"}, "EUR 10.00 per seat a month for the first 10 and EUR 8.50 for each beyond 10 (up to 500)"},
			{"accounts", "account", []string{"name", " ", "billingDay", "32", "timezone", "Mars"}, "The billing day is a day of the month",
				[]string{"name", "Acme", "billingDay", "7", "code", "acme"}, []string{"phone", "+49 30 1234"}, "+49 30 1234"},
			{"contacts", "contact", []string{"firstName", "Kim", "email", "kim@", "accountId", "acme"}, "nothing after the @",
				[]string{"firstName", "Kim", "email", "kim@example.com", "accountId", "acme"}, []string{"lastName", "Nguyen"}, "Kim Nguyen"},
			{"contacts", "contact", []string{"firstName", " ", "phone", "1", "accountId", "acme"}, "A contact needs a name or an e-mail address: give",
				[]string{"firstName", "", "email", "info@acme.example", "accountId", "acme"}, []string{"phone", "2"}, "<title>info@acme.example · Tenantry</title>"},
			{"test-clocks", "test clock", []string{"name", "Year", "now", "tomorrow"}, "is not a time",
				[]string{"name", "Year", "now", "2026-01-31 12:00"}, nil, "31 Jan 2026, 12:00:00 UTC"},
			{"users", "user", []string{"email", "bob", "role", "VIEWER", "password", "short"}, "has no @",
				[]string{"email", "bob@example.com", "role", "EDITOR", "password", password}, []string{"name", "Bob"}, "Bob"},
		} {
			form := v.wants(v.get("/"+c.path+"/new"), 200, "New "+c.one)
			wrong := v.wants(v.submit(form, c.wrong...), 422, c.says)
			if typed := fmt.Sprintf(`value="%s"`, c.wrong[1]); c.wrong[1] != "" && !strings.Contains(wrong.body, typed) {
				t.Errorf("%s: what was typed is gone: %s", c.path, typed)
			}
			made := v.wants(v.submit(wrong, c.right...), 200, "Created "+c.one)
			if c.edit != nil {
				v.edit(made.path, c.right, c.edit)
			}
			v.wants(v.get(made.path), 200, c.shows)
		}
		// In the other order everything can be deleted; in this one it is in use.
		stays := v.wants(v.get("/platforms/1"), 200, "It cannot be deleted: the platform is used by 1 product, which must be moved or deleted first.")
		v.wants(v.get("/users/1"), 200, "It cannot be deleted: this is the last admin")
		refused := v.wants(v.get("/platforms/1/delete"), 200, "cannot be deleted", "The platform is used by 1 product")
		late := v.wants(v.post("/platforms/1/delete"), 409, "cannot be deleted", "The platform is used by 1 product")
		for what, a := range map[string]answer{"page": stays, "question": refused, "answer": late} {
			if strings.Contains(a.body, `"/platforms/1/delete"`) || strings.Contains(a.body, "Delete platform") {
				t.Errorf("the %s about a platform in use offers to delete it", what)
			}
		}
		if viewer := s.as(billing.Viewer).get("/platforms/1"); strings.Contains(viewer.body, "deleted") {
			t.Error("a viewer is told about deleting")
		}
		for _, path := range []string{"charges/1", "price-lists/1", "features/1", "plans/1", "products/1", "platforms/1", "contacts/1", "contacts/2", "accounts/1", "test-clocks/1", "users/2"} {
			if free := v.wants(v.get("/"+path), 200, `href="/`+path+`/delete"`); strings.Contains(free.body, "cannot be deleted") {
				t.Errorf("%s can be deleted, and its page says that it cannot", path)
			}
			asked := v.wants(v.get("/"+path+"/delete"), 200, "This cannot be undone")
			v.wants(v.submit(asked), 200, "Deleted")
			v.wants(v.get("/"+path), 404)
		}
	})
}

// edit sends a thing's form with some of its values changed.
func (v *visitor) edit(path string, right, edit []string) {
	v.t.Helper()
	merged := map[string]string{}
	for _, fields := range [][]string{right, edit} {
		for i := 0; i+1 < len(fields); i += 2 {
			merged[fields[i]] = fields[i+1]
		}
	}
	var fields []string
	for name, value := range merged {
		fields = append(fields, name, value)
	}
	v.wants(v.submit(v.get(path+"/edit"), fields...), 200, "Saved ")
}

func TestTwoPeopleEditTheSameThing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		s.fill()
		ann, bob := s.as(billing.Admin), s.as(billing.Editor)
		annForm, bobForm := ann.get("/accounts/1/edit"), bob.get("/accounts/1/edit")
		s.clock.Advance(1e9)
		ann.wants(ann.submit(annForm, "name", "Acme Corporation", "billingDay", "1", "currencyId", "EUR"), 200, "Saved ")
		told := bob.wants(bob.submit(bobForm, "name", "Acme Ltd", "billingDay", "2", "currencyId", "EUR"), 409,
			"Somebody else changed this account", "Acme Ltd", "Acme Corporation")
		if a := must[*billing.Account](s)(store.Accounts.Get(s.ctx, s.service.Read(), 1)); a.Name != "Acme Corporation" {
			t.Fatalf("the account is called %q", a.Name)
		}
		// Even with a mistake in it, it is a conflict first.
		bob.wants(bob.submit(bobForm, "name", "", "billingDay", "2"), 409)
		bob.wants(bob.submit(told, "name", "Acme Ltd", "billingDay", "2", "currencyId", "EUR"), 200, "Saved ", "Acme Ltd")

		matrix := ann.get("/products/1/matrix")
		bob.savesMatrix(bob.get("/products/1/matrix"), matrixFields(matrix, "1.1", "7")...)
		conflict := ann.wants(ann.submit(matrix, matrixFields(matrix, "1.1", "9")...), 409, "Somebody else changed this matrix")
		if !strings.Contains(conflict.body, `name="1.1" value="9"`) {
			t.Error("what was typed is gone")
		}
		asked := ann.wants(ann.submit(conflict, matrixFields(conflict, "1.1", "9")...), 200, "Save 1 change")
		bob.savesMatrix(bob.get("/products/1/matrix"), matrixFields(matrix, "1.1", "8")...)
		conflict = ann.wants(ann.submit(asked), 409, "Somebody else changed this matrix")
		ann.savesMatrix(conflict, matrixFields(conflict, "1.1", "9")...)
	})
}

// savesMatrix sends the matrix, and says yes to what is asked then.
func (v *visitor) savesMatrix(page answer, fields ...string) {
	v.t.Helper()
	asked := v.wants(v.submit(page, fields...), 200, "Save 1 change to the plans of")
	v.wants(v.submit(asked), 200, "Saved 1 change.")
}

// matrixCells are the fields of the matrix.
var matrixCells = regexp.MustCompile(`<input[^>]* name="(\d+\.\d+)" value="([^"]*)"[^>]*>`)

// matrixFields is what a browser sends of the matrix, with one cell changed.
func matrixFields(page answer, name, value string) (fields []string) {
	for _, cell := range matrixCells.FindAllStringSubmatch(page.body, -1) {
		switch {
		case cell[1] == name:
		case strings.Contains(cell[0], `type="checkbox"`):
			if strings.Contains(cell[0], " checked") {
				fields = append(fields, cell[1], "on")
			}
		default:
			fields = append(fields, cell[1], unescape(cell[2]))
		}
	}
	return append(fields, name, value)
}

func TestTheMatrix(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	page := v.wants(v.get("/products/1/matrix"), 200)
	feature := func(i int) string { return fmt.Sprintf("1.%d", s.features[i].ID) }
	v.wants(v.submit(page, matrixFields(page, feature(0), "many")...), 422, "Users in Starter: The value of a QUANTITY feature", `value="many"`)
	for _, c := range []struct {
		cell, typed string
		included    bool
		value       string
	}{
		{feature(1), "No limit", true, ""}, {feature(1), "25", true, "25"}, {feature(1), "∞", true, ""}, {feature(1), "", false, ""}, {feature(2), "on", true, "true"}, {feature(4), `""`, true, ""}, {feature(4), "<b>", true, "<b>"},
	} {
		page = v.get("/products/1/matrix")
		v.savesMatrix(page, matrixFields(page, c.cell, c.typed)...)
		found := false
		for _, pf := range must[[]catalog.PlanFeature](s)(store.PlanFeaturesOf(s.ctx, s.service.Read(), []billing.PlanID{1})) {
			if fmt.Sprintf("1.%d", pf.FeatureID) == c.cell {
				found = true
				if pf.Value != c.value {
					t.Errorf("%q is saved as %q", c.typed, pf.Value)
				}
			}
		}
		if found != c.included {
			t.Errorf("%q: included is %v", c.typed, found)
		}
	}
	page = v.get("/products/1/matrix")
	v.wants(v.submit(page, matrixFields(page, feature(4), "<b>")...), 200, "Nothing was changed.")
}

func TestHardTextIsOnlyText(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	const evil = `<script>alert("1")</script>'"&<img src=x onerror=alert(1)>`
	must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, 1, func(a *billing.Account) error {
		a.Name, a.Description, a.Website = evil, ptr(evil), ptr("javascript:alert(1)")
		return nil
	}, nil))
	must[*billing.Tenant](s)(s.service.Subscriptions.TenantUpdate(s.ctx, 1, func(tenant *billing.Tenant) error { tenant.Name, tenant.Code = evil, evil; return nil }))
	must[*catalog.PriceList](s)(s.service.Catalog.PriceListUpdate(s.ctx, 3, func(l *catalog.PriceList) error { l.Name = evil; return nil }))
	v := s.as(billing.Admin)
	for _, path := range append(s.everyPage(), "/accounts?q=%3Cscript%3E", "/tenants/1/events/3", "/subscriptions/1/cancel") {
		a := v.get(path)
		if strings.Contains(a.body, "<script>") || strings.Contains(a.body, "<img") || strings.Contains(a.body, `href="javascript`) {
			t.Errorf("%s has it as it is", path)
		}
	}
	v.wants(v.get("/accounts/1"), 200, `<script>alert("1")</script>`)
	form := v.get("/accounts/1/edit")
	if !strings.Contains(form.body, `value="&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;&#39;&#34;&amp;&lt;img src=x onerror=alert(1)&gt;"`) {
		t.Error("the form does not hold the name")
	}
}

func TestTextsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	const name, text = "two\nlines", "first\r\nsecond\rthird\n"
	must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
		a.Name, a.BillingDay, a.Description, a.Fax = name, 1, ptr(text), ptr("")
		return nil
	}, nil))
	v := s.as(billing.Editor)
	// As a browser sends what it was shown.
	v.wants(v.submit(v.get("/accounts/1/edit"), "name", "twolines", "billingDay", "2", "description", "first\r\nsecond\r\nthird\r\n", "fax", ""), 200, "Saved ")
	a := must[*billing.Account](s)(store.Accounts.Get(s.ctx, s.service.Read(), 1))
	if a.Name != name || *a.Description != text || a.Fax == nil || a.BillingDay != 2 {
		t.Errorf("the account is %q, %q, %v", a.Name, *a.Description, a.Fax)
	}
}

// TestAFormFromBeforeAnUpgrade sends a form that lacks a field: what it does not
// know stays.
func TestAFormFromBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	page := v.get("/plans/1/edit")
	_, version, _ := strings.Cut(page.body, `name="version" value="`)
	version, _, _ = strings.Cut(version, `"`)
	v.wants(v.post("/plans/1/edit", "name", "Begin", "fields", "name nonsense", "nonsense", "x", "version", version), 200, "Saved ")
	p := must[*catalog.Plan](s)(store.Plans.Get(s.ctx, s.service.Read(), 1))
	if p.Name != "Begin" || p.Code == nil || *p.Code != "starter" || !p.IsVisible {
		t.Errorf("the plan is %+v", p)
	}
}

func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	v.header.Set("Accept-Encoding", "identity")
	form := v.get("/api-clients/new")
	v.wants(v.submit(form, "name", "Orders", "accessTokenExpiresIn", "600"), 422, "An API client needs at least one scope")
	made := v.wants(v.submit(form, "name", "Orders", "accessTokenExpiresIn", "600", "scopes", "standard:read", "scopes", "admin:read"), 200, "Copy the secret now")
	secret := between(made.body, `id="client-secret">`, "<")
	client := must[[]billing.Client](s)(store.Clients.List(s.ctx, s.service.Read(), store.Page{Limit: 1, Backwards: true}))[0]
	if len(secret) < 40 || strings.Join(client.Scopes, " ") != "standard:read admin:read" || client.AccessTokenExpiresIn != 600 {
		t.Errorf("made %+v with the secret %q", client, secret)
	}
	if strings.Contains(v.get(fmt.Sprintf("/api-clients/%d", client.ID)).body, secret) || strings.Contains(v.get("/audit").body, secret) || strings.Contains(s.log.String(), secret) {
		t.Error("the secret is shown twice")
	}
	renewed := v.wants(v.submit(v.get(fmt.Sprintf("/api-clients/%d/renew", client.ID)), "overlapHours", "24"), 200, "Copy the secret now")
	if fresh := between(renewed.body, `id="client-secret">`, "<"); fresh == secret || len(fresh) < 40 {
		t.Errorf("the new secret is %q", fresh)
	}
	v.wants(v.submit(v.get(fmt.Sprintf("/api-clients/%d/renew", client.ID)), "overlapHours", "9999"), 422, "0 to 720 hours")

	platform := v.submit(v.get("/platforms/new"), "name", "App", "code", "app", "webhookAuthToken", "a very secret token")
	v.wants(platform, 200, "Created platform")
	if page := v.get(platform.path + "/edit"); strings.Contains(page.body, "a very secret token") || !strings.Contains(page.body, "One is set") {
		t.Error("the token is shown, or not said to be there")
	}
	v.wants(v.submit(v.get(platform.path+"/edit"), "name", "App 2", "code", "app"), 200, "Saved ")
	if p := must[*webhook.Platform](s)(store.Platforms.Get(s.ctx, s.service.Read(), 1)); !p.WebhookAuthTokenSet() {
		t.Error("an empty field removed the token")
	}
	v.wants(v.submit(v.get(platform.path+"/edit"), "name", "App 2", "code", "app", "webhookAuthTokenRemove", "on"), 200, "Saved ")
	if p := must[*webhook.Platform](s)(store.Platforms.Get(s.ctx, s.service.Read(), 1)); p.WebhookAuthTokenSet() {
		t.Error("the token is still there")
	}
}

func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	inner, _, _ := strings.Cut(rest, after)
	return inner
}

func TestClocksAndJobs(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	account := must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
		a.Name, a.BillingDay, a.TestClockID = "On a clock", 1, &s.demo.clock.ID
		return nil
	}, nil))
	must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionCreate(s.ctx, subscriptions.NewSubscription{
		AccountID: &account.ID, PriceList: subscriptions.PriceListRef{ID: &s.lists[0].ID}, Draft: subscription.Draft{},
	}))
	v := s.as(billing.Editor)
	path := fmt.Sprintf("/test-clocks/%d", s.demo.clock.ID)
	v.wants(v.get(path), 200, "On a clock", "15 Jan 2026, 12:00:00 UTC", "active")
	v.wants(v.submit(v.get(path+"/advance"), "to", "2025-01-01"), 422, "A clock cannot go back")
	v.wants(v.submit(v.get(path+"/advance"), "to", "2026-03-01 00:00"), 200, `The clock now shows <time datetime="2026-03-01T00:00:00Z"`, "expired")
	v.wants(v.get("/jobs"), 200, "clock advance", "done")
	v.wants(v.get(path+"/delete"), 200, "1 account is on it and will be deleted")
}

// TestAnotherTaxNumberIsUnchecked: what is known of a tax number does not hold for
// another one, unless somebody says so.
func TestAnotherTaxNumberIsUnchecked(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	state := func() billing.TaxNumberState {
		return must[*billing.Account](s)(store.Accounts.Get(s.ctx, s.service.Read(), 1)).TaxNumberState
	}
	base := []string{"name", "Acme", "billingDay", "1", "taxNumber", "DE123456789", "taxNumberState", "VALID"}
	v.wants(v.submit(v.get("/accounts/new"), base...), 200, "Created account")
	for _, c := range []struct {
		fields []string
		want   billing.TaxNumberState
	}{
		{[]string{"phone", "1"}, billing.TaxNumberValid},
		{[]string{"taxNumber", "DE987654321"}, billing.TaxNumberUnchecked},
		{[]string{"taxNumber", "DE111111111", "taxNumberState", "VALID"}, billing.TaxNumberValid},
	} {
		v.edit("/accounts/1", base, c.fields)
		if got := state(); got != c.want {
			t.Errorf("after %q it is %s, want %s", c.fields, got, c.want)
		}
	}
}
