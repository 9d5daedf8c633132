package service

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

var planFeatures = noun[billing.PlanFeature, billing.PlanFeatureID]{
	name: "planFeature", words: "plan feature", table: store.PlanFeatures,
	id: func(pf *billing.PlanFeature) billing.PlanFeatureID { return pf.ID },
	check: func(ctx context.Context, tx *store.Tx, _, pf *billing.PlanFeature) (billing.Problems, error) {
		// Locked, because the kind decides which values are allowed and may
		// be changing at the moment.
		f, err := store.Features.Lock(ctx, tx, pf.FeatureID)
		if err == nil && f == nil {
			err = billing.Missing("featureId", "feature", pf.FeatureID)
		}
		if err != nil {
			return nil, err
		}
		return pf.CheckFor(f.Kind), nil
	},
	taken: func(*billing.PlanFeature) *billing.Error {
		return billing.Fail(billing.Taken, "featureId", "The plan includes that feature already; change its value with planFeatureUpdate.")
	},
}

// PlanFeatureCreate puts a feature of the same product into a plan.
func (s *Service) PlanFeatureCreate(ctx context.Context, plan billing.PlanID, feature billing.FeatureID, edit func(*billing.PlanFeature) error) (*billing.PlanFeature, error) {
	return planFeatures.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*billing.PlanFeature, error) {
		p, err := find(ctx, tx, store.Plans, "planId", "plan", plan)
		if err != nil {
			return nil, err
		}
		f, err := find(ctx, tx, store.Features, "featureId", "feature", feature)
		if err != nil {
			return nil, err
		}
		if p.ProductID != f.ProductID {
			return nil, billing.Fail(billing.Invalid, "featureId", "The feature belongs to another product than the plan.")
		}
		pf := billing.PlanFeature{PlanID: plan, FeatureID: feature, Value: f.Kind.DefaultValue()}
		if err := planFeatures.edited(ctx, tx, nil, &pf, edit); err != nil {
			return nil, err
		}
		if err := store.PlanFeatures.Insert(ctx, tx, &pf); err != nil {
			return nil, planFeatures.explain(err, &pf)
		}
		return &pf, audit(ctx, tx, "planFeatureCreate", "planFeature", int64(pf.ID), billing.Changes(nil, &pf))
	})
}

// PlanFeatureUpdate changes the value a plan gives a feature.
func (s *Service) PlanFeatureUpdate(ctx context.Context, id billing.PlanFeatureID, edit func(*billing.PlanFeature) error) (*billing.PlanFeature, error) {
	return planFeatures.update(ctx, s, id, edit)
}

// PlanFeatureDelete takes a feature out of a plan.
func (s *Service) PlanFeatureDelete(ctx context.Context, id billing.PlanFeatureID) (*billing.PlanFeature, error) {
	return planFeatures.delete(ctx, s, id)
}
