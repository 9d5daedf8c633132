package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// CountSubscriptions returns how many subscriptions are in a state, but counts
// no further than most: it reads that much of an index at the worst.
func CountSubscriptions(ctx context.Context, q Queries, state subscription.State, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM subscription WHERE state = $1 LIMIT CAST($2 AS BIGINT)) AS counted`, state, most)
}

// CountStanding returns how many active subscriptions have a standing that is not good, but
// counts no further than most.
func CountStanding(ctx context.Context, q Queries, standing billing.Standing, most int) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM subscription WHERE standing = $1 AND standing <> 'GOOD' AND state = 'ACTIVE' LIMIT CAST($2 AS BIGINT)) AS counted`, standing, most)
}

// SubscriptionsSetAside returns the subscriptions that time could not move, the
// newest first, at most limit.
func SubscriptionsSetAside(ctx context.Context, q Queries, limit int) ([]subscription.Subscription, error) {
	columns, scan := Subscriptions.Projection(nil)
	return Subscriptions.rows(ctx, q, `SELECT `+columns+` FROM subscription WHERE problem IS NOT NULL ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// UnfinishedJobs returns the jobs of any kind that are not finished, the newest
// first, at most limit.
func UnfinishedJobs(ctx context.Context, q Queries, limit int) ([]billing.Job, error) {
	columns, scan := Jobs.Projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE finished_at IS NULL ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// RecentHistory returns what last happened to a subscription, the newest first,
// at most limit.
func RecentHistory(ctx context.Context, q Queries, id billing.SubscriptionID, limit int) ([]subscription.HistoryEntry, error) {
	const text = `SELECT ` + historyColumns + ` FROM subscription_change WHERE subscription_id = $1 ORDER BY id DESC LIMIT $2`
	return historyRows(ctx, q, text, int64(id), limit)
}
