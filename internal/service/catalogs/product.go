package catalogs

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Products is what changing products has in common.
var Products = operation.Resource[catalog.Product, billing.ProductID]{
	Name: "product", Words: "product", Table: store.Products, Catalog: true,
	Check: func(ctx context.Context, tx *store.Tx, before, p *catalog.Product) (billing.Problems, error) {
		problems := p.Check()
		if before != nil && !samePlace(before.PlatformID, p.PlatformID) {
			// The product is locked: no subscription gets a tenant meanwhile.
			some, err := store.SubscriptionsForProduct(ctx, tx.Queries, p.ID)
			if err != nil {
				return nil, err
			}
			if some {
				problems = append(problems, billing.Fail(billing.InUse, "platformId",
					"Subscriptions to the product have tenants, and a tenant stays on its platform: the product cannot move. Make a product on the other platform instead."))
			}
		}
		if p.PlatformID == nil {
			return problems, nil
		}
		platform, err := store.Platforms.Get(ctx, tx.Queries, *p.PlatformID)
		if err == nil && platform == nil {
			problems = append(problems, billing.Missing("platformId", "platform", *p.PlatformID))
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, p *catalog.Product) error {
		plans, err := store.PlansInProduct(ctx, q, p.ID)
		if err != nil {
			return err
		}
		features, err := store.FeaturesInProduct(ctx, q, p.ID)
		if err != nil {
			return err
		}
		var uses []string
		if plans > 0 {
			uses = append(uses, operation.Count(plans, "plan", "plans"))
		}
		if features > 0 {
			uses = append(uses, operation.Count(features, "feature", "features"))
		}
		if len(uses) > 0 {
			return billing.Fail(billing.InUse, "id", "The product still has %s, which must be deleted first.", strings.Join(uses, " and "))
		}
		return nil
	},
	Taken: func(p *catalog.Product) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another product has the code %q.", p.Code)
	},
}

// ProductCreate adds a product. platformCode names its platform instead of an
// id, if it is not nil.
func (s *Service) ProductCreate(ctx context.Context, edit func(*catalog.Product) error, platformCode *string) (*catalog.Product, error) {
	edit, err := s.onPlatform(ctx, edit, platformCode)
	if err != nil {
		return nil, err
	}
	return Products.Create(ctx, s.Runner, edit)
}

// ProductUpdate changes a product.
func (s *Service) ProductUpdate(ctx context.Context, id billing.ProductID, edit func(*catalog.Product) error, platformCode *string) (*catalog.Product, error) {
	edit, err := s.onPlatform(ctx, edit, platformCode)
	if err != nil {
		return nil, err
	}
	product, err := Products.Update(ctx, s.Runner, id, edit)
	if platformCode != nil {
		err = operation.RenameField(err, "platformId", "platformCode")
	}
	return product, err
}

func samePlace(a, b *billing.PlatformID) bool { return a == b || a != nil && b != nil && *a == *b }

// ProductDelete removes a product that has no plans and no features.
func (s *Service) ProductDelete(ctx context.Context, id billing.ProductID) (*catalog.Product, error) {
	return Products.Delete(ctx, s.Runner, id)
}

// onPlatform lets edit also put the product on the platform with that code.
func (s *Service) onPlatform(ctx context.Context, edit func(*catalog.Product) error, code *string) (func(*catalog.Product) error, error) {
	if code == nil {
		return edit, nil
	}
	var platform *webhook.Platform
	if billing.IsCode(*code) {
		var err error
		if platform, err = store.Platforms.ByCode(ctx, s.Read(), *code); err != nil {
			return nil, err
		}
	}
	return func(p *catalog.Product) error {
		if platform == nil {
			return operation.And(edit(p), billing.Fail(billing.NotFound, "platformCode", "There is no platform with the code %q.", *code))
		}
		err := edit(p)
		p.PlatformID = &platform.ID
		return err
	}, nil
}
