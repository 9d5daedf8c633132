package log

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Behind is why an application does not know the newest state of a tenant.
type Behind string

// The reasons. Literally, for both engines to see that an index has them all.
const (
	// BehindWaiting is that something waits to be sent.
	BehindWaiting Behind = "due_at IS NOT NULL"
	// BehindFailing is that the last attempt failed; something waits then too.
	BehindFailing Behind = "attempts > 0"
	// BehindStopped is that nothing waits any more: the newest event was given
	// up, or an older one was sent after it.
	BehindStopped Behind = "stopped"
)

// CountBehind returns how many tenants are out of sync for a reason, but counts
// no further than most.
func CountBehind(ctx context.Context, q store.Queries, why Behind, most int) (int, error) {
	// Platform by platform, because that is what the indexes begin with: SQLite
	// would read all streams otherwise.
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM platform CROSS JOIN webhook_stream
		WHERE webhook_stream.platform_id = platform.id AND `+string(why)+` AND delivered_sequence <> last_sequence LIMIT CAST($1 AS BIGINT)) AS counted`, most)
}

// CountGivenUp returns how many events were given up after their last attempt,
// but counts no further than most.
func CountGivenUp(ctx context.Context, q store.Queries, most int) (int, error) {
	// Literally, for both engines to see that the index has them all.
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM platform CROSS JOIN webhook_delivery
		WHERE webhook_delivery.platform_id = platform.id AND webhook_delivery.state = 'exhausted' AND webhook_delivery.state <> 'delivered'
			AND webhook_delivery.latest LIMIT CAST($1 AS BIGINT)) AS counted`, most)
}

// CountBehindOn returns how many tenants of a platform are out of sync for a
// reason, but counts no further than most.
func CountBehindOn(ctx context.Context, q store.Queries, platform billing.PlatformID, why Behind, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_stream
		WHERE platform_id = $1 AND `+string(why)+` AND delivered_sequence <> last_sequence LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}

// CountGivenUpOn returns how many events of a platform were given up after their
// last attempt, but counts no further than most.
func CountGivenUpOn(ctx context.Context, q store.Queries, platform billing.PlatformID, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
		WHERE platform_id = $1 AND state = 'exhausted' AND state <> 'delivered' AND latest LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}
