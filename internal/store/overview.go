package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
)

// CountSubscriptions returns how many subscriptions are in a state, but counts
// no further than most: it reads that much of an index at the worst.
func CountSubscriptions(ctx context.Context, q Queries, state billing.SubscriptionState, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM subscription WHERE state = $1 LIMIT CAST($2 AS BIGINT)) AS counted`, state, most)
}

// SubscriptionsSetAside returns the subscriptions that time could not move, the
// newest first, at most limit.
func SubscriptionsSetAside(ctx context.Context, q Queries, limit int) ([]billing.Subscription, error) {
	columns, scan := Subscriptions.projection(nil)
	return Subscriptions.rows(ctx, q, `SELECT `+columns+` FROM subscription WHERE problem IS NOT NULL ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// UnfinishedJobs returns the jobs of any kind that are not finished, the newest
// first, at most limit.
func UnfinishedJobs(ctx context.Context, q Queries, limit int) ([]billing.Job, error) {
	columns, scan := Jobs.projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE finished_at IS NULL ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// RecentEvents returns a tenant's events below a number, the newest first, at
// most limit; all of them if before is 0.
func RecentEvents(ctx context.Context, q Queries, id billing.TenantID, before, limit int) ([]billing.Event, error) {
	const text = `SELECT ` + eventColumns + ` FROM webhook_event
		WHERE tenant_id = $1 AND (CAST($2 AS BIGINT) = 0 OR sequence < $2) ORDER BY sequence DESC LIMIT $3`
	var events []billing.Event
	err := q.Each(ctx, text, []any{int64(id), before, limit}, func(rows scanner) error {
		e, err := scanEvent(rows)
		events = append(events, e)
		return err
	})
	return events, err
}

// RecentHistory returns what last happened to a subscription, the newest first,
// at most limit.
func RecentHistory(ctx context.Context, q Queries, id billing.SubscriptionID, limit int) ([]billing.HistoryEntry, error) {
	const text = `SELECT ` + historyColumns + ` FROM subscription_change WHERE subscription_id = $1 ORDER BY id DESC LIMIT $2`
	return historyRows(ctx, q, text, int64(id), limit)
}

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
func CountBehind(ctx context.Context, q Queries, why Behind, most int) (int, error) {
	// Platform by platform, because that is what the indexes begin with: SQLite
	// would read all streams otherwise.
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM platform CROSS JOIN webhook_stream
		WHERE webhook_stream.platform_id = platform.id AND `+string(why)+` AND delivered_sequence <> last_sequence LIMIT CAST($1 AS BIGINT)) AS counted`, most)
}

// CountGivenUp returns how many events were given up after their last attempt,
// but counts no further than most.
func CountGivenUp(ctx context.Context, q Queries, most int) (int, error) {
	// Literally, for both engines to see that the index has them all.
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM platform CROSS JOIN webhook_delivery
		WHERE webhook_delivery.platform_id = platform.id AND webhook_delivery.state = 'exhausted' AND webhook_delivery.state <> 'delivered'
			AND webhook_delivery.latest LIMIT CAST($1 AS BIGINT)) AS counted`, most)
}
