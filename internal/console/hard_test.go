package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
)

// What is hard to show: a name that nothing breaks, one that is a script, one
// that is written from right to left, and an address that fills a screen.
var (
	endless   = strings.Repeat("Wolfeschlegelsteinhausen", 9)[:200]
	script    = `<script>alert("x")</script>&amp;'`
	leftwards = "شركة الميناء للتجارة الدولية והנמל (123) Ltd"
	longCode  = strings.Repeat("c0de-", 20)
	longURL   = "https://app.example.com/" + strings.Repeat("hooks/tenantry/and/further/down/", 40) + "?token=" + strings.Repeat("0123456789", 40)
	paragraph = strings.Repeat("A sentence of a description that somebody wrote with care. ", 40) + endless
)

// edits changes a thing that must let itself be changed.
func edits[T any, K any](s *site, update func(K, func(*T) error) (*T, error), id K, change func(*T)) {
	s.t.Helper()
	must[*T](s)(update(id, func(row *T) error { change(row); return nil }))
}

// harden makes the demo hard to show: long names and codes everywhere, 200
// features, 40 charges, many plans and contacts.
func (s *site) harden() {
	s.t.Helper()
	names := []string{endless, script, leftwards}
	account := func(id billing.AccountID, edit func(*billing.Account) error) (*billing.Account, error) {
		return s.service.Customers.AccountUpdate(s.ctx, id, edit, nil)
	}
	for i, a := range s.accounts {
		edits(s, account, a.ID, func(a *billing.Account) {
			a.Name, a.Code = names[i%3], ptr(fmt.Sprintf("%d%s", i, longCode[1:]))
			a.Description, a.Website, a.Phone, a.BillingStreet, a.BillingCity = &paragraph, ptr(longURL[:255]), &endless, &endless, &leftwards
		})
	}
	for i := range 8 {
		must[*billing.Contact](s)(s.service.Customers.ContactCreate(s.ctx, func(c *billing.Contact) error {
			c.AccountID, c.FirstName, c.LastName = s.accounts[0].ID, names[i%3], &endless
			c.Email = ptr(strings.Repeat("k", 60) + "@" + strings.Repeat("mail-", 10) + "x.example.com")
			return nil
		}))
	}
	edits(s, func(id billing.ContactID, edit func(*billing.Contact) error) (*billing.Contact, error) {
		return s.service.Customers.ContactUpdate(s.ctx, id, edit)
	}, 1, func(c *billing.Contact) {
		c.FirstName, c.LastName, c.Title, c.Phone = endless, &script, &leftwards, &endless
	})
	s.hardenCatalog(names)
	for i := range 6 {
		edits(s, func(id billing.TenantID, edit func(*billing.Tenant) error) (*billing.Tenant, error) {
			return s.service.Subscriptions.TenantUpdate(s.ctx, id, edit)
		}, billing.TenantID(i+1), func(t *billing.Tenant) { t.Code, t.Name = fmt.Sprintf("%d%s", i, longCode[1:]), names[i%3] })
	}
	must[*billing.User](s)(s.service.Access.UserCreate(s.ctx, func(u *billing.User) error {
		u.Email, u.Name, u.Role = strings.Repeat("u", 60)+"@"+strings.Repeat("mail-", 10)+"x.example.com", endless, billing.Viewer
		return nil
	}, password))
	edits(s, func(id billing.UserID, edit func(*billing.User) error) (*billing.User, error) {
		return s.service.Access.UserUpdate(s.ctx, id, edit)
	}, 1, func(u *billing.User) { u.Name = endless })
	must[*billing.TestClock](s)(s.service.Subscriptions.TestClockCreate(s.ctx, endless, s.clock.Now()))
	if _, _, err := s.service.Access.ClientCreate(s.ctx, func(c *billing.Client) error {
		c.Name, c.Scopes, c.AccessTokenExpiresIn = endless, []string{billing.StandardRead, billing.StandardWrite, billing.AdminRead, billing.AdminWrite}, 600
		return nil
	}, nil); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) hardenCatalog(names []string) {
	s.t.Helper()
	edits(s, func(id billing.PlatformID, edit func(*webhook.Platform) error) (*webhook.Platform, error) {
		return s.service.Delivery.PlatformUpdate(s.ctx, id, edit, delivery.PlatformSecrets{})
	}, s.platform.ID, func(p *webhook.Platform) { p.Name, p.Code = endless, longCode })
	edits(s, func(id billing.ProductID, edit func(*catalog.Product) error) (*catalog.Product, error) {
		return s.service.Catalog.ProductUpdate(s.ctx, id, edit, nil)
	}, s.product.ID, func(p *catalog.Product) { p.Name, p.Code, p.Description = endless, longCode, &paragraph })
	edits(s, func(id billing.FeatureID, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
		return s.service.Catalog.FeatureUpdate(s.ctx, id, edit)
	}, s.features[0].ID, func(f *catalog.Feature) { f.Name, f.UnitName, f.Description = endless, &endless, &paragraph })
	for i := range 195 {
		s.addFeature(catalog.Feature{Code: fmt.Sprintf("f-%d", i), Name: fmt.Sprintf("Feature %d %s", i, strings.Repeat("long ", i%9)+endless[:i%30]), Kind: []catalog.FeatureKind{catalog.Boolean, catalog.Quantity, catalog.Value}[i%3]})
	}
	for i, plan := range s.plans {
		edits(s, func(id billing.PlanID, edit func(*catalog.Plan) error) (*catalog.Plan, error) {
			return s.service.Catalog.PlanUpdate(s.ctx, id, edit, nil)
		}, plan.ID, func(p *catalog.Plan) { p.Name, p.Code = names[i%3], ptr(fmt.Sprintf("%d%s", i, longCode[1:])) })
	}
	for i := range 6 {
		must[*catalog.Plan](s)(s.service.Catalog.PlanCreate(s.ctx, func(p *catalog.Plan) error {
			p.ProductID, p.Name = s.product.ID, fmt.Sprintf("%d %s", i, names[i%3])
			return nil
		}, nil))
	}
	edits(s, func(id billing.PriceListID, edit func(*catalog.PriceList) error) (*catalog.PriceList, error) {
		return s.service.Catalog.PriceListUpdate(s.ctx, id, edit)
	}, s.lists[0].ID, func(l *catalog.PriceList) { l.Name, l.Code = endless, longCode })
	for i := range 38 {
		must[*catalog.Charge](s)(s.service.Catalog.ChargeCreate(s.ctx, s.lists[0].ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.Price, c.QuantityMax = fmt.Sprintf("%02d%s", i, longCode[2:]), names[i%3], price("123456789012345.12345678"), ptr(billing.MaxQuantity)
			return nil
		}}))
	}
	edits(s, func(id billing.ChargeID, edit func(*catalog.Charge) error) (*catalog.Charge, error) {
		return s.service.Catalog.ChargeUpdate(s.ctx, id, catalog.ChargeEdit{Edit: edit})
	}, 1, func(c *catalog.Charge) {
		c.Name, c.PricingModel, c.Price = endless, catalog.Tiered, nil
		for i := range 100 {
			c.Tiers = append(c.Tiers, catalog.Tier{Starts: 1 + i*1000, Price: *price(fmt.Sprintf("%d.5", 1000-i))})
		}
	})
}

// hardenWorkflow gives the workflow 40 long headers, a long program and a long
// address.
func (v *visitor) hardenWorkflow() {
	v.t.Helper()
	var headers strings.Builder
	for i := range 40 {
		fmt.Fprintf(&headers, "X-%s-%d: %s\n", strings.Repeat("Header-", 8), i, endless)
	}
	program := ". + {note: " + quote(strings.Repeat("a long program ", 40)) + "}" + strings.Repeat("\n| .payload.tenant.name |= (. + \"\")", 60)
	v.wants(v.submit(v.get("/platforms/1/workflow"), "enabled", "on", "recipe.url", longURL, "recipe.timeoutSeconds", "10", "recipe.maxConcurrency", "32",
		"recipe.order", "ORDERED", "recipe.retryDelays", strings.Repeat("604800, ", 49)+"1", "recipe.headers", headers.String(), "recipe.payloadProgram", program), 200, "Saved ")
}

// TestHardDataFits opens every page with names that nothing breaks, scripts,
// right-to-left text and much of everything, and those of the documentation and
// GraphiQL: no page is wider than the screen or the paper, and no script is run.
func TestHardDataFits(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	b := s.browse(t)
	s.receive()
	s.fill()
	s.settled("delivered")
	s.harden()
	v := s.as(billing.Admin)
	v.hardenWorkflow()
	b.signIn(adminEmail)
	for _, path := range append(s.everyPage(), "/jobs/1", "/tenants/1/events/2", "/audit?q="+longCode, "/accounts?q="+longCode, "/"+longCode) {
		b.open(path)
		b.fits(path)
	}
	for _, path := range v.documents() {
		b.open(path)
		b.fits(path)
	}
	b.open("/graphiql")
	b.says("signed in to the console")
	b.waits("GraphiQL", `document.querySelector(".graphiql-query-editor .CodeMirror") !== null`)
	b.fits("/graphiql")
}
