package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Plans keeps catalog.Plan.
var Plans = newTable(Table[catalog.Plan, billing.PlanID]{
	name:      "plan",
	id:        func(p *catalog.Plan) *billing.PlanID { return &p.ID },
	described: catalog.PlanFields,
	order:     &order{by: []string{"plan.product_id"}},
	stamps:    func(p *catalog.Plan) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:     func(p *catalog.Plan) []string { return []string{p.Name, deref(p.Code)} },
	filters: map[string]field{
		"product": {"product_id", refer, []string{"product"}}, "addon": {"addon", boolean, nil}, "isVisible": {"is_visible", boolean, nil},
	},
})

// PlanByCode returns the product's plan with that code, or nil.
func PlanByCode(ctx context.Context, q Queries, product billing.ProductID, code string) (*catalog.Plan, error) {
	return Plans.byPair(ctx, q, "product_id", int64(product), "code", code)
}

// PlansOf returns the plans of those products that match the filter.
func PlansOf(ctx context.Context, q Queries, products []billing.ProductID, filter billing.Filter) ([]catalog.Plan, error) {
	return Plans.children(ctx, q, "product_id", db.JSONList(products), filter, MaxNested)
}

// PlansInProduct counts them.
func PlansInProduct(ctx context.Context, q Queries, id billing.ProductID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM plan WHERE product_id = $1`, int64(id))
}

// PlanFeatures keeps catalog.PlanFeature.
var PlanFeatures = newTable(Table[catalog.PlanFeature, billing.PlanFeatureID]{
	name:      "plan_feature",
	id:        func(pf *catalog.PlanFeature) *billing.PlanFeatureID { return &pf.ID },
	described: catalog.PlanFeatureFields,
	stamps:    func(pf *catalog.PlanFeature) (*time.Time, *time.Time) { return &pf.CreatedAt, &pf.UpdatedAt },
	words:     func(pf *catalog.PlanFeature) []string { return []string{pf.Value} },
	filters: map[string]field{
		"plan": {"plan_id", refer, []string{"plan"}}, "feature": {"feature_id", refer, []string{"feature"}},
		"value": {"value", exact, nil},
	},
})

// PlanFeaturesOf returns what those plans include.
func PlanFeaturesOf(ctx context.Context, q Queries, plans []billing.PlanID) ([]catalog.PlanFeature, error) {
	return PlanFeatures.children(ctx, q, "plan_id", db.JSONList(plans), billing.Filter{}, MaxNested)
}

// PlanFeaturesWith returns where those features are included.
func PlanFeaturesWith(ctx context.Context, q Queries, features []billing.FeatureID) ([]catalog.PlanFeature, error) {
	return PlanFeatures.children(ctx, q, "feature_id", db.JSONList(features), billing.Filter{}, MaxNested)
}

// DeletePlanFeaturesOf removes all that a plan includes.
func DeletePlanFeaturesOf(ctx context.Context, tx *Tx, id billing.PlanID) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM plan_feature WHERE plan_id = $1`, int64(id))
}

// DeletePlanFeaturesWith takes a feature out of every plan.
func DeletePlanFeaturesWith(ctx context.Context, tx *Tx, id billing.FeatureID) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM plan_feature WHERE feature_id = $1`, int64(id))
}
