package store_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing"
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

func (m maker) contact(account billing.AccountID, name string, email *string) *billing.Contact {
	row := &billing.Contact{AccountID: account, FirstName: name, Email: email}
	must(store.Contacts.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) platform() *billing.Platform {
	row := &billing.Platform{Code: unique(), Name: "Platform"}
	must(store.Platforms.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) product() *billing.Product {
	row := &billing.Product{Code: unique(), Name: "Product"}
	must(store.Products.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) feature(product billing.ProductID) *billing.Feature {
	row := &billing.Feature{ProductID: product, Code: unique(), Name: "Feature", Kind: billing.Boolean}
	must(store.Features.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) plan(product billing.ProductID) *billing.Plan {
	row := &billing.Plan{ProductID: product, Code: ptr(unique()), Name: "Plan"}
	must(store.Plans.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) planFeature(plan billing.PlanID, feature billing.FeatureID) *billing.PlanFeature {
	row := &billing.PlanFeature{PlanID: plan, FeatureID: feature, Value: "true"}
	must(store.PlanFeatures.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) priceList(plan billing.PlanID) *billing.PriceList {
	row := &billing.PriceList{PlanID: plan, Code: unique(), Name: "Prices", CurrencyID: "EUR", RenewalTermMonths: 1}
	must(store.PriceLists.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) charge(list billing.PriceListID, feature *billing.FeatureID) *billing.Charge {
	row := &billing.Charge{
		PriceListID: list, Code: unique(), Name: "Charge", FeatureID: feature,
		ChargeType: billing.Recurring, BillingPeriod: billing.Monthly, PricingModel: billing.Flat,
	}
	must(store.Charges.Insert(m.ctx, m.tx, row))
	return row
}

func (m maker) client() *billing.Client {
	row := &billing.Client{ClientID: unique(), Name: "Client", Scopes: []string{billing.AdminRead}, Generation: 1}
	must(store.InsertClient(m.ctx, m.tx, row))
	return row
}
