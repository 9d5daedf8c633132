package log

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Neighbours returns the events of the same stream right before and after one, 0 for
// one that is not there.
func Neighbours(ctx context.Context, q store.Queries, e *LoggedEvent) (before, after billing.EventID, err error) {
	const text = `SELECT COALESCE((SELECT id FROM webhook_event WHERE stream_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT 1), 0),
		COALESCE((SELECT id FROM webhook_event WHERE stream_id = $1 AND sequence > $2 ORDER BY sequence LIMIT 1), 0)`
	_, err = q.One(ctx, text, []any{int64(e.Delivery.StreamID), e.Sequence}, &before, &after)
	return before, after, err
}
