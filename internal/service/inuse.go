package service

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/catalog"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// InUse says why thing cannot be deleted now, as the operation that deletes it
// would; it returns nil if nothing stands in the way.
func (s *Service) InUse(ctx context.Context, thing any) error {
	q := s.Read()
	switch thing := thing.(type) {
	case *billing.Account:
		return customers.Accounts.InUse(ctx, q, thing)
	case *billing.Contact:
		return customers.Contacts.InUse(ctx, q, thing)
	case *billing.Platform:
		return delivery.Platforms.InUse(ctx, q, thing)
	case *billing.Product:
		return catalog.Products.InUse(ctx, q, thing)
	case *billing.Feature:
		return catalog.Features.InUse(ctx, q, thing)
	case *billing.Plan:
		return catalog.Plans.InUse(ctx, q, thing)
	case *billing.PriceList:
		return catalog.PriceLists.InUse(ctx, q, thing)
	case *billing.Charge:
		return catalog.Charges.InUse(ctx, q, thing)
	case *billing.Tenant:
		return subscriptions.Tenants.InUse(ctx, q, thing)
	case *billing.User:
		return access.Users.InUse(ctx, q, thing)
	}
	return nil
}
