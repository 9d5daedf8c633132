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

// Features is what changing features has in common.
var Features = operation.Resource[catalog.Feature, billing.FeatureID]{
	Name: "feature", Words: "feature", Table: store.Features, Catalog: true,
	New: func(*store.Tx) catalog.Feature {
		return catalog.Feature{Kind: catalog.Boolean, IsProvisioned: true, Position: 1}
	},
	Check: func(_ context.Context, _ *store.Tx, _, f *catalog.Feature) (billing.Problems, error) {
		return f.Check(), nil
	},
	InUse: func(ctx context.Context, q store.Queries, f *catalog.Feature) error {
		n, err := store.ChargesFor(ctx, q, f.ID)
		if err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The feature is priced by %s, which must be deleted first.", operation.Count(n, "charge", "charges"))
		}
		return err
	},
	Release: func(ctx context.Context, tx *store.Tx, f *catalog.Feature) error {
		err := PlanFeatures.AuditDeletedParts(ctx, tx, "feature", int64(f.ID), func(pf *catalog.PlanFeature) bool { return pf.FeatureID == f.ID })
		if err == nil {
			_, err = store.DeletePlanFeaturesWith(ctx, tx, f.ID)
		}
		if err != nil {
			return err
		}
		return provisioning.StartFanOut(ctx, tx, f.ProductID, subscription.KindFeatureRemoved)
	},
	Taken: func(f *catalog.Feature) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another feature of the product has the code %q.", f.Code)
	},
}

// FeatureCreate adds a feature to a product, as its last one. It joins the
// plans in planIDs, or every plan of the product if that is nil.
func (s *Service) FeatureCreate(ctx context.Context, product billing.ProductID, planIDs []billing.PlanID, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
	return s.featureCreate(ctx, product, planIDs, nil, edit)
}

// FeatureCreateWith is FeatureCreate for those plans alone, with the value that
// they give it. Its problems with the value are about the field "value".
func (s *Service) FeatureCreateWith(ctx context.Context, product billing.ProductID, planIDs []billing.PlanID, value string, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
	return s.featureCreate(ctx, product, append([]billing.PlanID{}, planIDs...), &value, edit)
}

func (s *Service) featureCreate(ctx context.Context, product billing.ProductID, planIDs []billing.PlanID, value *string, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
	defer s.Wake()
	return Features.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Feature, error) {
		// With the product locked, a plan and a feature that are made at the
		// same moment do not miss each other.
		if _, err := provisioning.LockProduct(ctx, tx, "productId", product); err != nil {
			return nil, err
		}
		last, err := store.LastFeaturePosition(ctx, tx.Queries, product)
		if err != nil {
			return nil, err
		}
		f := Features.New(tx)
		f.ProductID, f.Position = product, min(last+1, billing.MaxQuantity)
		if err := Features.Edited(ctx, tx, nil, &f, edit); err != nil {
			return nil, err
		}
		if err := store.Features.Insert(ctx, tx, &f); err != nil {
			return nil, Features.Explain(err, &f)
		}
		joined := f.Kind.DefaultValue()
		if value != nil {
			joined = *value
		}
		if err := joinPlans(ctx, tx, &f, planIDs, joined); err != nil {
			return nil, err
		}
		if err := provisioning.StartFanOut(ctx, tx, product, subscription.KindFeatureAdded); err != nil {
			return nil, err
		}
		return &f, operation.Audit(ctx, tx, "featureCreate", "feature", int64(f.ID), billing.Changes(nil, &f))
	})
}

// joinPlans puts a new feature into the plans named, or into all.
func joinPlans(ctx context.Context, tx *store.Tx, f *catalog.Feature, planIDs []billing.PlanID, value string) error {
	all, err := store.PlansOf(ctx, tx.Queries, []billing.ProductID{f.ProductID}, billing.Filter{})
	if err != nil {
		return err
	}
	known := map[billing.PlanID]bool{}
	for _, plan := range all {
		known[plan.ID] = true
		if planIDs == nil {
			if err := include(ctx, tx, plan.ID, f, value); err != nil {
				return err
			}
		}
	}
	for _, id := range operation.Unique(planIDs) {
		if !known[id] {
			return billing.Fail(billing.NotFound, "planIds", "The product has no plan with id %d.", id)
		}
		if err := include(ctx, tx, id, f, value); err != nil {
			return err
		}
	}
	return nil
}

func include(ctx context.Context, tx *store.Tx, plan billing.PlanID, f *catalog.Feature, value string) error {
	pf := catalog.NewPlanFeature(plan, f.ID, value)
	if problems := pf.CheckFor(f.Kind); len(problems) > 0 {
		return problems
	}
	if err := checkKeepsNumber(ctx, tx, nil, &pf); err != nil {
		return err
	}
	if err := store.PlanFeatures.Insert(ctx, tx, &pf); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "planFeatureCreate", "planFeature", int64(pf.ID), billing.Changes(nil, &pf))
}

// FeatureUpdate changes a feature. When its kind changes, plans whose value
// means nothing for the new kind get that kind's default.
func (s *Service) FeatureUpdate(ctx context.Context, id billing.FeatureID, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
	defer s.Wake()
	var before catalog.Feature
	remember := func(f *catalog.Feature) error {
		before = *f
		return edit(f)
	}
	tell := func(ctx context.Context, tx *store.Tx, f *catalog.Feature) error {
		if len(billing.Changes(&before, f)) == 0 {
			return nil
		}
		if err := provisioning.StartFanOut(ctx, tx, f.ProductID, subscription.KindFeatureChanged); err != nil {
			return err
		}
		return resetValues(ctx, tx, f)
	}
	return Features.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Feature, error) {
		if err := lockProductOfFeature(ctx, tx, id); err != nil {
			return nil, err
		}
		return Features.UpdateIn(ctx, tx, id, remember, tell)
	})
}

// resetValues gives plans whose value means nothing for the kind that a feature
// has now that kind's default.
func resetValues(ctx context.Context, tx *store.Tx, f *catalog.Feature) error {
	included, err := store.PlanFeaturesWith(ctx, tx.Queries, []billing.FeatureID{f.ID})
	if err != nil {
		return err
	}
	for _, pf := range included {
		if f.Kind.Allows(pf.Value) {
			continue
		}
		before := pf
		pf.Value = f.Kind.DefaultValue()
		if err := checkKeepsNumber(ctx, tx, &before, &pf); err != nil {
			return err
		}
		if err := store.PlanFeatures.Update(ctx, tx, &pf); err != nil {
			return err
		}
		if err := operation.Audit(ctx, tx, "planFeatureUpdate", "planFeature", int64(pf.ID), billing.Changes(&before, &pf)); err != nil {
			return err
		}
	}
	return nil
}

func lockProductOfFeature(ctx context.Context, tx *store.Tx, id billing.FeatureID) error {
	f, err := operation.Find(ctx, tx, store.Features, "id", Features.Words, id)
	if err != nil {
		return err
	}
	_, err = provisioning.LockProduct(ctx, tx, "id", f.ProductID)
	return err
}

// FeatureDelete removes a feature from its product and from every plan, unless
// a charge prices it.
func (s *Service) FeatureDelete(ctx context.Context, id billing.FeatureID) (*catalog.Feature, error) {
	defer s.Wake()
	return Features.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Feature, error) {
		if err := lockProductOfFeature(ctx, tx, id); err != nil {
			return nil, err
		}
		return Features.DeleteIn(ctx, tx, id)
	})
}
