package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

func (r mutation) FeatureCreate(ctx context.Context, productID int64, attributes gen.FeatureAttributes, planIds []int64) (*node.FeatureCreatePayload, error) {
	return r.featureCreatePayload(r.service.Catalog.FeatureCreate(ctx, billing.ProductID(productID), ids[billing.PlanID](planIds), edit(setFeature, attributes, true)))
}

func (r mutation) PlanFeatureCreate(ctx context.Context, planID int64, featureID int64, attributes *gen.PlanFeatureAttributes) (*gen.PlanFeatureCreatePayload, error) {
	if attributes == nil {
		attributes = &gen.PlanFeatureAttributes{}
	}
	return r.planFeatureCreatePayload(r.service.Catalog.PlanFeatureCreate(ctx, billing.PlanID(planID), billing.FeatureID(featureID), edit(setPlanFeature, *attributes, true)))
}
