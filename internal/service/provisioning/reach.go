package provisioning

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
)

// Reach says beforehand who is told of a change to a product's features.
type Reach struct {
	// Plans has the tenants with a live subscription on each plan.
	Plans map[billing.PlanID]store.Reach
	// Told is all tenants with a live subscription to the product: each of them
	// gets an event, whatever plan it is on.
	Told store.Reach
}

// FeatureReach returns whom a change to the features of a product reaches. It is
// nobody if the product is on no platform, or on one that provisions nothing.
func (s *Service) FeatureReach(ctx context.Context, product *catalog.Product, plans []billing.PlanID) (Reach, error) {
	reach := Reach{Plans: map[billing.PlanID]store.Reach{}}
	tells, err := s.provisions(ctx, product)
	if err != nil || !tells {
		return reach, err
	}
	if reach.Plans, err = store.ReachOfPlans(ctx, s.Read(), plans); err != nil {
		return reach, err
	}
	reach.Told, err = store.ReachOfProduct(ctx, s.Read(), product.ID)
	return reach, err
}

// TenantsToTell returns how many tenants a change to the features of a product
// reaches, however long it takes to count them.
func (s *Service) TenantsToTell(ctx context.Context, product *catalog.Product) (int, error) {
	if tells, err := s.provisions(ctx, product); err != nil || !tells {
		return 0, err
	}
	return store.CountLiveTenants(ctx, s.Read(), product.ID)
}

// provisions reports whether tenants of the product are told anything.
func (s *Service) provisions(ctx context.Context, product *catalog.Product) (bool, error) {
	if product.PlatformID == nil {
		return false, nil
	}
	platform, err := store.Platforms.Get(ctx, s.Read(), *product.PlatformID)
	return err == nil && platform != nil && platform.ProvisioningEnabled, err
}
