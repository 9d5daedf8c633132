package catalogs

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// PlanMatrixUpdate changes what the plans of a product include, all or nothing,
// and tells the tenants once. check sees what they include now, in the
// transaction that changes it. Its problems are about the fields
// "PLAN.FEATURE", by ids.
func (s *Service) PlanMatrixUpdate(ctx context.Context, product billing.ProductID, check func([]catalog.PlanFeature) error, cells []catalog.MatrixCell) error {
	defer s.Wake()
	_, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Product, error) {
		p, err := provisioning.LockProduct(ctx, tx, "productId", product)
		if err != nil {
			return nil, err
		}
		m, err := loadMatrix(ctx, tx, product)
		if err != nil {
			return nil, err
		}
		if err := check(m.included); err != nil {
			return nil, err
		}
		var problems billing.Problems
		for _, c := range cells {
			if err := m.set(ctx, tx, c); err != nil {
				found, known := billing.AsProblems(err)
				if !known {
					return nil, err
				}
				problems = append(problems, found...)
			}
		}
		if len(problems) > 0 || !m.changed {
			return p, problems.Err()
		}
		return p, provisioning.StartFanOut(ctx, tx, product, subscription.KindFeatureChanged)
	})
	return err
}

// matrix is what the plans of a product include, in a transaction that changes
// it.
type matrix struct {
	plans    map[billing.PlanID]bool
	features map[billing.FeatureID]*catalog.Feature
	included []catalog.PlanFeature
	changed  bool
}

func loadMatrix(ctx context.Context, tx *store.Tx, product billing.ProductID) (*matrix, error) {
	plans, err := store.PlansOf(ctx, tx.Queries, []billing.ProductID{product}, billing.Filter{})
	if err != nil {
		return nil, err
	}
	features, err := productFeatures(ctx, tx, product)
	if err != nil {
		return nil, err
	}
	m := &matrix{plans: map[billing.PlanID]bool{}, features: map[billing.FeatureID]*catalog.Feature{}}
	ids := make([]billing.PlanID, len(plans))
	for i, p := range plans {
		m.plans[p.ID], ids[i] = true, p.ID
	}
	for i := range features {
		m.features[features[i].ID] = &features[i]
	}
	m.included, err = store.PlanFeaturesOf(ctx, tx.Queries, ids)
	return m, err
}

// set makes one cell what it is to be.
func (m *matrix) set(ctx context.Context, tx *store.Tx, c catalog.MatrixCell) error {
	field := []string{strconv.FormatInt(int64(c.PlanID), 10), strconv.FormatInt(int64(c.FeatureID), 10)}
	f := m.features[c.FeatureID]
	if f == nil || !m.plans[c.PlanID] {
		return &billing.Error{Code: billing.NotFound, Field: field, Message: "The product no longer has this plan or feature."}
	}
	at := slices.IndexFunc(m.included, func(pf catalog.PlanFeature) bool { return pf.PlanID == c.PlanID && pf.FeatureID == c.FeatureID })
	switch {
	case at < 0 && !c.Included, at >= 0 && c.Included && m.included[at].Value == c.Value:
		return nil
	case !c.Included:
		m.changed = true
		pf := m.included[at]
		if err := store.PlanFeatures.Delete(ctx, tx, &pf); err != nil {
			return err
		}
		return operation.Audit(ctx, tx, "planFeatureDelete", "planFeature", int64(pf.ID), billing.Changes(&pf, nil))
	}
	pf := catalog.NewPlanFeature(c.PlanID, c.FeatureID, "")
	if at >= 0 {
		pf = m.included[at]
	}
	before := pf
	pf.Value = c.Value
	if problems := pf.CheckFor(f.Kind); len(problems) > 0 {
		problems[0].Field = field
		return problems[:1]
	}
	was := &before
	if at < 0 {
		was = nil
	}
	if err := checkKeepsNumber(ctx, tx, was, &pf); err != nil {
		return operation.RenameField(err, "value", strings.Join(field, "."))
	}
	m.changed = true
	if at >= 0 {
		if err := store.PlanFeatures.Update(ctx, tx, &pf); err != nil {
			return err
		}
		return operation.Audit(ctx, tx, "planFeatureUpdate", "planFeature", int64(pf.ID), billing.Changes(&before, &pf))
	}
	if err := store.PlanFeatures.Insert(ctx, tx, &pf); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "planFeatureCreate", "planFeature", int64(pf.ID), billing.Changes(nil, &pf))
}
