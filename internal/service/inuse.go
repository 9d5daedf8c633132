package service

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// InUse says why thing cannot be deleted now, as the operation that deletes it
// would; it returns nil if nothing stands in the way.
func (s *Service) InUse(ctx context.Context, thing any) error {
	q := s.Read()
	switch thing := thing.(type) {
	case *billing.Account:
		return accounts.inUse(ctx, q, thing)
	case *billing.Contact:
		return contacts.inUse(ctx, q, thing)
	case *billing.Platform:
		return platforms.inUse(ctx, q, thing)
	case *billing.Product:
		return products.inUse(ctx, q, thing)
	case *billing.Feature:
		return features.inUse(ctx, q, thing)
	case *billing.Plan:
		return plans.inUse(ctx, q, thing)
	case *billing.PriceList:
		return priceLists.inUse(ctx, q, thing)
	case *billing.Charge:
		return charges.inUse(ctx, q, thing)
	case *billing.Tenant:
		return tenants.inUse(ctx, q, thing)
	case *billing.User:
		return users.inUse(ctx, q, thing)
	}
	return nil
}

// counted is count for what is counted up to a bound.
func counted(n int, one, many string) string {
	if n > store.MostCounted {
		return "more than 1,000 " + many
	}
	return count(n, one, many)
}
