package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store/column"
)

// BillingEvents keeps document.Event, the feed that other systems follow.
var BillingEvents = newTable(Table[document.Event, billing.BillingEventID]{
	name:    "billing_event",
	id:      func(e *document.Event) *billing.BillingEventID { return &e.ID },
	columns: []string{"account_id", "sequence", "kind", "document_id", "data", "at"},
	fields: func(e *document.Event) []any {
		return []any{&e.AccountID, &e.Sequence, &e.Kind, &e.DocumentID, column.JSON(&e.Data), column.Millis(&e.At)}
	},
	filters: map[string]field{"account": {"account_id", refer, []string{"account"}}, "kind": {"kind", exact, nil}},
})

// AppendEvents adds events to the feed. Until the transaction ends, nobody else
// can: ids are in the order of commits, so that whoever reads the feed up to an
// event has not passed one over.
func AppendEvents(ctx context.Context, tx *Tx, events []*document.Event) error {
	if len(events) == 0 {
		return nil
	}
	if _, err := next(ctx, tx, "billing_feed"); err != nil {
		return err
	}
	return BillingEvents.InsertAll(ctx, tx, events)
}
