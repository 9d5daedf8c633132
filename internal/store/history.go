package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// InsertHistory records what happened to a subscription.
func InsertHistory(ctx context.Context, tx *Tx, e *subscription.HistoryEntry) error {
	const text = `INSERT INTO subscription_change (subscription_id, at, effective_at, actor, kind, from_state, to_state, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`
	return tx.EachLater(ctx, text, []any{
		int64(e.SubscriptionID), column.Millis(&e.At), column.Millis(&e.EffectiveAt), e.Actor, e.Kind, e.From, e.To, column.JSON(&e.Detail),
	}, func(rows scanner) error { return rows.Scan(&e.ID) })
}

const historyColumns = `id, subscription_id, at, effective_at, actor, kind, from_state, to_state, detail`

// HistoryOf returns what happened to those subscriptions, in order. It refuses
// more than MaxNested entries, as every nested list does.
func HistoryOf(ctx context.Context, q Queries, ids []billing.SubscriptionID) ([]subscription.HistoryEntry, error) {
	const text = `SELECT ` + historyColumns + ` FROM subscription_change
		WHERE subscription_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY subscription_id, id LIMIT $2`
	return historyRows(ctx, q, text, db.JSONList(ids), MaxNested+1)
}

func historyRows(ctx context.Context, q Queries, text string, args ...any) ([]subscription.HistoryEntry, error) {
	var entries []subscription.HistoryEntry
	err := q.Each(ctx, text, args, func(rows scanner) error {
		var e subscription.HistoryEntry
		err := rows.Scan(&e.ID, &e.SubscriptionID, column.Millis(&e.At), column.Millis(&e.EffectiveAt), &e.Actor, &e.Kind, &e.From, &e.To, column.JSON(&e.Detail))
		entries = append(entries, e)
		return err
	})
	if err == nil && len(entries) > MaxNested {
		return nil, billing.Fail(billing.TooMany, "", "The answer has more than %d entries of history; ask for fewer subscriptions at once.", MaxNested)
	}
	return entries, err
}
