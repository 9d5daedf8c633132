package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) PlatformCreate(ctx context.Context, attributes gen.PlatformAttributes) (*gen.PlatformCreatePayload, error) {
	return r.platformCreatePayload(r.service.Delivery.PlatformCreate(ctx, edit(setPlatform, attributes, true), platformSecrets(attributes)))
}

func (r mutation) PlatformUpdate(ctx context.Context, id int64, attributes gen.PlatformAttributes) (*gen.PlatformUpdatePayload, error) {
	return r.platformUpdatePayload(r.service.Delivery.PlatformUpdate(ctx, billing.PlatformID(id), edit(setPlatform, attributes, false), platformSecrets(attributes)))
}

func (r mutation) ProductCreate(ctx context.Context, attributes gen.ProductAttributes) (*gen.ProductCreatePayload, error) {
	return r.productCreatePayload(r.service.Catalog.ProductCreate(ctx, editProduct(attributes, true), attributes.PlatformCode.Value()))
}

func (r mutation) ProductUpdate(ctx context.Context, id int64, attributes gen.ProductAttributes) (*gen.ProductUpdatePayload, error) {
	return r.productUpdatePayload(r.service.Catalog.ProductUpdate(ctx, billing.ProductID(id), editProduct(attributes, false), attributes.PlatformCode.Value()))
}

func (r mutation) PlanCreate(ctx context.Context, attributes gen.PlanAttributes) (*gen.PlanCreatePayload, error) {
	return r.planCreatePayload(r.service.Catalog.PlanCreate(ctx, edit(setPlan, attributes, true), ids[billing.FeatureID](attributes.FeatureIds.Value())))
}

func (r mutation) PlanUpdate(ctx context.Context, id int64, attributes gen.PlanAttributes) (*gen.PlanUpdatePayload, error) {
	return r.planUpdatePayload(r.service.Catalog.PlanUpdate(ctx, billing.PlanID(id), edit(setPlan, attributes, false), ids[billing.FeatureID](attributes.FeatureIds.Value())))
}
