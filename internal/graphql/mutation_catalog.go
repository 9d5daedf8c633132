package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) PlatformCreate(ctx context.Context, attributes gen.PlatformAttributes) (*gen.PlatformCreatePayload, error) {
	row, err := r.service.Delivery.PlatformCreate(ctx, edit(setPlatform, attributes, true), platformSecrets(attributes))
	p := &gen.PlatformCreatePayload{}
	p.Platform, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Platforms)
	return p, err
}

func (r mutation) PlatformUpdate(ctx context.Context, id int64, attributes gen.PlatformAttributes) (*gen.PlatformUpdatePayload, error) {
	row, err := r.service.Delivery.PlatformUpdate(ctx, billing.PlatformID(id), edit(setPlatform, attributes, false), platformSecrets(attributes))
	p := &gen.PlatformUpdatePayload{}
	p.Platform, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Platforms)
	return p, err
}

func (r mutation) PlatformDelete(ctx context.Context, id int64) (*gen.PlatformDeletePayload, error) {
	row, err := r.service.Delivery.PlatformDelete(ctx, billing.PlatformID(id))
	p := &gen.PlatformDeletePayload{}
	p.Platform, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Platforms)
	return p, err
}

func (r mutation) ProductCreate(ctx context.Context, attributes gen.ProductAttributes) (*gen.ProductCreatePayload, error) {
	row, err := r.service.Catalog.ProductCreate(ctx, editProduct(attributes, true), attributes.PlatformCode.Value())
	p := &gen.ProductCreatePayload{}
	p.Product, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Products)
	return p, err
}

func (r mutation) ProductUpdate(ctx context.Context, id int64, attributes gen.ProductAttributes) (*gen.ProductUpdatePayload, error) {
	row, err := r.service.Catalog.ProductUpdate(ctx, billing.ProductID(id), editProduct(attributes, false), attributes.PlatformCode.Value())
	p := &gen.ProductUpdatePayload{}
	p.Product, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Products)
	return p, err
}

func (r mutation) ProductDelete(ctx context.Context, id int64) (*gen.ProductDeletePayload, error) {
	row, err := r.service.Catalog.ProductDelete(ctx, billing.ProductID(id))
	p := &gen.ProductDeletePayload{}
	p.Product, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Products)
	return p, err
}

func (r mutation) PlanCreate(ctx context.Context, attributes gen.PlanAttributes) (*gen.PlanCreatePayload, error) {
	row, err := r.service.Catalog.PlanCreate(ctx, edit(setPlan, attributes, true), ids[billing.FeatureID](attributes.FeatureIds.Value()))
	p := &gen.PlanCreatePayload{}
	p.Plan, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Plans)
	return p, err
}

func (r mutation) PlanUpdate(ctx context.Context, id int64, attributes gen.PlanAttributes) (*gen.PlanUpdatePayload, error) {
	row, err := r.service.Catalog.PlanUpdate(ctx, billing.PlanID(id), edit(setPlan, attributes, false), ids[billing.FeatureID](attributes.FeatureIds.Value()))
	p := &gen.PlanUpdatePayload{}
	p.Plan, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Plans)
	return p, err
}

func (r mutation) PlanDelete(ctx context.Context, id int64) (*gen.PlanDeletePayload, error) {
	row, err := r.service.Catalog.PlanDelete(ctx, billing.PlanID(id))
	p := &gen.PlanDeletePayload{}
	p.Plan, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Plans)
	return p, err
}
