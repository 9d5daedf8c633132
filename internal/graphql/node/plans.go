package node

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Plan is a set of features, in the API.
type Plan struct {
	*billing.Plan
	group *group[billing.Plan]
}

// Plans makes nodes of plans that were loaded together.
func (r *Reader) Plans(rows []billing.Plan) []*Plan {
	return wrap(r, rows, func(p *billing.Plan, g *group[billing.Plan]) Plan { return Plan{p, g} })
}

func (r *Reader) plansByID(ctx context.Context, ids []billing.PlanID) (map[billing.PlanID]*Plan, error) {
	found, err := store.Plans.ByIDs(ctx, r.q(), ids)
	return index(r.Plans(found), func(p *Plan) billing.PlanID { return p.ID }), err
}

func planID(p *billing.Plan) billing.PlanID { return p.ID }

// Product is the one that owns the plan.
func (p *Plan) Product(ctx context.Context) (*Product, error) {
	byID, err := together(p.group, "product", func(rows []billing.Plan) (map[billing.ProductID]*Product, error) {
		return p.group.reader.productsByID(ctx, keys(rows, always(func(p *billing.Plan) billing.ProductID { return p.ProductID })))
	})
	return byID[p.ProductID], err
}

// PlanFeatures is what the plan includes, with values.
func (p *Plan) PlanFeatures(ctx context.Context) ([]*PlanFeature, error) {
	r := p.group.reader
	of, err := together(p.group, "planFeatures", func(rows []billing.Plan) (map[billing.PlanID][]*PlanFeature, error) {
		found, err := store.PlanFeaturesOf(ctx, r.q(), keys(rows, always(planID)))
		return collect(r.PlanFeatures(found), func(pf *PlanFeature) billing.PlanID { return pf.PlanID }), err
	})
	return of[p.ID], err
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
	slices.SortFunc(features, func(a, b *Feature) int { return inOrder(a.Feature, b.Feature) })
	return features, nil
}

// PriceLists are those that price the plan.
func (p *Plan) PriceLists(ctx context.Context, filter *string) ([]*PriceList, error) {
	r := p.group.reader
	of, err := together(p.group, "priceLists "+text(filter), func(rows []billing.Plan) (map[billing.PlanID][]*PriceList, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		found, err := store.PriceListsOf(ctx, r.q(), keys(rows, always(planID)), parsed)
		return collect(r.PriceLists(found), func(l *PriceList) billing.PlanID { return l.PlanID }), err
	})
	return of[p.ID], err
}

// PlanFeature says that a plan includes a feature, in the API.
type PlanFeature struct {
	*billing.PlanFeature
	group *group[billing.PlanFeature]
}

// PlanFeatures makes nodes of plan features that were loaded together.
func (r *Reader) PlanFeatures(rows []billing.PlanFeature) []*PlanFeature {
	return wrap(r, rows, func(pf *billing.PlanFeature, g *group[billing.PlanFeature]) PlanFeature { return PlanFeature{pf, g} })
}

// Plan is the one that includes the feature.
func (pf *PlanFeature) Plan(ctx context.Context) (*Plan, error) {
	byID, err := together(pf.group, "plan", func(rows []billing.PlanFeature) (map[billing.PlanID]*Plan, error) {
		return pf.group.reader.plansByID(ctx, keys(rows, always(func(pf *billing.PlanFeature) billing.PlanID { return pf.PlanID })))
	})
	return byID[pf.PlanID], err
}

// Feature is the one that is included.
func (pf *PlanFeature) Feature(ctx context.Context) (*Feature, error) {
	byID, err := together(pf.group, "feature", func(rows []billing.PlanFeature) (map[billing.FeatureID]*Feature, error) {
		return pf.group.reader.featuresByID(ctx, keys(rows, always(func(pf *billing.PlanFeature) billing.FeatureID { return pf.FeatureID })))
	})
	return byID[pf.FeatureID], err
}
