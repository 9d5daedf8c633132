package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Platform(ctx context.Context, id *int64, code *string) (*node.Platform, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Platforms, id, code, store.PlatformByCode)
	return one(row, err, r.reader.Platforms)
}

func (r query) Platforms(ctx context.Context, filter *string, limit *int) ([]*node.Platform, error) {
	return list(ctx, r.resolver, store.Platforms, r.reader.Platforms, filter, limit)
}

func (r query) PlatformsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.PlatformConnection, error) {
	id := func(n *node.Platform) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Platforms, r.reader.Platforms, id, first, after, filter)
}

func (r query) Product(ctx context.Context, id *int64, code *string) (*node.Product, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Products, id, code, store.ProductByCode)
	return one(row, err, r.reader.Products)
}

func (r query) Products(ctx context.Context, filter *string, limit *int) ([]*node.Product, error) {
	return list(ctx, r.resolver, store.Products, r.reader.Products, filter, limit)
}

func (r query) ProductsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.ProductConnection, error) {
	id := func(n *node.Product) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Products, r.reader.Products, id, first, after, filter)
}

func (r query) Feature(ctx context.Context, id *int64, code *string, productCode *string) (*node.Feature, error) {
	byCode := func(ctx context.Context, q store.Queries, code string) (*billing.Feature, error) {
		if productCode == nil {
			return store.FeatureByBareCode(ctx, q, code)
		}
		if !billing.IsCode(*productCode) {
			return nil, nil
		}
		parent, err := store.ProductByCode(ctx, q, *productCode)
		if err != nil || parent == nil {
			return nil, err
		}
		return store.FeatureByCode(ctx, q, parent.ID, code)
	}
	row, err := byIDOrCode(ctx, r.resolver, store.Features, id, code, byCode)
	return one(row, err, r.reader.Features)
}

func (r query) Features(ctx context.Context, filter *string, limit *int) ([]*node.Feature, error) {
	return list(ctx, r.resolver, store.Features, r.reader.Features, filter, limit)
}

func (r query) FeaturesConnection(ctx context.Context, first *int, after *string, filter *string) (*node.FeatureConnection, error) {
	id := func(n *node.Feature) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Features, r.reader.Features, id, first, after, filter)
}

func (r query) Plan(ctx context.Context, id *int64, code *string, productCode *string) (*node.Plan, error) {
	byCode := func(ctx context.Context, q store.Queries, code string) (*billing.Plan, error) {
		if productCode == nil {
			return store.PlanByBareCode(ctx, q, code)
		}
		if !billing.IsCode(*productCode) {
			return nil, nil
		}
		parent, err := store.ProductByCode(ctx, q, *productCode)
		if err != nil || parent == nil {
			return nil, err
		}
		return store.PlanByCode(ctx, q, parent.ID, code)
	}
	row, err := byIDOrCode(ctx, r.resolver, store.Plans, id, code, byCode)
	return one(row, err, r.reader.Plans)
}

func (r query) Plans(ctx context.Context, filter *string, limit *int) ([]*node.Plan, error) {
	return list(ctx, r.resolver, store.Plans, r.reader.Plans, filter, limit)
}

func (r query) PlansConnection(ctx context.Context, first *int, after *string, filter *string) (*node.PlanConnection, error) {
	id := func(n *node.Plan) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Plans, r.reader.Plans, id, first, after, filter)
}

func (r query) PlanFeature(ctx context.Context, id int64) (*node.PlanFeature, error) {
	row, err := store.PlanFeatures.Get(ctx, r.q(), billing.PlanFeatureID(id))
	return one(row, err, r.reader.PlanFeatures)
}

func (r query) PlanFeatures(ctx context.Context, filter *string, limit *int) ([]*node.PlanFeature, error) {
	return list(ctx, r.resolver, store.PlanFeatures, r.reader.PlanFeatures, filter, limit)
}

func (r query) PlanFeaturesConnection(ctx context.Context, first *int, after *string, filter *string) (*node.PlanFeatureConnection, error) {
	id := func(n *node.PlanFeature) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.PlanFeatures, r.reader.PlanFeatures, id, first, after, filter)
}
