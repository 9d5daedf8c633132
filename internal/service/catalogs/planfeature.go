package catalogs

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

var PlanFeatures = operation.Resource[catalog.PlanFeature, billing.PlanFeatureID]{
	Name: "planFeature", Words: "plan feature", Table: store.PlanFeatures, Catalog: true,
	Check: func(ctx context.Context, tx *store.Tx, before, pf *catalog.PlanFeature) (billing.Problems, error) {
		// Locked, because the kind decides which values are allowed and may
		// be changing at the moment.
		f, err := store.Features.Lock(ctx, tx, pf.FeatureID)
		if err == nil && f == nil {
			err = billing.Missing("featureId", "feature", pf.FeatureID)
		}
		if err != nil {
			return nil, err
		}
		problems := pf.CheckFor(f.Kind)
		if len(problems) > 0 {
			return problems, nil
		}
		return problems, checkKeepsNumber(ctx, tx, before, pf)
	},
	Release: func(ctx context.Context, tx *store.Tx, pf *catalog.PlanFeature) error {
		return tellPlan(ctx, tx, pf.PlanID, subscription.KindFeatureRemoved)
	},
	Taken: func(*catalog.PlanFeature) *billing.Error {
		return billing.Fail(billing.Taken, "featureId", "The plan includes that feature already; change its value with planFeatureUpdate.")
	},
}

// PlanFeatureCreate puts a feature of the same product into a plan.
func (s *Service) PlanFeatureCreate(ctx context.Context, plan billing.PlanID, feature billing.FeatureID, edit func(*catalog.PlanFeature) error) (*catalog.PlanFeature, error) {
	defer s.Wake()
	return PlanFeatures.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.PlanFeature, error) {
		product, err := lockProductOfPlan(ctx, tx, "planId", plan)
		if err != nil {
			return nil, err
		}
		f, err := operation.Find(ctx, tx, store.Features, "featureId", "feature", feature)
		if err != nil {
			return nil, err
		}
		if product.ID != f.ProductID {
			return nil, billing.Fail(billing.Invalid, "featureId", "The feature belongs to another product than the plan.")
		}
		pf := catalog.NewPlanFeature(plan, feature, f.Kind.DefaultValue())
		if err := PlanFeatures.Edited(ctx, tx, nil, &pf, edit); err != nil {
			return nil, err
		}
		if err := store.PlanFeatures.Insert(ctx, tx, &pf); err != nil {
			return nil, PlanFeatures.Explain(err, &pf)
		}
		if err := provisioning.StartFanOut(ctx, tx, product.ID, subscription.KindFeatureAdded); err != nil {
			return nil, err
		}
		return &pf, operation.Audit(ctx, tx, "planFeatureCreate", "planFeature", int64(pf.ID), billing.Changes(nil, &pf))
	})
}

// PlanFeatureUpdate changes the value a plan gives a feature.
func (s *Service) PlanFeatureUpdate(ctx context.Context, id billing.PlanFeatureID, edit func(*catalog.PlanFeature) error) (*catalog.PlanFeature, error) {
	defer s.Wake()
	var before catalog.PlanFeature
	remember := func(pf *catalog.PlanFeature) error {
		before = *pf
		return edit(pf)
	}
	return PlanFeatures.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.PlanFeature, error) {
		if err := lockProductOfPlanFeature(ctx, tx, id); err != nil {
			return nil, err
		}
		return PlanFeatures.UpdateIn(ctx, tx, id, remember, func(ctx context.Context, tx *store.Tx, pf *catalog.PlanFeature) error {
			if pf.GivesSame(&before) {
				return nil
			}
			return tellPlan(ctx, tx, pf.PlanID, subscription.KindFeatureChanged)
		})
	})
}

// checkKeepsNumber refuses to let a plan give a feature without a limit, which it
// did not before, while price lists that sell the feature by the number have
// subscriptions: those that did not order a number would have no limit. before
// is nil if the plan did not include the feature.
func checkKeepsNumber(ctx context.Context, tx *store.Tx, before, after *catalog.PlanFeature) error {
	if after.Value != "" || before != nil && before.Value == "" {
		return nil
	}
	list, err := store.SoldByNumber(ctx, tx.Queries, after.PlanID, after.FeatureID)
	if err != nil || list == "" {
		return err
	}
	return billing.Fail(billing.NotAllowed, "value", "The price list %q sells this feature by the number and has subscriptions, of which some may count on the number that the plan includes: give a number.", list)
}

func lockProductOfPlanFeature(ctx context.Context, tx *store.Tx, id billing.PlanFeatureID) error {
	pf, err := operation.Find(ctx, tx, store.PlanFeatures, "id", PlanFeatures.Words, id)
	if err != nil {
		return err
	}
	_, err = lockProductOfPlan(ctx, tx, "id", pf.PlanID)
	return err
}

// PlanFeatureDelete takes a feature out of a plan.
func (s *Service) PlanFeatureDelete(ctx context.Context, id billing.PlanFeatureID) (*catalog.PlanFeature, error) {
	defer s.Wake()
	return PlanFeatures.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.PlanFeature, error) {
		if err := lockProductOfPlanFeature(ctx, tx, id); err != nil {
			return nil, err
		}
		return PlanFeatures.DeleteIn(ctx, tx, id)
	})
}

// tellPlan lets the tenants know that what a plan includes has changed.
func tellPlan(ctx context.Context, tx *store.Tx, id billing.PlanID, reason string) error {
	plan, err := store.Plans.Get(ctx, tx.Queries, id)
	if err != nil || plan == nil {
		return err
	}
	return provisioning.StartFanOut(ctx, tx, plan.ProductID, reason)
}
