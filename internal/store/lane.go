package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

const laneColumns = `webhook_lane.tenant_id, webhook_lane.platform_id, webhook_lane.last_sequence, webhook_lane.last_position, webhook_lane.newest_position,
	webhook_lane.done_position, webhook_lane.due_at, webhook_lane.attempt_id, webhook_lane.attempts, webhook_lane.tries, webhook_lane.give_way_at,
	webhook_lane.delivered_sequence, webhook_lane.highest_sequence, webhook_lane.delivered_at, webhook_lane.last_error, webhook_lane.started_at,
	webhook_lane.holder`

func laneFields(l *billing.Lane) []any {
	return []any{
		&l.TenantID, &l.PlatformID, &l.LastSequence, &l.LastPosition, &l.NewestPosition,
		&l.DonePosition, optionalMillis(&l.DueAt), &l.AttemptID, &l.Attempts, &l.Tries, optionalMillis(&l.GiveWayAt),
		&l.DeliveredSequence, &l.HighestSequence, optionalMillis(&l.DeliveredAt), &l.LastError, optionalMillis(&l.StartedAt),
		&l.Holder,
	}
}

// Claim is a lane in which something is due, with what is at its head.
type Claim struct {
	Lane billing.Lane
	// Head is nil if nothing is there.
	Head *Queued
}

// Queued is a delivery with what it needs of its event.
type Queued struct {
	Delivery billing.Delivery
	Type     string
	Sequence int
	// Body is the event's own.
	Body      string
	CreatedAt time.Time
}

// DueLanes returns, longest due first, the lanes of a platform in which
// something is to be done, each with its head, at most so many. Lanes that others
// work on are passed over; what it returns stays the caller's until the
// transaction ends.
func DueLanes(ctx context.Context, tx *Tx, platform billing.PlatformID, now time.Time, limit int) (claims []Claim, err error) {
	text := `SELECT ` + laneColumns + `, ` + queuedColumns + `
		FROM webhook_lane
		LEFT JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_lane.tenant_id AND webhook_delivery.position = webhook_lane.done_position + 1
		LEFT JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE webhook_lane.platform_id = CAST($1 AS BIGINT) AND webhook_lane.due_at IS NOT NULL AND webhook_lane.due_at <= CAST($2 AS BIGINT)
		ORDER BY webhook_lane.due_at
		LIMIT CAST($3 AS BIGINT)`
	if tx.dialect.forUpdateSkip != "" {
		text += " FOR UPDATE OF webhook_lane SKIP LOCKED"
	}
	err = tx.each(ctx, text, []any{int64(platform), now.UnixMilli(), limit}, func(rows scanner) error {
		var c Claim
		var head queuedRow
		if err := rows.Scan(append(laneFields(&c.Lane), head.fields()...)...); err != nil {
			return err
		}
		c.Head = head.queued(c.Lane.TenantID)
		claims = append(claims, c)
		return nil
	})
	return claims, err
}

// Locked is a lane with what is next in it once its head is finished.
type Locked struct {
	billing.Lane
	// Next is nil if nothing is there.
	Next *Queued
}

var lockLanes = batch{
	columns: []batchColumn{{"tenant_id", "BIGINT"}},
	statement: `SELECT ` + laneColumns + `, ` + queuedColumns + `
		FROM new JOIN webhook_lane ON webhook_lane.tenant_id = new.tenant_id
		LEFT JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_lane.tenant_id AND webhook_delivery.position = webhook_lane.done_position + 2
		LEFT JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id`,
	lock: "webhook_lane",
}

func lockLanesOf(ctx context.Context, tx *Tx, ids []billing.TenantID) (map[billing.TenantID]*Locked, error) {
	found := make(map[billing.TenantID]*Locked, len(ids))
	err := lockLanes.run(ctx, tx, len(ids), func(i int) []any { return []any{int64(ids[i])} }, func(rows scanner) error {
		var l Locked
		var next queuedRow
		err := rows.Scan(append(laneFields(&l.Lane), next.fields()...)...)
		l.Next = next.queued(l.TenantID)
		found[l.TenantID] = &l
		return err
	})
	return found, err
}

// LanesOf returns the lanes of those tenants; a tenant that was never told
// anything has none.
func LanesOf(ctx context.Context, q Queries, ids []billing.TenantID) (map[billing.TenantID]*billing.Lane, error) {
	const text = `SELECT ` + laneColumns + ` FROM webhook_lane WHERE webhook_lane.tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	found := make(map[billing.TenantID]*billing.Lane, len(ids))
	err := q.each(ctx, text, []any{jsonList(ids)}, func(rows scanner) error {
		var l billing.Lane
		err := rows.Scan(laneFields(&l)...)
		found[l.TenantID] = &l
		return err
	})
	return found, err
}

var saveLanes = batch{
	unasked: true,
	columns: []batchColumn{
		{"tenant_id", "BIGINT"}, {"done_position", "BIGINT"}, {"due_at", "BIGINT"}, {"attempt_id", "BIGINT"}, {"attempts", "BIGINT"}, {"tries", "BIGINT"},
		{"give_way_at", "BIGINT"}, {"delivered_sequence", "BIGINT"}, {"highest_sequence", "BIGINT"}, {"delivered_at", "BIGINT"}, {"last_error", "TEXT"},
		{"started_at", "BIGINT"}, {"holder", "BIGINT"},
	},
	statement: `UPDATE webhook_lane SET done_position = new.done_position, due_at = new.due_at, attempt_id = new.attempt_id, attempts = new.attempts, tries = new.tries,
		give_way_at = new.give_way_at, delivered_sequence = new.delivered_sequence, highest_sequence = new.highest_sequence, delivered_at = new.delivered_at,
		last_error = new.last_error, started_at = new.started_at, holder = new.holder
		FROM new WHERE webhook_lane.tenant_id = new.tenant_id`,
}

// SaveLanes writes what delivery changes in lanes that the caller has locked.
func SaveLanes(ctx context.Context, tx *Tx, lanes []*billing.Lane) error {
	return saveLanes.run(ctx, tx, len(lanes), func(i int) []any {
		l := lanes[i]
		return []any{
			int64(l.TenantID), l.DonePosition, optionalMillis(&l.DueAt), (*int64)(l.AttemptID), l.Attempts, l.Tries,
			optionalMillis(&l.GiveWayAt), l.DeliveredSequence, l.HighestSequence, optionalMillis(&l.DeliveredAt), l.LastError,
			optionalMillis(&l.StartedAt), l.Holder,
		}
	}, nil)
}
