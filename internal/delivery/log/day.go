package log

import (
	"context"
	"math"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// EventCounts is what became of some events.
type EventCounts struct {
	// Delivered arrived, Failed were given up, Replaced had a newer one sent in
	// their place or were canceled, and Waiting have not come to an end.
	Delivered, Failed, Replaced, Waiting int
}

// EventDay is what became of the events that were recorded on a day of UTC, as
// it was counted last.
type EventDay struct {
	Day       billing.Date
	CountedAt time.Time
	EventCounts
}

// CountEventsFrom counts the events from an id on and before another, which is 0
// if there is no such bound. It reads indexes only for what was delivered, which
// is as good as everything.
func CountEventsFrom(ctx context.Context, q store.Queries, from, before billing.EventID) (EventCounts, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var platforms []billing.PlatformID
	if err := q.Each(ctx, `SELECT id FROM platform ORDER BY id`, nil, column.Collect(&platforms)); err != nil {
		return EventCounts{}, err
	}
	// One statement, so that all is of one moment. The conditions are literally
	// those of the index on what is not delivered.
	const among = `(SELECT count(*) FROM webhook_delivery WHERE platform_id = $1 AND event_id >= $2 AND event_id < $3 AND latest AND state <> 'delivered' AND state = `
	const text = `SELECT (SELECT count(*) FROM webhook_event WHERE platform_id = $1 AND id >= $2 AND id < $3), ` +
		among + `'exhausted'), ` + among + `'superseded') + ` + among + `'canceled'), ` + among + `'waiting')`
	var sum EventCounts
	for _, id := range platforms {
		var all int
		var some EventCounts
		if _, err := q.One(ctx, text, []any{int64(id), int64(from), int64(before)}, &all, &some.Failed, &some.Replaced, &some.Waiting); err != nil {
			return EventCounts{}, err
		}
		sum.Failed += some.Failed
		sum.Replaced += some.Replaced
		sum.Waiting += some.Waiting
		sum.Delivered += all - some.Failed - some.Replaced - some.Waiting
	}
	return sum, nil
}

// SaveEventDay keeps what was counted of a day in the place of what was counted
// before.
func SaveEventDay(ctx context.Context, tx *store.Tx, d *EventDay) error {
	const text = `INSERT INTO webhook_day (day, delivered, failed, replaced, waiting, counted_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (day) DO UPDATE SET delivered = excluded.delivered, failed = excluded.failed, replaced = excluded.replaced,
			waiting = excluded.waiting, counted_at = excluded.counted_at`
	_, err := tx.Exec(ctx, text, column.Day(&d.Day), d.Delivered, d.Failed, d.Replaced, d.Waiting, column.Millis(&d.CountedAt))
	return err
}

// EventDays returns what was counted of the days from one on, in order. A day of
// which nothing was counted is not among them.
func EventDays(ctx context.Context, q store.Queries, from billing.Date) ([]EventDay, error) {
	const text = `SELECT day, delivered, failed, replaced, waiting, counted_at FROM webhook_day WHERE day >= $1 ORDER BY day`
	var days []EventDay
	err := q.Each(ctx, text, []any{from.String()}, func(rows db.Row) error {
		var d EventDay
		err := rows.Scan(column.Day(&d.Day), &d.Delivered, &d.Failed, &d.Replaced, &d.Waiting, column.Millis(&d.CountedAt))
		days = append(days, d)
		return err
	})
	return days, err
}

// DeleteEventDaysBefore forgets what was counted of the days before one.
func DeleteEventDaysBefore(ctx context.Context, tx *store.Tx, before billing.Date) error {
	_, err := tx.Exec(ctx, `DELETE FROM webhook_day WHERE day < $1`, before.String())
	return err
}
