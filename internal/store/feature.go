package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Features keeps catalog.Feature.
var Features = newTable(Table[catalog.Feature, billing.FeatureID]{
	name:      "feature",
	id:        func(f *catalog.Feature) *billing.FeatureID { return &f.ID },
	described: catalog.FeatureFields,
	order:     &order{by: []string{"feature.product_id", "feature.position"}},
	stamps:    func(f *catalog.Feature) (*time.Time, *time.Time) { return &f.CreatedAt, &f.UpdatedAt },
	words:     func(f *catalog.Feature) []string { return []string{f.Name, f.Code} },
	filters: map[string]field{
		"product": {"product_id", refer, []string{"product"}}, "kind": {"kind", enum, []string{"BOOLEAN", "QUANTITY", "VALUE"}},
		"isProvisioned": {"is_provisioned", boolean, nil},
	},
})

// FeatureByCode returns the product's feature with that code, or nil.
func FeatureByCode(ctx context.Context, q Queries, product billing.ProductID, code string) (*catalog.Feature, error) {
	return Features.byPair(ctx, q, "product_id", int64(product), "code", code)
}

// FeaturesOf returns the features of those products that match the filter.
func FeaturesOf(ctx context.Context, q Queries, products []billing.ProductID, filter billing.Filter) ([]catalog.Feature, error) {
	return Features.children(ctx, q, "product_id", db.JSONList(products), filter, MaxNested)
}

// FeaturesInProduct counts them.
func FeaturesInProduct(ctx context.Context, q Queries, id billing.ProductID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM feature WHERE product_id = $1`, int64(id))
}

// LastFeaturePosition returns the highest position of the product's features,
// 0 if it has none.
func LastFeaturePosition(ctx context.Context, q Queries, id billing.ProductID) (int, error) {
	return q.Number(ctx, `SELECT COALESCE(max(position), 0) FROM feature WHERE product_id = $1`, int64(id))
}
