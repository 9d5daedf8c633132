package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// LastWrite returns when the newest entry of the audit log was written, the
// zero time if there is none.
func LastWrite(ctx context.Context, q Queries) (at time.Time, err error) {
	_, err = q.One(ctx, `SELECT at FROM audit_entry ORDER BY id DESC LIMIT 1`, nil, millis(&at))
	return at, err
}

// AllRoutes returns how the webhooks of all platforms go.
func AllRoutes(ctx context.Context, q Queries) ([]Route, error) {
	var found []Route
	text, scan := routes("NULL", `1 = 1 ORDER BY webhook_endpoint.platform_id`, &found)
	err := q.Each(ctx, text, nil, scan)
	return found, err
}

// FailedJobs returns the jobs that failed, the newest first, at most limit.
func FailedJobs(ctx context.Context, q Queries, limit int) ([]billing.Job, error) {
	columns, scan := Jobs.projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE state = 'failed' ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// CountBehindOn returns how many tenants of a platform are out of sync for a
// reason, but counts no further than most.
func CountBehindOn(ctx context.Context, q Queries, platform billing.PlatformID, why Behind, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_stream
		WHERE platform_id = $1 AND `+string(why)+` AND delivered_sequence <> last_sequence LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}

// CountGivenUpOn returns how many events of a platform were given up after their
// last attempt, but counts no further than most.
func CountGivenUpOn(ctx context.Context, q Queries, platform billing.PlatformID, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
		WHERE platform_id = $1 AND state = 'exhausted' AND state <> 'delivered' AND latest LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}
