package service_test

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// shop is a catalog: a product on a platform that provisions, with two plans,
// and a product on no platform.
//
//	users   a quantity: 5 in basic, 20 in pro, or what is subscribed as "seats"
//	sso     there in pro, not in basic
//	region  a text: "eu" in both
type shop struct {
	platform   *webhook.Platform
	product    *catalog.Product
	basic, pro *catalog.Plan
	features   map[string]*catalog.Feature
	lists      map[string]*catalog.PriceList
}

func openShop(w *world) shop {
	w.t.Helper()
	s := shop{features: map[string]*catalog.Feature{}, lists: map[string]*catalog.PriceList{}}
	s.platform = must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled = "app", "The App", true
		return nil
	}, delivery.PlatformSecrets{}))
	s.product = must[*catalog.Product](w)(w.Catalog.ProductCreate(w.ctx, func(p *catalog.Product) error {
		p.Code, p.Name = "crm", "CRM"
		return nil
	}, &s.platform.Code))
	for _, f := range []catalog.Feature{
		{Code: "users", Name: "Users", Kind: catalog.Quantity},
		{Code: "sso", Name: "Single sign-on", Kind: catalog.Boolean},
		{Code: "region", Name: "Region", Kind: catalog.Value},
	} {
		s.features[f.Code] = w.addFeature(s.product.ID, f, nil)
	}
	s.basic, s.pro = w.addPlan(s.product.ID, "basic"), w.addPlan(s.product.ID, "pro")
	for _, v := range []struct {
		plan        *catalog.Plan
		code, value string
	}{{s.basic, "users", "5"}, {s.basic, "sso", "false"}, {s.basic, "region", "eu"}, {s.pro, "users", "20"}, {s.pro, "region", "eu"}} {
		w.setValue(v.plan.ID, s.features[v.code].ID, v.value)
	}
	seats := catalog.ChargeEdit{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price = "seats", "Seats", price("10")
		c.QuantityMin, c.QuantityMax = ptr(1), ptr(500)
		return nil
	}}
	for _, l := range []struct {
		code   string
		plan   *catalog.Plan
		months int
		trial  int
	}{{"basic-monthly", s.basic, 1, 14}, {"basic-half", s.basic, 6, 14}, {"pro-monthly", s.pro, 1, 0}, {"pro-quarter", s.pro, 3, 0}} {
		s.lists[l.code] = w.addPriceList(l.plan.ID, l.code, l.months, l.trial, seats)
	}
	bare := must[*catalog.Product](w)(w.Catalog.ProductCreate(w.ctx, func(p *catalog.Product) error {
		p.Code, p.Name = "advice", "Advice"
		return nil
	}, nil))
	s.lists["advice"] = w.addPriceList(w.addPlan(bare.ID, "advice").ID, "advice", 1, 0)
	return s
}

func price(text string) *billing.Price {
	p, err := billing.ParsePrice(text)
	if err != nil {
		panic(err)
	}
	return &p
}

func (w *world) addFeature(product billing.ProductID, f catalog.Feature, plans []billing.PlanID) *catalog.Feature {
	w.t.Helper()
	return must[*catalog.Feature](w)(w.Catalog.FeatureCreate(w.ctx, product, plans, func(row *catalog.Feature) error {
		row.Code, row.Name, row.Kind = f.Code, f.Name, f.Kind
		return nil
	}))
}

func (w *world) addPlan(product billing.ProductID, code string) *catalog.Plan {
	w.t.Helper()
	return must[*catalog.Plan](w)(w.Catalog.PlanCreate(w.ctx, func(p *catalog.Plan) error {
		p.ProductID, p.Code, p.Name = product, &code, strings.ToUpper(code[:1])+code[1:]
		return nil
	}, nil))
}

func (w *world) addPriceList(plan billing.PlanID, code string, months, trial int, charges ...catalog.ChargeEdit) *catalog.PriceList {
	w.t.Helper()
	return must[*catalog.PriceList](w)(w.Catalog.PriceListCreate(w.ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name, l.CurrencyID, l.RenewalTermMonths = plan, code, code, "EUR", months
		if trial > 0 {
			l.TrialAllowed, l.TrialLengthDays = true, &trial
		}
		return nil
	}, charges))
}

func (w *world) planFeature(plan billing.PlanID, feature billing.FeatureID) *catalog.PlanFeature {
	w.t.Helper()
	included, err := store.PlanFeaturesOf(w.ctx, w.Read(), []billing.PlanID{plan})
	w.ok(err)
	for _, pf := range included {
		if pf.FeatureID == feature {
			return &pf
		}
	}
	w.t.Fatalf("plan %d does not include feature %d", plan, feature)
	return nil
}

func (w *world) setValue(plan billing.PlanID, feature billing.FeatureID, value string) {
	w.t.Helper()
	_, err := w.Catalog.PlanFeatureUpdate(w.ctx, w.planFeature(plan, feature).ID, func(pf *catalog.PlanFeature) error {
		pf.Value = value
		return nil
	})
	w.ok(err)
}

func (w *world) account(name string) *billing.Account {
	w.t.Helper()
	return w.accountOn(name, nil)
}

func (w *world) accountOn(name string, clock *billing.TestClockID) *billing.Account {
	w.t.Helper()
	return must[*billing.Account](w)(w.Customers.AccountCreate(w.ctx, named(name, clock), nil))
}

func named(name string, clock *billing.TestClockID) func(*billing.Account) error {
	return func(a *billing.Account) error {
		a.Name, a.Code, a.TestClockID = name, &name, clock
		return nil
	}
}

// order is a new subscription of an account, which is made if it does not
// exist, with a tenant of the same name.
func (w *world) order(list, account string, with ...func(*subscriptions.NewSubscription)) subscriptions.NewSubscription {
	w.t.Helper()
	found, err := store.Accounts.ByCode(w.ctx, w.Read(), account)
	w.ok(err)
	if found == nil {
		found = w.account(account)
	}
	n := subscriptions.NewSubscription{AccountID: &found.ID, PriceList: subscriptions.PriceListRef{Code: &list}, Tenant: &subscriptions.TenantRef{Code: account}}
	n.Draft.Evergreen = true
	for _, f := range with {
		f(&n)
	}
	return n
}

func (w *world) subscribe(list, account string, with ...func(*subscriptions.NewSubscription)) *subscription.Subscription {
	w.t.Helper()
	return w.sub(w.Subscriptions.SubscriptionCreate(w.ctx, w.order(list, account, with...)))
}

func trial(n *subscriptions.NewSubscription) { n.Draft.Trial = true }

func withoutRenewal(n *subscriptions.NewSubscription) { n.Draft.Evergreen = false }

func withoutTenant(n *subscriptions.NewSubscription) { n.Tenant = nil }

func starting(date string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.StartDate = on(date) }
}

func inTenant(code string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Tenant = &subscriptions.TenantRef{Code: code} }
}

func seats(n int) []subscription.QuantityOrder {
	return []subscription.QuantityOrder{{Code: "seats", Quantity: &n}}
}

func withSeats(quantity int) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.Quantities = seats(quantity) }
}

func byCode(list string) subscriptions.PriceListRef { return subscriptions.PriceListRef{Code: &list} }

func ids(subs ...*subscription.Subscription) []billing.SubscriptionID {
	var list []billing.SubscriptionID
	for _, s := range subs {
		list = append(list, s.ID)
	}
	return list
}

// describe is what there is to a subscription, in a form that compares.
func describe(s *subscription.Subscription) string {
	show := func(d *billing.Date) string {
		if d == nil {
			return "-"
		}
		return d.String()
	}
	text := fmt.Sprintf("%d on %d %s %s..%s trial %s..%s cancels %s", s.ID, s.PriceListID, s.State, s.StartDate, s.EndDate,
		show(s.TrialStartDate), show(s.TrialEndDate), show(s.CancellationDate))
	if s.TenantID != nil {
		text += fmt.Sprintf(" tenant %d", *s.TenantID)
	}
	if s.NextPriceList != nil {
		text += fmt.Sprintf(" then %d on %s", s.NextPriceList.ID, s.NextPriceList.On)
	}
	if !s.Evergreen {
		text += " not renewed"
	}
	for _, c := range s.Charges {
		quantity := "-"
		if c.Quantity != nil {
			quantity = fmt.Sprint(*c.Quantity)
		}
		text += fmt.Sprintf(" %d:%s=%s %s..%s", c.ID, c.Code, quantity, c.StartDate, c.EndDate)
	}
	if s.Problem != nil {
		text += " problem " + *s.Problem
	}
	return text
}

func itoa[K ~int64](id K) string { return fmt.Sprint(int64(id)) }
