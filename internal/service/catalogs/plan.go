package catalogs

import (
	"context"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// Plans is what changing plans has in common.
var Plans = operation.Resource[catalog.Plan, billing.PlanID]{
	Name: "plan", Words: "plan", Table: store.Plans, Catalog: true,
	New: func(*store.Tx) catalog.Plan { return catalog.Plan{IsVisible: true} },
	Check: func(ctx context.Context, tx *store.Tx, before, p *catalog.Plan) (billing.Problems, error) {
		problems := p.Check()
		if before != nil {
			return append(problems, operation.Fixed("productId", "A plan stays with its product", before.ProductID, p.ProductID)...), nil
		}
		if p.ProductID == 0 {
			return append(problems, billing.Fail(billing.Required, "productId", "A plan belongs to a product: give productId.")), nil
		}
		// See FeatureCreate for why the product is locked.
		product, err := store.Products.Lock(ctx, tx, p.ProductID)
		if err == nil && product == nil {
			problems = append(problems, billing.Missing("productId", "product", p.ProductID))
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, p *catalog.Plan) error {
		n, err := store.PriceListsOnPlan(ctx, q, p.ID)
		if err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The plan is priced by %s, which must be deleted first.", operation.Count(n, "price list", "price lists"))
		}
		return err
	},
	Release: func(ctx context.Context, tx *store.Tx, p *catalog.Plan) error {
		err := PlanFeatures.AuditDeletedParts(ctx, tx, "plan", int64(p.ID), func(pf *catalog.PlanFeature) bool { return pf.PlanID == p.ID })
		if err == nil {
			_, err = store.DeletePlanFeaturesOf(ctx, tx, p.ID)
		}
		return err
	},
	Taken: func(p *catalog.Plan) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another plan of the product has the code %q.", *p.Code)
	},
}

// PlanCreate adds a plan with the features named, or with all of its product
// if featureIDs is nil.
func (s *Service) PlanCreate(ctx context.Context, edit func(*catalog.Plan) error, featureIDs []billing.FeatureID) (*catalog.Plan, error) {
	return Plans.Create(ctx, s.Runner, edit, func(ctx context.Context, tx *store.Tx, p *catalog.Plan) error {
		all, err := productFeatures(ctx, tx, p.ProductID)
		if err != nil {
			return err
		}
		if featureIDs != nil {
			_, err := setFeatures(ctx, tx, p.ID, all, featureIDs)
			return err
		}
		for _, f := range all {
			if err := include(ctx, tx, p.ID, &f, f.Kind.DefaultValue()); err != nil {
				return err
			}
		}
		return nil
	})
}

// PlanCreateWith adds a plan that gives features those values, and no others.
// Its problems with a value are about the field "feature:ID".
func (s *Service) PlanCreateWith(ctx context.Context, edit func(*catalog.Plan) error, values map[billing.FeatureID]string) (*catalog.Plan, error) {
	return Plans.Create(ctx, s.Runner, edit, func(ctx context.Context, tx *store.Tx, p *catalog.Plan) error {
		all, err := productFeatures(ctx, tx, p.ProductID)
		if err != nil {
			return err
		}
		var problems billing.Problems
		for _, f := range all {
			value, included := values[f.ID]
			if !included {
				continue
			}
			err := include(ctx, tx, p.ID, &f, value)
			found, known := billing.AsProblems(err)
			if err != nil && !known {
				return err
			}
			for _, e := range found {
				e.Field = []string{"feature:" + strconv.FormatInt(int64(f.ID), 10)}
			}
			problems = append(problems, found...)
		}
		return problems.Err()
	})
}

// PlanUpdate changes a plan; if featureIDs is not nil, the plan has exactly
// these features afterwards, with the values they had.
func (s *Service) PlanUpdate(ctx context.Context, id billing.PlanID, edit func(*catalog.Plan) error, featureIDs []billing.FeatureID) (*catalog.Plan, error) {
	defer s.Wake()
	include := func(ctx context.Context, tx *store.Tx, p *catalog.Plan) error {
		if featureIDs == nil {
			return nil
		}
		all, err := productFeatures(ctx, tx, p.ProductID)
		if err != nil {
			return err
		}
		changed, err := setFeatures(ctx, tx, p.ID, all, featureIDs)
		if err != nil || !changed {
			return err
		}
		return provisioning.StartFanOut(ctx, tx, p.ProductID, subscription.KindFeatureChanged)
	}
	return Plans.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Plan, error) {
		if featureIDs != nil {
			if _, err := lockProductOfPlan(ctx, tx, "id", id); err != nil {
				return nil, err
			}
		}
		return Plans.UpdateIn(ctx, tx, id, edit, include)
	})
}

func lockProductOfPlan(ctx context.Context, tx *store.Tx, field string, id billing.PlanID) (*catalog.Product, error) {
	p, err := operation.Find(ctx, tx, store.Plans, field, Plans.Words, id)
	if err != nil {
		return nil, err
	}
	return provisioning.LockProduct(ctx, tx, field, p.ProductID)
}

// PlanDelete removes a plan that no price list prices.
func (s *Service) PlanDelete(ctx context.Context, id billing.PlanID) (*catalog.Plan, error) {
	return Plans.Delete(ctx, s.Runner, id)
}

func productFeatures(ctx context.Context, tx *store.Tx, id billing.ProductID) ([]catalog.Feature, error) {
	return store.FeaturesOf(ctx, tx.Queries, []billing.ProductID{id}, billing.Filter{})
}

// setFeatures makes a plan include exactly the features named and reports
// whether that changed anything.
func setFeatures(ctx context.Context, tx *store.Tx, plan billing.PlanID, all []catalog.Feature, ids []billing.FeatureID) (changed bool, err error) {
	included, err := store.PlanFeaturesOf(ctx, tx.Queries, []billing.PlanID{plan})
	if err != nil {
		return false, err
	}
	missing := map[billing.FeatureID]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	for _, pf := range included {
		if missing[pf.FeatureID] {
			delete(missing, pf.FeatureID)
			continue
		}
		changed = true
		if err := store.PlanFeatures.Delete(ctx, tx, &pf); err != nil {
			return false, err
		}
		if err := operation.Audit(ctx, tx, "planFeatureDelete", "planFeature", int64(pf.ID), billing.Changes(&pf, nil)); err != nil {
			return false, err
		}
	}
	for _, f := range all {
		if missing[f.ID] {
			delete(missing, f.ID)
			changed = true
			if err := include(ctx, tx, plan, &f, f.Kind.DefaultValue()); err != nil {
				return false, err
			}
		}
	}
	for _, id := range ids {
		if missing[id] {
			return false, billing.Fail(billing.NotFound, "featureIds", "The product has no feature with id %d.", id)
		}
	}
	return changed, nil
}
