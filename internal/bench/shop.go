package main

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// shop is something to subscribe to: a product on a platform that provisions,
// with one plan of four features and one price list that sells seats by the
// month.
type shop struct {
	platform billing.PlatformID
	product  billing.ProductID
	list     billing.PriceListID
	charge   billing.Charge
	feature  billing.FeatureID
	accounts []billing.AccountID
}

const (
	priceListCode = "monthly"
	seatsCode     = "seats"
)

// openShop makes a shop with that many accounts, each with a contact.
func openShop(ctx context.Context, st *store.Store, accounts int) (s *shop, err error) {
	err = st.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		s = &shop{}
		if err := s.addCatalog(ctx, tx); err != nil {
			return err
		}
		for i := range accounts {
			if err := s.addAccount(ctx, tx, i); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

func (s *shop) addCatalog(ctx context.Context, tx *store.Tx) error {
	platform := billing.Platform{Code: "app", Name: "The App", ProvisioningEnabled: true}
	if err := store.Platforms.Insert(ctx, tx, &platform); err != nil {
		return err
	}
	product := billing.Product{Code: "crm", Name: "CRM", PlatformID: &platform.ID}
	if err := store.Products.Insert(ctx, tx, &product); err != nil {
		return err
	}
	code := "pro"
	plan := billing.Plan{ProductID: product.ID, Code: &code, Name: "Pro", IsVisible: true}
	if err := store.Plans.Insert(ctx, tx, &plan); err != nil {
		return err
	}
	s.platform, s.product = platform.ID, product.ID
	if err := s.addFeatures(ctx, tx, plan.ID); err != nil {
		return err
	}
	list := billing.PriceList{PlanID: plan.ID, Code: priceListCode, Name: "Monthly", CurrencyID: "EUR", RenewalTermMonths: 1, IsVisible: true}
	if err := store.PriceLists.Insert(ctx, tx, &list); err != nil {
		return err
	}
	s.list = list.ID
	price := billing.Price("10")
	s.charge = billing.Charge{
		PriceListID: list.ID, Code: seatsCode, Name: "Seats", FeatureID: &s.feature, ChargeType: billing.Recurring,
		BillingPeriod: billing.Monthly, PricingModel: billing.Flat, Price: &price,
	}
	return store.Charges.Insert(ctx, tx, &s.charge)
}

// addFeatures puts four features of all kinds into the plan.
func (s *shop) addFeatures(ctx context.Context, tx *store.Tx, plan billing.PlanID) error {
	for i, f := range []struct {
		code  string
		kind  billing.FeatureKind
		value string
	}{{"users", billing.Quantity, "5"}, {"sso", billing.Boolean, "true"}, {"region", billing.Value, "eu"}, {"api", billing.Boolean, "true"}} {
		feature := billing.Feature{ProductID: s.product, Code: f.code, Name: f.code, Kind: f.kind, Position: i + 1, IsProvisioned: true}
		if err := store.Features.Insert(ctx, tx, &feature); err != nil {
			return err
		}
		if err := store.PlanFeatures.Insert(ctx, tx, &billing.PlanFeature{PlanID: plan, FeatureID: feature.ID, Value: f.value}); err != nil {
			return err
		}
		if i == 0 {
			s.feature = feature.ID
		}
	}
	return nil
}

func (s *shop) addAccount(ctx context.Context, tx *store.Tx, i int) error {
	account := billing.Account{Name: fmt.Sprintf("Firm %d", i), BillingDay: 1}
	if err := store.Accounts.Insert(ctx, tx, &account); err != nil {
		return err
	}
	last, email := "Marsh", fmt.Sprintf("ada.%d@example.com", i)
	contact := billing.Contact{AccountID: account.ID, FirstName: "Ada", LastName: &last, Email: &email}
	if err := store.Contacts.Insert(ctx, tx, &contact); err != nil {
		return err
	}
	account.BillingContactID = &contact.ID
	s.accounts = append(s.accounts, account.ID)
	return store.Accounts.Update(ctx, tx, &account)
}

// operations are the service's, on a store of the benchmark's own.
func operations(st *store.Store) (*service.Service, error) {
	box, err := secret.NewBox(secretKey)
	if err != nil {
		return nil, err
	}
	return service.New(st, box, nil), nil
}

// asClient is a context in which operations are done for the benchmark's
// client, as a server does them.
func asClient(ctx context.Context) context.Context {
	return operation.As(ctx, operation.Caller{Actor: "client " + clientID})
}
