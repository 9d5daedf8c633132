package log

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Retention says what of the webhook log has run its time: what was delivered
// before one time, and what came to another end before another.
type Retention struct {
	Delivered, Failed time.Time
}

// OldEvents looks at up to limit events behind one, in the order of ids, and
// returns those that have run their time. What is not finished never has, nor
// has the newest event of a tenant. last is the last event it looked at, 0 if
// those behind are too young. What it costs depends on limit only.
func OldEvents(ctx context.Context, q store.Queries, r Retention, after billing.EventID, limit int) (old []billing.EventID, last billing.EventID, err error) {
	until := r.Delivered
	if r.Failed.After(until) {
		until = r.Failed
	}
	var ids []billing.EventID
	err = q.Each(ctx, `SELECT id, created_at FROM webhook_event WHERE id > $1 ORDER BY id LIMIT $2`, []any{int64(after), limit}, func(rows db.Row) error {
		var id billing.EventID
		var created time.Time
		err := rows.Scan(&id, column.Millis(&created))
		if created.Before(until) {
			ids = append(ids, id)
		}
		return err
	})
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	old, err = r.old(ctx, q, ids)
	return old, ids[len(ids)-1], err
}

// old are those of the events that have run their time.
func (r Retention) old(ctx context.Context, q store.Queries, ids []billing.EventID) ([]billing.EventID, error) {
	const text = `SELECT webhook_event.id FROM webhook_event
			JOIN webhook_delivery ON webhook_delivery.event_id = webhook_event.id AND webhook_delivery.latest
			LEFT JOIN webhook_stream ON webhook_stream.id = webhook_event.stream_id
		WHERE webhook_event.id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))
			AND (webhook_event.stream_id IS NULL OR webhook_stream.last_sequence > webhook_event.sequence)
			AND (webhook_delivery.state = 'delivered' AND webhook_delivery.updated_at < $2
				OR webhook_delivery.state IN ('exhausted', 'superseded', 'canceled') AND webhook_delivery.updated_at < $3)
		ORDER BY webhook_event.id`
	var old []billing.EventID
	err := q.Each(ctx, text, []any{db.JSONList(ids), r.Delivered.UnixMilli(), r.Failed.UnixMilli()}, column.Collect(&old))
	return old, err
}

// RemoveEvents removes those of the events that have run their time, with all
// that was done to deliver them, and returns how many those were. Events that
// somebody else works on are left for another time.
func RemoveEvents(ctx context.Context, tx *store.Tx, r Retention, ids []billing.EventID) (int, error) {
	if tx.Dialect.ForUpdateSkip != "" {
		text := `SELECT id FROM webhook_event WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY id` + tx.Dialect.ForUpdateSkip
		var free []billing.EventID
		if err := tx.Each(ctx, text, []any{db.JSONList(ids)}, column.Collect(&free)); err != nil {
			return 0, err
		}
		ids = free
	}
	// Only now, as nobody can send them again any more.
	old, err := r.old(ctx, tx.Queries, ids)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	var deliveries []billing.DeliveryID
	const deliveriesOf = `SELECT id FROM webhook_delivery WHERE event_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	if err := tx.Each(ctx, deliveriesOf, []any{db.JSONList(old)}, column.Collect(&deliveries)); err != nil {
		return 0, err
	}
	for _, step := range []struct{ text, list string }{
		{`DELETE FROM webhook_attempt WHERE delivery_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`, db.JSONList(deliveries)},
		{`DELETE FROM webhook_delivery WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`, db.JSONList(deliveries)},
		{`DELETE FROM webhook_event WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`, db.JSONList(old)},
	} {
		if _, err := tx.Exec(ctx, step.text, step.list); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}
