package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
)

// maker adds rows with as little in them as they need, for other rows to refer
// to. It panics when it cannot: see write.
type maker struct {
	ctx context.Context
	tx  *store.Tx
}

var made atomic.Int64

// unique returns a code that nothing else has.
func unique() string { return fmt.Sprintf("code-%d", made.Add(1)) }

func (m maker) account(name string) *billing.Account {
	row := &billing.Account{Name: name, BillingDay: 1}
	must(store.Accounts.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) entity() *billing.Entity {
	row := &billing.Entity{Code: unique(), Name: "Entity", Country: "DE"}
	must(store.Entities.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) contact(account billing.AccountID, name string, email *string) *billing.Contact {
	row := &billing.Contact{AccountID: account, FirstName: name, Email: email}
	must(store.Contacts.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) platform() *webhook.Platform {
	row := &webhook.Platform{Code: unique(), Name: "Platform"}
	must(store.Platforms.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) product() *catalog.Product {
	row := &catalog.Product{Code: unique(), Name: "Product"}
	must(store.Products.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) feature(product billing.ProductID) *catalog.Feature {
	row := &catalog.Feature{ProductID: product, Code: unique(), Name: "Feature", Kind: catalog.Boolean}
	must(store.Features.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) plan(product billing.ProductID) *catalog.Plan {
	row := &catalog.Plan{ProductID: product, Code: ptr(unique()), Name: "Plan"}
	must(store.Plans.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) planFeature(plan billing.PlanID, feature billing.FeatureID) *catalog.PlanFeature {
	row := new(catalog.NewPlanFeature(plan, feature, "true"))
	must(store.PlanFeatures.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) priceList(plan billing.PlanID) *catalog.PriceList {
	row := &catalog.PriceList{PlanID: plan, Code: unique(), Name: "Prices", CurrencyID: "EUR", RenewalTermMonths: 1}
	must(store.PriceLists.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) charge(list billing.PriceListID, feature *billing.FeatureID) *catalog.Charge {
	row := &catalog.Charge{
		PriceListID: list, Code: unique(), Name: "Charge", FeatureID: feature,
		ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat,
	}
	must(store.Charges.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) client() *billing.Client {
	row := &billing.Client{ClientID: unique(), Name: "Client", Scopes: []string{billing.AdminRead}, Generation: 1}
	must(store.InsertClient(m.ctx, m.tx, row))
	return row
}

func (m maker) clock() *billing.TestClock {
	row := &billing.TestClock{Name: "Clock", Now: m.tx.Now}
	must(store.TestClocks.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) tenant(platform billing.PlatformID, account billing.AccountID) *billing.Tenant {
	row := &billing.Tenant{PlatformID: platform, AccountID: account, Code: unique(), Name: "Tenant"}
	must(store.Tenants.Insert(m.ctx, m.tx, row))
	return row
}

// offered is a price list with all that it belongs to.
type offered struct {
	product billing.ProductID
	plan    billing.PlanID
	list    billing.PriceListID
}

func (m maker) offer() (o offered) {
	o.product = m.product().ID
	o.plan = m.plan(o.product).ID
	m.priceList(o.plan) // so that the ids differ
	o.list = m.priceList(o.plan).ID
	return o
}

// subscription is active in January 2026, unless edit makes it something else.
func (m maker) subscription(account billing.AccountID, o offered, edit ...func(*subscription.Subscription)) *subscription.Subscription {
	first := date("2026-01-01")
	row := &subscription.Subscription{
		AccountID: account, ProductID: o.product, PriceListID: o.list, State: subscription.StateActive, RenewalTermMonths: 1, Standing: billing.Good,
		StartDate: first, TermStartDate: first, EndDate: date("2026-01-31"), AnchorDay: 1, AsOf: first,
	}
	for _, e := range edit {
		e(row)
	}
	row.Epochs = row.LikelyEpochs()
	must(store.Subscriptions.Insert(m.ctx, m.tx, row))
	return row
}

func forTenant(id billing.TenantID) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { s.TenantID = &id }
}

func inState(state subscription.State) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { s.State = state }
}

// dueOn lets the term end so that a day is when something is due next.
func dueOn(day string) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { s.EndDate = date(day).AddDays(-1) }
}

func onClock(id billing.TestClockID) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { s.TestClockID = &id }
}

func (m maker) job(kind string) *billing.Job {
	row := &billing.Job{Kind: kind, State: billing.JobWaiting, Params: json.RawMessage("{}")}
	must(store.Jobs.Insert(m.ctx, m.tx, row))
	return row
}

func date(text string) billing.Date {
	d, err := billing.ParseDate(text)
	must(err)
	return d
}

func (m maker) policy() *dunning.Policy {
	row := new(dunning.NewPolicy())
	row.Code = unique()
	must(store.DunningPolicies.Insert(m.ctx, m.tx, row))
	return row
}
