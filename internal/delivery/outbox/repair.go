package outbox

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Repair is an event that is sent to repair a tenant of a platform.
type Repair struct {
	EventID    billing.EventID
	PlatformID billing.PlatformID
	For        *drift.SentRepair
}

var keepRepairs = db.Batch{
	Columns:   []db.Column{{"event_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"repair", "TEXT"}},
	Statement: `INSERT INTO repair_event (event_id, platform_id, repair) SELECT new.event_id, new.platform_id, new.repair FROM new`,
}

// KeepRepairs keeps what events were sent for that repair tenants, as long as there are
// the events.
func KeepRepairs(ctx context.Context, tx *store.Tx, repairs []Repair) error {
	return keepRepairs.Run(ctx, tx, len(repairs), func(i int) []any {
		r := &repairs[i]
		return []any{int64(r.EventID), int64(r.PlatformID), column.JSON(&r.For)}
	}, nil)
}

// RepairOf returns what an event was sent for that repaired a tenant; nil if it repaired
// none, or if that is not known.
func RepairOf(ctx context.Context, q store.Queries, id billing.EventID) (r *drift.SentRepair, err error) {
	_, err = q.One(ctx, `SELECT repair FROM repair_event WHERE event_id = $1`, []any{int64(id)}, column.JSON(&r))
	return r, err
}
