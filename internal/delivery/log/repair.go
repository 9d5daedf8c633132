package log

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// CountRepairs counts the events that were sent to repair tenants of a platform since a
// time, up to store.MostCounted and one more.
func CountRepairs(ctx context.Context, q store.Queries, platform billing.PlatformID, since time.Time) (int, error) {
	first, err := EventIDAt(ctx, q, since)
	if err != nil || first == 0 {
		return 0, err
	}
	return q.Counted(ctx, `SELECT 1 FROM repair_event WHERE platform_id = $1 AND event_id >= $2`, int64(platform), int64(first))
}
