package console_test

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// demo is a business: a product on a platform, with plans and prices, and
// customers in every state.
type demo struct {
	platform *webhook.Platform
	product  *catalog.Product
	features []*catalog.Feature
	plans    []*catalog.Plan
	lists    []*catalog.PriceList
	accounts []*billing.Account
	subs     map[string]*subscription.Subscription
	clock    *billing.TestClock
}

func ptr[T any](v T) *T { return &v }

// must stops the test on an error; it returns the value otherwise.
func must[T any](s *site) func(T, error) T {
	return func(value T, err error) T {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		return value
	}
}

// fill puts the demo into the database.
func (s *site) fill() {
	s.t.Helper()
	d := &s.demo
	d.platform = must[*webhook.Platform](s)(s.service.Delivery.PlatformCreate(s.ctx, func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = "app", "Harbour App", true, ptr("https://app.example.com/hooks/tenantry")
		if s.hooks != "" {
			p.WebhookURL = &s.hooks
		}
		return nil
	}, delivery.PlatformSecrets{}))
	d.product = must[*catalog.Product](s)(s.service.Catalog.ProductCreate(s.ctx, func(p *catalog.Product) error {
		p.Code, p.Name, p.Description = "crm", "Harbour CRM", ptr("Customers, deals and mail in one place.")
		return nil
	}, &d.platform.Code))
	for _, name := range []string{"Starter", "Team", "Enterprise"} {
		d.plans = append(d.plans, must[*catalog.Plan](s)(s.service.Catalog.PlanCreate(s.ctx, func(p *catalog.Plan) error {
			p.ProductID, p.Name, p.Code, p.IsVisible = d.product.ID, name, ptr(strings.ToLower(name)), true
			return nil
		}, nil)))
	}
	for _, f := range []catalog.Feature{
		{Code: "users", Name: "Users", Kind: catalog.Quantity, UnitName: ptr("user")},
		{Code: "storage", Name: "Storage in GB", Kind: catalog.Quantity},
		{Code: "sso", Name: "Single sign-on", Kind: catalog.Boolean},
		{Code: "audit", Name: "Audit log", Kind: catalog.Boolean},
		{Code: "support", Name: "Support level", Kind: catalog.Value},
	} {
		d.features = append(d.features, s.addFeature(f))
	}
	s.setMatrix()
	for i, plan := range d.plans {
		seats := catalog.ChargeEdit{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.Price = "seats", "Seats", price(fmt.Sprintf("%d", 9+10*i))
			c.QuantityMin, c.QuantityMax = ptr(1), ptr(5000)
			return nil
		}}
		setup := catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.ChargeType, c.Price = "setup", "Set-up", catalog.OneTime, price("250")
			return nil
		}}
		for _, term := range []int{1, 12} {
			d.lists = append(d.lists, must[*catalog.PriceList](s)(s.service.Catalog.PriceListCreate(s.ctx, func(l *catalog.PriceList) error {
				l.PlanID, l.CurrencyID, l.RenewalTermMonths = plan.ID, "EUR", term
				l.Code, l.Name = fmt.Sprintf("%s-%d", *plan.Code, term), map[int]string{1: "Monthly", 12: "Yearly"}[term]
				l.TrialAllowed, l.TrialLengthDays = true, ptr(14)
				return nil
			}, []catalog.ChargeEdit{seats, setup})))
		}
	}
	s.addCustomers()
}

func (s *site) addFeature(f catalog.Feature) *catalog.Feature {
	return must[*catalog.Feature](s)(s.service.Catalog.FeatureCreate(s.ctx, s.product.ID, nil, func(row *catalog.Feature) error {
		row.Code, row.Name, row.Kind, row.UnitName = f.Code, f.Name, f.Kind, f.UnitName
		return nil
	}))
}

func (s *site) setMatrix() {
	values := [][]string{{"5", "50", ""}, {"10", "100", ""}, {"", "true", "true"}, {"", "", "true"}, {"mail", "mail and phone", "a person of your own"}}
	var cells []catalog.MatrixCell
	for i, row := range values {
		for j, value := range row {
			quantity := s.features[i].Kind == catalog.Quantity
			cells = append(cells, catalog.MatrixCell{PlanID: s.plans[j].ID, FeatureID: s.features[i].ID, Included: value != "" || quantity, Value: value})
		}
	}
	none := func([]catalog.PlanFeature) error { return nil }
	if err := s.service.Catalog.PlanMatrixUpdate(s.ctx, s.product.ID, none, cells); err != nil {
		s.t.Fatal(err)
	}
}

func price(text string) *billing.Price {
	p, err := billing.ParsePrice(text)
	if err != nil {
		panic(err)
	}
	return &p
}

func (s *site) addCustomers() {
	s.subs = map[string]*subscription.Subscription{}
	day := func(text string) *billing.Date {
		d, err := billing.ParseDate(text)
		if err != nil {
			s.t.Fatal(err)
		}
		return &d
	}
	for i, c := range []struct {
		name, list string
		draft      subscription.Draft
	}{
		{"Acme Inc", "team-12", subscription.Draft{Evergreen: true, StartDate: day("2025-06-01")}},
		{"Nordwind Spedition GmbH & Co. KG", "enterprise-12", subscription.Draft{Evergreen: true, StartDate: day("2025-11-20")}},
		{"Bäckerei Süß", "starter-1", subscription.Draft{Trial: true, Evergreen: true, StartDate: day("2026-01-10")}},
		{"Späte Post", "team-1", subscription.Draft{StartDate: day("2026-02-01")}},
		{"Olympia Sport", "starter-1", subscription.Draft{Evergreen: true}},
		{"Kiosk am Markt", "starter-1", subscription.Draft{}},
	} {
		account := must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
			a.Name, a.Code, a.BillingDay, a.CurrencyID = c.name, ptr(fmt.Sprintf("c-%d", i+1)), 1, ptr("EUR")
			return nil
		}, func(p *billing.Contact) error {
			p.FirstName, p.LastName, p.Email = "Kim", ptr(fmt.Sprintf("Nguyen %d", i+1)), ptr(fmt.Sprintf("kim%d@example.com", i+1))
			return nil
		}))
		s.accounts = append(s.accounts, account)
		c.draft.Quantities = []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(12 + i)}}
		sub := must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionCreate(s.ctx, subscriptions.NewSubscription{
			AccountID: &account.ID, PriceList: subscriptions.PriceListRef{Code: &c.list}, Draft: c.draft,
			Tenant: &subscriptions.TenantRef{Code: fmt.Sprintf("tenant-%d", i+1), Name: &c.name},
		}))
		s.subs[string(sub.State)] = sub
	}
	last := s.subs[string(subscription.StateActive)]
	canceled := must[[]subscription.Subscription](s)(s.service.Subscriptions.SubscriptionCancel(s.ctx, []billing.SubscriptionID{last.ID}, subscription.Cancellation{}))
	s.subs[string(subscription.StateCanceled)] = &canceled[0]
	first := must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionQuantityUpdate(s.ctx, 1, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(40)}}}))
	s.subs[string(subscription.StateActive)] = first
	s.demo.clock = must[*billing.TestClock](s)(s.service.Subscriptions.TestClockCreate(s.ctx, "A year in a minute", s.clock.Now()))
}
