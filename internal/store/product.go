package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Products keeps billing.Product.
var Products = newTable(Table[billing.Product, billing.ProductID]{
	name:    "product",
	columns: []string{"id", "code", "name", "description", "platform_id", "created_at", "updated_at"},
	fields: func(p *billing.Product) []any {
		return []any{&p.ID, &p.Code, &p.Name, &p.Description, &p.PlatformID, millis(&p.CreatedAt), millis(&p.UpdatedAt)}
	},
	stamps: func(p *billing.Product) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:  func(p *billing.Product) []string { return []string{p.Name, p.Code} },
	filters: map[string]field{
		"id": {"id", number, nil}, "name": {"name", name, nil}, "code": {"code", exact, nil},
		"platform": {"platform_id", refer, []string{"platform"}},
		"created":  {"created_at", moment, nil}, "updated": {"updated_at", moment, nil},
	},
})

// ProductByCode returns the product with that code, or nil.
func ProductByCode(ctx context.Context, q Queries, code string) (*billing.Product, error) {
	return Products.by(ctx, q, "code", code)
}

// ProductsOf returns the products of those platforms.
func ProductsOf(ctx context.Context, q Queries, platforms []billing.PlatformID) ([]billing.Product, error) {
	return Products.children(ctx, q, "platform_id", jsonList(platforms), billing.Filter{}, MaxNested)
}

// ProductsOnPlatform counts them.
func ProductsOnPlatform(ctx context.Context, q Queries, id billing.PlatformID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM product WHERE platform_id = $1`, int64(id))
}
