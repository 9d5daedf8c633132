package outbox

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// longestRetry is more than the longest delay of a retry with its jitter, and
	// longestLease more than any lease, probe or pause of the breaker lasts.
	longestRetry = webhook.MaxRetrySeconds*time.Second + 2*24*time.Hour
	longestLease = 15 * time.Minute
)

// EndImpossibleWaits has everything due now that waits for a time that no rule
// would give: it was written by a clock that was in the future then. It returns
// how many streams and endpoints those were. Leases of processes that show whether
// they live are left to them and to those that take over.
func EndImpossibleWaits(ctx context.Context, tx *store.Tx, now time.Time) (int64, error) {
	streams, err := tx.Exec(ctx, `UPDATE webhook_stream SET due_at = $1 WHERE id IN (
		SELECT id FROM webhook_stream WHERE platform_id IN (SELECT id FROM platform) AND due_at > $2
			AND (due_at > $3 AND NOT under_way OR under_way AND holder = 0) ORDER BY id`+tx.Dialect.ForUpdateSkip+`)`,
		now.UnixMilli(), now.Add(longestLease).UnixMilli(), now.Add(longestRetry).UnixMilli())
	if err != nil {
		return 0, err
	}
	breakers, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET open_until = $1 WHERE open_until > $2`, now.UnixMilli(), now.Add(longestLease).UnixMilli())
	return streams + breakers, err
}
