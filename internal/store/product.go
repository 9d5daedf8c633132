package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Products keeps catalog.Product.
var Products = newTable(Table[catalog.Product, billing.ProductID]{
	name:      "product",
	id:        func(p *catalog.Product) *billing.ProductID { return &p.ID },
	described: catalog.ProductFields,
	stamps:    func(p *catalog.Product) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:     func(p *catalog.Product) []string { return []string{p.Name, p.Code} },
	filters: map[string]field{
		"platform": {"platform_id", refer, []string{"platform"}},
	},
})

// ProductsOnPlatform counts them.
func ProductsOnPlatform(ctx context.Context, q Queries, id billing.PlatformID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM product WHERE platform_id = $1`, int64(id))
}
