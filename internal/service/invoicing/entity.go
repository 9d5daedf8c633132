package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Entities is what changing entities has in common. They are changed one after the
// other, as the catalog is, because each is checked against all others.
var Entities = operation.Resource[billing.Entity, billing.EntityID]{
	Name: "entity", Words: "entity", Table: store.Entities, Catalog: true,
	New: func(*store.Tx) billing.Entity { return billing.NewEntity() },
	Check: func(ctx context.Context, tx *store.Tx, before, e *billing.Entity) (billing.Problems, error) {
		others, err := store.AllEntities(ctx, tx.Queries)
		if err != nil {
			return nil, err
		}
		problems := append(e.Check(), document.CheckFormats(e, others)...)
		if before == nil || before.InvoicingStartsOn == nil || sameDay(before.InvoicingStartsOn, e.InvoicingStartsOn) {
			return problems, nil
		}
		issued, err := store.HasDocuments(ctx, tx.Queries, e.ID)
		if issued {
			problems.Add(billing.Fail(billing.NotAllowed, "invoicingStartsOn", "The first day that is billed stays %s: documents have been issued.", *before.InvoicingStartsOn))
		}
		return problems, err
	},
	InUse: func(context.Context, store.Queries, *billing.Entity) error {
		return billing.Fail(billing.InUse, "id", "An entity is kept for the record of what it issues.")
	},
	Taken: func(e *billing.Entity) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another entity has the code %q.", e.Code)
	},
}

func sameDay(a, b *billing.Date) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
