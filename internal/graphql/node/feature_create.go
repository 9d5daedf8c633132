package node

import "context"

// FeatureCreatePayload is the outcome of creating a feature. Whom that reaches is
// found out only if somebody asks.
type FeatureCreatePayload struct {
	Feature    *Feature
	Errors     []string
	UserErrors []*UserError
}

// JoinedPlans are the plans that include the new feature.
func (p *FeatureCreatePayload) JoinedPlans(ctx context.Context) ([]*Plan, error) {
	if p.Feature == nil {
		return nil, nil
	}
	plans, err := p.Feature.Plans(ctx)
	return append([]*Plan{}, plans...), err // none is an answer, too
}

// TenantsToTell is how many tenants are told of the feature.
func (p *FeatureCreatePayload) TenantsToTell(ctx context.Context) (*int, error) {
	if p.Feature == nil {
		return nil, nil
	}
	product, err := p.Feature.Product(ctx)
	if err != nil || product == nil {
		return nil, err
	}
	n, err := p.Feature.group.reader.Service.Provisioning.TenantsToTell(ctx, product.Product)
	return &n, err
}
