package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

func (r mutation) FeatureCreate(ctx context.Context, productID int64, attributes gen.FeatureAttributes, planIds []int64) (*node.FeatureCreatePayload, error) {
	row, err := r.service.Catalog.FeatureCreate(ctx, billing.ProductID(productID), ids[billing.PlanID](planIds), edit(setFeature, attributes, true))
	p := &node.FeatureCreatePayload{}
	p.Feature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Features)
	return p, err
}

func (r mutation) FeatureUpdate(ctx context.Context, id int64, attributes gen.FeatureAttributes) (*gen.FeatureUpdatePayload, error) {
	row, err := r.service.Catalog.FeatureUpdate(ctx, billing.FeatureID(id), edit(setFeature, attributes, false))
	p := &gen.FeatureUpdatePayload{}
	p.Feature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Features)
	return p, err
}

func (r mutation) FeatureDelete(ctx context.Context, id int64) (*gen.FeatureDeletePayload, error) {
	row, err := r.service.Catalog.FeatureDelete(ctx, billing.FeatureID(id))
	p := &gen.FeatureDeletePayload{}
	p.Feature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Features)
	return p, err
}

func (r mutation) PlanFeatureCreate(ctx context.Context, planID int64, featureID int64, attributes *gen.PlanFeatureAttributes) (*gen.PlanFeatureCreatePayload, error) {
	if attributes == nil {
		attributes = &gen.PlanFeatureAttributes{}
	}
	row, err := r.service.Catalog.PlanFeatureCreate(ctx, billing.PlanID(planID), billing.FeatureID(featureID), edit(setPlanFeature, *attributes, true))
	p := &gen.PlanFeatureCreatePayload{}
	p.PlanFeature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PlanFeatures)
	return p, err
}

func (r mutation) PlanFeatureUpdate(ctx context.Context, id int64, attributes gen.PlanFeatureAttributes) (*gen.PlanFeatureUpdatePayload, error) {
	row, err := r.service.Catalog.PlanFeatureUpdate(ctx, billing.PlanFeatureID(id), edit(setPlanFeature, attributes, false))
	p := &gen.PlanFeatureUpdatePayload{}
	p.PlanFeature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PlanFeatures)
	return p, err
}

func (r mutation) PlanFeatureDelete(ctx context.Context, id int64) (*gen.PlanFeatureDeletePayload, error) {
	row, err := r.service.Catalog.PlanFeatureDelete(ctx, billing.PlanFeatureID(id))
	p := &gen.PlanFeatureDeletePayload{}
	p.PlanFeature, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PlanFeatures)
	return p, err
}
