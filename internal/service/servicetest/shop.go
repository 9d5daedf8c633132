package servicetest

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

// Shop is a catalog: a product on a platform that provisions, with two plans,
// and a product on no platform.
//
//	users   a quantity: 5 in basic, 20 in pro, or what is subscribed as "seats"
//	sso     there in pro, not in basic
//	region  a text: "eu" in both
type Shop struct {
	Platform   *webhook.Platform
	Product    *catalog.Product
	Basic, Pro *catalog.Plan
	Features   map[string]*catalog.Feature
	Lists      map[string]*catalog.PriceList
}

func openShop(w *World) Shop {
	w.T.Helper()
	s := Shop{Features: map[string]*catalog.Feature{}, Lists: map[string]*catalog.PriceList{}}
	s.Platform = Must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled = "app", "The App", true
		return nil
	}, delivery.PlatformSecrets{}))
	s.Product = Must[*catalog.Product](w)(w.Catalog.ProductCreate(w.Ctx, func(p *catalog.Product) error {
		p.Code, p.Name = "crm", "CRM"
		return nil
	}, &s.Platform.Code))
	for _, f := range []catalog.Feature{
		{Code: "users", Name: "Users", Kind: catalog.Quantity},
		{Code: "sso", Name: "Single sign-on", Kind: catalog.Boolean},
		{Code: "region", Name: "Region", Kind: catalog.Value},
	} {
		s.Features[f.Code] = w.AddFeature(s.Product.ID, f, nil)
	}
	s.Basic, s.Pro = w.AddPlan(s.Product.ID, "basic"), w.AddPlan(s.Product.ID, "pro")
	for _, v := range []struct {
		plan        *catalog.Plan
		code, value string
	}{{s.Basic, "users", "5"}, {s.Basic, "sso", "false"}, {s.Basic, "region", "eu"}, {s.Pro, "users", "20"}, {s.Pro, "region", "eu"}} {
		w.setValue(v.plan.ID, s.Features[v.code].ID, v.value)
	}
	seats := catalog.ChargeEdit{FeatureCode: new("users"), Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price = "seats", "Seats", Price("10")
		c.QuantityMin, c.QuantityMax = new(1), new(500)
		return nil
	}}
	for _, l := range []struct {
		code   string
		plan   *catalog.Plan
		months int
		trial  int
	}{{"basic-monthly", s.Basic, 1, 14}, {"basic-half", s.Basic, 6, 14}, {"pro-monthly", s.Pro, 1, 0}, {"pro-quarter", s.Pro, 3, 0}} {
		s.Lists[l.code] = w.AddPriceList(l.plan.ID, l.code, l.months, l.trial, seats)
	}
	bare := Must[*catalog.Product](w)(w.Catalog.ProductCreate(w.Ctx, func(p *catalog.Product) error {
		p.Code, p.Name = "advice", "Advice"
		return nil
	}, nil))
	s.Lists["advice"] = w.AddPriceList(w.AddPlan(bare.ID, "advice").ID, "advice", 1, 0)
	return s
}

func Price(text string) *billing.Price {
	p, err := billing.ParsePrice(text)
	if err != nil {
		panic(err)
	}
	return &p
}

// AddFeature adds a feature to a product, and to those plans.
func (w *World) AddFeature(product billing.ProductID, f catalog.Feature, plans []billing.PlanID) *catalog.Feature {
	w.T.Helper()
	return Must[*catalog.Feature](w)(w.Catalog.FeatureCreate(w.Ctx, product, plans, func(row *catalog.Feature) error {
		row.Code, row.Name, row.Kind = f.Code, f.Name, f.Kind
		return nil
	}))
}

func (w *World) AddPlan(product billing.ProductID, code string) *catalog.Plan {
	w.T.Helper()
	return Must[*catalog.Plan](w)(w.Catalog.PlanCreate(w.Ctx, func(p *catalog.Plan) error {
		p.ProductID, p.Code, p.Name = product, &code, strings.ToUpper(code[:1])+code[1:]
		return nil
	}, nil))
}

func (w *World) AddPriceList(plan billing.PlanID, code string, months, trial int, charges ...catalog.ChargeEdit) *catalog.PriceList {
	w.T.Helper()
	return Must[*catalog.PriceList](w)(w.Catalog.PriceListCreate(w.Ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name, l.CurrencyID, l.RenewalTermMonths = plan, code, code, "EUR", months
		if trial > 0 {
			l.TrialAllowed, l.TrialLengthDays = true, &trial
		}
		return nil
	}, charges))
}

func (w *World) PlanFeature(plan billing.PlanID, feature billing.FeatureID) *catalog.PlanFeature {
	w.T.Helper()
	included, err := store.PlanFeaturesOf(w.Ctx, w.Read(), []billing.PlanID{plan})
	w.OK(err)
	for _, pf := range included {
		if pf.FeatureID == feature {
			return &pf
		}
	}
	w.T.Fatalf("plan %d does not include feature %d", plan, feature)
	return nil
}

func (w *World) setValue(plan billing.PlanID, feature billing.FeatureID, value string) {
	w.T.Helper()
	_, err := w.Catalog.PlanFeatureUpdate(w.Ctx, w.PlanFeature(plan, feature).ID, func(pf *catalog.PlanFeature) error {
		pf.Value = value
		return nil
	})
	w.OK(err)
}

// Account makes an account whose code is its name.
func (w *World) Account(name string) *billing.Account {
	w.T.Helper()
	return w.AccountOn(name, nil)
}

// AccountOn is Account on a test clock.
func (w *World) AccountOn(name string, clock *billing.TestClockID) *billing.Account {
	w.T.Helper()
	return Must[*billing.Account](w)(w.Customers.AccountCreate(w.Ctx, Named(name, clock), nil))
}

// Named is the edit that makes an account of that name and code.
func Named(name string, clock *billing.TestClockID) func(*billing.Account) error {
	return func(a *billing.Account) error {
		a.Name, a.Code, a.TestClockID = name, &name, clock
		return nil
	}
}

// Order is a new subscription of an account, which is made if it does not
// exist, with a tenant of the same name.
func (w *World) Order(list, account string, with ...func(*subscriptions.NewSubscription)) subscriptions.NewSubscription {
	w.T.Helper()
	found, err := store.Accounts.ByCode(w.Ctx, w.Read(), account)
	w.OK(err)
	if found == nil {
		found = w.Account(account)
	}
	n := subscriptions.NewSubscription{AccountID: &found.ID, PriceList: subscriptions.PriceListRef{Code: &list}, Tenant: &subscriptions.TenantRef{Code: account}}
	n.Draft.Evergreen = true
	for _, f := range with {
		f(&n)
	}
	return n
}

// Subscribe makes a subscription; see Order.
func (w *World) Subscribe(list, account string, with ...func(*subscriptions.NewSubscription)) *subscription.Subscription {
	w.T.Helper()
	return w.Sub(w.Subscriptions.SubscriptionCreate(w.Ctx, w.Order(list, account, with...)))
}

// Trial begins a new subscription with a trial.
func Trial(n *subscriptions.NewSubscription) { n.Draft.Trial = true }

func WithoutRenewal(n *subscriptions.NewSubscription) { n.Draft.Evergreen = false }

func WithoutTenant(n *subscriptions.NewSubscription) { n.Tenant = nil }

func Starting(date string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.StartDate = On(date) }
}

func InTenant(code string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Tenant = &subscriptions.TenantRef{Code: code} }
}

func Seats(n int) []subscription.QuantityOrder {
	return []subscription.QuantityOrder{{Code: "seats", Quantity: &n}}
}

func WithSeats(quantity int) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.Quantities = Seats(quantity) }
}

func ByCode(list string) subscriptions.PriceListRef { return subscriptions.PriceListRef{Code: &list} }

func IDs(subs ...*subscription.Subscription) []billing.SubscriptionID {
	var list []billing.SubscriptionID
	for _, s := range subs {
		list = append(list, s.ID)
	}
	return list
}

// Describe is what there is to a subscription, in a form that compares.
func Describe(s *subscription.Subscription) string {
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

func Itoa[K ~int64](id K) string { return fmt.Sprint(int64(id)) }
