package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Entities keeps billing.Entity.
var Entities = newTable(Table[billing.Entity, billing.EntityID]{
	name:      "entity",
	id:        func(e *billing.Entity) *billing.EntityID { return &e.ID },
	described: billing.EntityFields,
	stamps:    func(e *billing.Entity) (*time.Time, *time.Time) { return &e.CreatedAt, &e.UpdatedAt },
	words:     func(e *billing.Entity) []string { return []string{e.Name, e.Code, deref(e.LegalName)} },
	filters:   map[string]field{"country": {"country", exact, nil}},
})

// AllEntities returns all entities. The first is that of accounts that name none.
func AllEntities(ctx context.Context, q Queries) ([]billing.Entity, error) {
	return Entities.all(ctx, q)
}
