package main

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// shop is something to subscribe to: a product on a platform that provisions,
// with one plan of four features and one price list that sells seats by the
// month.
type shop struct {
	product  billing.ProductID
	accounts []billing.AccountID
}

const (
	priceListCode = "monthly"
	seatsCode     = "seats"
)

// openShop makes a shop with that many accounts, each with a contact.
func openShop(ctx context.Context, st *store.Store, accounts int) (s *shop) {
	check(st.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		s = &shop{}
		return catch(func() {
			s.addCatalog(ctx, tx)
			for i := range accounts {
				s.addAccount(ctx, tx, i)
			}
		})
	}))
	return s
}

func (s *shop) addCatalog(ctx context.Context, tx *store.Tx) {
	platform := webhook.Platform{Code: "app", Name: "The App", ProvisioningEnabled: true}
	check(store.Platforms.Insert(ctx, tx, &platform))
	product := catalog.Product{Code: "crm", Name: "CRM", PlatformID: &platform.ID}
	check(store.Products.Insert(ctx, tx, &product))
	code := "pro"
	plan := catalog.Plan{ProductID: product.ID, Code: &code, Name: "Pro", IsVisible: true}
	check(store.Plans.Insert(ctx, tx, &plan))
	s.product = product.ID
	users := s.addFeatures(ctx, tx, plan.ID)
	list := catalog.PriceList{PlanID: plan.ID, Code: priceListCode, Name: "Monthly", CurrencyID: "EUR", RenewalTermMonths: 1, IsVisible: true}
	check(store.PriceLists.Insert(ctx, tx, &list))
	price := billing.Price("10")
	check(store.Charges.Insert(ctx, tx, &catalog.Charge{
		PriceListID: list.ID, Code: seatsCode, Name: "Seats", FeatureID: &users, ChargeType: catalog.Recurring,
		BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat, Price: &price,
	}))
}

// addFeatures puts four features of all kinds into the plan, and returns the one
// that has a quantity.
func (s *shop) addFeatures(ctx context.Context, tx *store.Tx, plan billing.PlanID) (users billing.FeatureID) {
	for i, f := range []struct {
		code  string
		kind  catalog.FeatureKind
		value string
	}{{"users", catalog.Quantity, "5"}, {"sso", catalog.Boolean, "true"}, {"region", catalog.Value, "eu"}, {"api", catalog.Boolean, "true"}} {
		feature := catalog.Feature{ProductID: s.product, Code: f.code, Name: f.code, Kind: f.kind, Position: i + 1, IsProvisioned: true}
		check(store.Features.Insert(ctx, tx, &feature))
		check(store.PlanFeatures.Insert(ctx, tx, new(catalog.NewPlanFeature(plan, feature.ID, f.value))))
		if f.kind == catalog.Quantity {
			users = feature.ID
		}
	}
	return users
}

func (s *shop) addAccount(ctx context.Context, tx *store.Tx, i int) {
	account := billing.NewAccount(1)
	account.Name = fmt.Sprintf("Firm %d", i)
	check(store.Accounts.Insert(ctx, tx, &account))
	last, email := "Marsh", fmt.Sprintf("ada.%d@example.com", i)
	contact := billing.Contact{AccountID: account.ID, FirstName: "Ada", LastName: &last, Email: &email}
	check(store.Contacts.Insert(ctx, tx, &contact))
	account.BillingContactID = &contact.ID
	check(store.Accounts.Update(ctx, tx, &account))
	s.accounts = append(s.accounts, account.ID)
}

// asClient is a context in which operations are done for the benchmark's
// client, as a server does them.
func asClient(ctx context.Context) context.Context {
	return operation.As(ctx, operation.Caller{Actor: "client " + clientID})
}
