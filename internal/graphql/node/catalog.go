package node

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
)

// WebhookSigningSecret is the secret that webhooks are signed with, nil if it
// is no longer known.
func (p *Platform) WebhookSigningSecret() (*string, error) {
	text, err := p.group.reader.Service.Delivery.SigningSecret(p.Platform)
	if text == "" {
		return nil, err
	}
	return &text, err
}

// Features are the product's, by position and then code.
func (p *Product) Features(ctx context.Context, filter *string) ([]*Feature, error) {
	features, err := many(ctx, p.group, "features", p.ID, filter, store.Features, "productId",
		func(row *catalog.Product) billing.ProductID { return row.ID }, (*Reader).Features, func(f *Feature) billing.ProductID { return f.ProductID })
	return slices.SortedFunc(slices.Values(features), inOrder), err
}

// inOrder compares features as they stand in their product: by position and
// then code.
func inOrder(a, b *Feature) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Code, b.Code))
}

// Plans are those that include the feature.
func (f *Feature) Plans(ctx context.Context) ([]*Plan, error) {
	r := f.group.reader
	of, err := together(f.group, "plans", func(rows []catalog.Feature) (map[billing.FeatureID][]*Plan, error) {
		included, err := store.PlanFeaturesWith(ctx, r.q(), keys(rows, always(func(f *catalog.Feature) billing.FeatureID { return f.ID })))
		if err != nil {
			return nil, err
		}
		plans, err := r.plansByID(ctx, keys(included, always(func(pf *catalog.PlanFeature) billing.PlanID { return pf.PlanID })))
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

// Features is what the plan includes, by position and then code.
func (p *Plan) Features(ctx context.Context) ([]*Feature, error) {
	included, err := p.PlanFeatures(ctx)
	if err != nil {
		return nil, err
	}
	features := make([]*Feature, 0, len(included))
	for _, pf := range included {
		f, err := pf.Feature(ctx)
		if err != nil {
			return nil, err
		}
		if f != nil { // else it was deleted a moment ago
			features = append(features, f)
		}
	}
	slices.SortFunc(features, inOrder)
	return features, nil
}
