package node

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Platform is a SaaS application in the API.
type Platform struct {
	*billing.Platform
	group *group[billing.Platform]
}

// Platforms makes nodes of platforms that were loaded together.
func (r *Reader) Platforms(rows []billing.Platform) []*Platform {
	return wrap(r, rows, func(p *billing.Platform, g *group[billing.Platform]) Platform { return Platform{p, g} })
}

func (r *Reader) platformsByID(ctx context.Context, ids []billing.PlatformID) (map[billing.PlatformID]*Platform, error) {
	found, err := store.Platforms.ByIDs(ctx, r.q(), ids)
	return index(r.Platforms(found), func(p *Platform) billing.PlatformID { return p.ID }), err
}

// WebhookSigningSecret is the secret that webhooks are signed with, nil if it
// is no longer known.
func (p *Platform) WebhookSigningSecret() (*string, error) {
	text, err := p.group.reader.Service.Delivery.SigningSecret(p.Platform)
	if text == "" {
		return nil, err
	}
	return &text, err
}

// Products are those on the platform.
func (p *Platform) Products(ctx context.Context) ([]*Product, error) {
	r := p.group.reader
	of, err := together(p.group, "products", func(rows []billing.Platform) (map[billing.PlatformID][]*Product, error) {
		found, err := store.ProductsOf(ctx, r.q(), keys(rows, always(func(p *billing.Platform) billing.PlatformID { return p.ID })))
		return collect(r.Products(found), func(p *Product) billing.PlatformID { return *p.PlatformID }), err
	})
	return of[p.ID], err
}

// Tenants are those in the platform.
func (p *Platform) Tenants(ctx context.Context) ([]*Tenant, error) {
	r := p.group.reader
	of, err := together(p.group, "tenants", func(rows []billing.Platform) (map[billing.PlatformID][]*Tenant, error) {
		found, err := store.TenantsOfPlatforms(ctx, r.q(), keys(rows, always(func(p *billing.Platform) billing.PlatformID { return p.ID })))
		return collect(r.Tenants(found), func(t *Tenant) billing.PlatformID { return t.PlatformID }), err
	})
	return of[p.ID], err
}

// Product is what is sold, in the API.
type Product struct {
	*billing.Product
	group *group[billing.Product]
}

// Products makes nodes of products that were loaded together.
func (r *Reader) Products(rows []billing.Product) []*Product {
	return wrap(r, rows, func(p *billing.Product, g *group[billing.Product]) Product { return Product{p, g} })
}

func (r *Reader) productsByID(ctx context.Context, ids []billing.ProductID) (map[billing.ProductID]*Product, error) {
	found, err := store.Products.ByIDs(ctx, r.q(), ids)
	return index(r.Products(found), func(p *Product) billing.ProductID { return p.ID }), err
}

func productID(p *billing.Product) billing.ProductID { return p.ID }

// Platform is the one the product lives on, if any.
func (p *Product) Platform(ctx context.Context) (*Platform, error) {
	if p.PlatformID == nil {
		return nil, nil
	}
	byID, err := together(p.group, "platform", func(rows []billing.Product) (map[billing.PlatformID]*Platform, error) {
		return p.group.reader.platformsByID(ctx, keys(rows, maybe(func(p *billing.Product) *billing.PlatformID { return p.PlatformID })))
	})
	return byID[*p.PlatformID], err
}

// Features are the product's, by position and then code.
func (p *Product) Features(ctx context.Context, filter *string) ([]*Feature, error) {
	r := p.group.reader
	of, err := together(p.group, "features "+text(filter), func(rows []billing.Product) (map[billing.ProductID][]*Feature, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		found, err := store.FeaturesOf(ctx, r.q(), keys(rows, always(productID)), parsed)
		slices.SortFunc(found, func(a, b billing.Feature) int { return inOrder(&a, &b) })
		return collect(r.Features(found), func(f *Feature) billing.ProductID { return f.ProductID }), err
	})
	return of[p.ID], err
}

// Plans are the product's, in the order of ids.
func (p *Product) Plans(ctx context.Context, filter *string) ([]*Plan, error) {
	r := p.group.reader
	of, err := together(p.group, "plans "+text(filter), func(rows []billing.Product) (map[billing.ProductID][]*Plan, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		found, err := store.PlansOf(ctx, r.q(), keys(rows, always(productID)), parsed)
		return collect(r.Plans(found), func(p *Plan) billing.ProductID { return p.ProductID }), err
	})
	return of[p.ID], err
}

// inOrder compares features as they stand in their product: by position and
// then code.
func inOrder(a, b *billing.Feature) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Code, b.Code))
}

// Feature is something a tenant may have, in the API.
type Feature struct {
	*billing.Feature
	group *group[billing.Feature]
}

// Features makes nodes of features that were loaded together.
func (r *Reader) Features(rows []billing.Feature) []*Feature {
	return wrap(r, rows, func(f *billing.Feature, g *group[billing.Feature]) Feature { return Feature{f, g} })
}

func (r *Reader) featuresByID(ctx context.Context, ids []billing.FeatureID) (map[billing.FeatureID]*Feature, error) {
	found, err := store.Features.ByIDs(ctx, r.q(), ids)
	return index(r.Features(found), func(f *Feature) billing.FeatureID { return f.ID }), err
}

// Product is the one that owns the feature.
func (f *Feature) Product(ctx context.Context) (*Product, error) {
	byID, err := together(f.group, "product", func(rows []billing.Feature) (map[billing.ProductID]*Product, error) {
		return f.group.reader.productsByID(ctx, keys(rows, always(func(f *billing.Feature) billing.ProductID { return f.ProductID })))
	})
	return byID[f.ProductID], err
}

// Plans are those that include the feature.
func (f *Feature) Plans(ctx context.Context) ([]*Plan, error) {
	r := f.group.reader
	of, err := together(f.group, "plans", func(rows []billing.Feature) (map[billing.FeatureID][]*Plan, error) {
		included, err := store.PlanFeaturesWith(ctx, r.q(), keys(rows, always(func(f *billing.Feature) billing.FeatureID { return f.ID })))
		if err != nil {
			return nil, err
		}
		plans, err := r.plansByID(ctx, keys(included, always(func(pf *billing.PlanFeature) billing.PlanID { return pf.PlanID })))
		of := map[billing.FeatureID][]*Plan{}
		for _, pf := range included {
			if plan := plans[pf.PlanID]; plan != nil { // else it was deleted a moment ago
				of[pf.FeatureID] = append(of[pf.FeatureID], plan)
			}
		}
		return of, err
	})
	return of[f.ID], err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
