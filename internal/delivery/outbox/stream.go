package outbox

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

const streamColumns = `webhook_stream.tenant_id, webhook_stream.platform_id, webhook_stream.last_sequence, webhook_stream.last_position, webhook_stream.newest_position,
	webhook_stream.done_position, webhook_stream.due_at, webhook_stream.attempt_id, webhook_stream.attempts, webhook_stream.tries, webhook_stream.give_way_at,
	webhook_stream.delivered_sequence, webhook_stream.highest_sequence, webhook_stream.delivered_at, webhook_stream.last_error, webhook_stream.started_at,
	webhook_stream.holder`

func streamFields(l *webhook.Stream) []any {
	return []any{
		&l.TenantID, &l.PlatformID, &l.LastSequence, &l.LastPosition, &l.NewestPosition,
		&l.DonePosition, column.OptionalMillis(&l.DueAt), &l.AttemptID, &l.Attempts, &l.Tries, column.OptionalMillis(&l.GiveWayAt),
		&l.DeliveredSequence, &l.HighestSequence, column.OptionalMillis(&l.DeliveredAt), &l.LastError, column.OptionalMillis(&l.StartedAt),
		&l.Holder,
	}
}

// Claim is a stream in which something is due, with what is at its head.
type Claim struct {
	Stream webhook.Stream
	// Head is nil if nothing is there.
	Head *Queued
}

// Queued is a delivery with what it needs of its event.
type Queued struct {
	Delivery webhook.Delivery
	Type     string
	Sequence int
	// Body is the event's own.
	Body      string
	CreatedAt time.Time
}

// DueStreams returns, longest due first, the streams of a platform in which
// something is to be done, each with its head, at most so many. Streams that others
// work on are passed over; what it returns stays the caller's until the
// transaction ends.
func DueStreams(ctx context.Context, tx *store.Tx, platform billing.PlatformID, now time.Time, limit int) (claims []Claim, err error) {
	text := `SELECT ` + streamColumns + `, ` + queuedColumns + `
		FROM webhook_stream
		LEFT JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_stream.tenant_id AND webhook_delivery.position = webhook_stream.done_position + 1
		LEFT JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE webhook_stream.platform_id = CAST($1 AS BIGINT) AND webhook_stream.due_at IS NOT NULL AND webhook_stream.due_at <= CAST($2 AS BIGINT)
		ORDER BY webhook_stream.due_at
		LIMIT CAST($3 AS BIGINT)`
	if tx.Dialect.ForUpdateSkip != "" {
		text += " FOR UPDATE OF webhook_stream SKIP LOCKED"
	}
	err = tx.Each(ctx, text, []any{int64(platform), now.UnixMilli(), limit}, func(rows db.Row) error {
		var c Claim
		var head queuedRow
		if err := rows.Scan(append(streamFields(&c.Stream), head.fields()...)...); err != nil {
			return err
		}
		c.Head = head.queued(c.Stream.TenantID)
		claims = append(claims, c)
		return nil
	})
	return claims, err
}

// Locked is a stream with what is next in it once its head is finished.
type Locked struct {
	webhook.Stream
	// Next is nil if nothing is there.
	Next *Queued
}

var lockStreamRows = db.Batch{
	Columns: []db.Column{{"tenant_id", "BIGINT"}},
	Statement: `SELECT ` + streamColumns + `, ` + queuedColumns + `
		FROM new JOIN webhook_stream ON webhook_stream.tenant_id = new.tenant_id
		LEFT JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_stream.tenant_id AND webhook_delivery.position = webhook_stream.done_position + 2
		LEFT JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id`,
	Lock: "webhook_stream",
}

// LockStreams returns those of the streams that nobody else works on just now. They
// stay the caller's until the transaction ends.
func LockStreams(ctx context.Context, tx *store.Tx, ids []billing.TenantID) (map[billing.TenantID]*Locked, error) {
	found := make(map[billing.TenantID]*Locked, len(ids))
	err := lockStreamRows.Run(ctx, tx, len(ids), func(i int) []any { return []any{int64(ids[i])} }, func(rows db.Row) error {
		var l Locked
		var next queuedRow
		err := rows.Scan(append(streamFields(&l.Stream), next.fields()...)...)
		l.Next = next.queued(l.TenantID)
		found[l.TenantID] = &l
		return err
	})
	return found, err
}

// StreamsOf returns the streams of those tenants; a tenant that was never told
// anything has none.
func StreamsOf(ctx context.Context, q store.Queries, ids []billing.TenantID) (map[billing.TenantID]*webhook.Stream, error) {
	const text = `SELECT ` + streamColumns + ` FROM webhook_stream WHERE webhook_stream.tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	found := make(map[billing.TenantID]*webhook.Stream, len(ids))
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		var l webhook.Stream
		err := rows.Scan(streamFields(&l)...)
		found[l.TenantID] = &l
		return err
	})
	return found, err
}

var saveStreams = db.Batch{
	Unasked: true,
	Columns: []db.Column{
		{"tenant_id", "BIGINT"}, {"done_position", "BIGINT"}, {"due_at", "BIGINT"}, {"attempt_id", "BIGINT"}, {"attempts", "BIGINT"}, {"tries", "BIGINT"},
		{"give_way_at", "BIGINT"}, {"delivered_sequence", "BIGINT"}, {"highest_sequence", "BIGINT"}, {"delivered_at", "BIGINT"}, {"last_error", "TEXT"},
		{"started_at", "BIGINT"}, {"holder", "BIGINT"},
	},
	Statement: `UPDATE webhook_stream SET done_position = new.done_position, due_at = new.due_at, attempt_id = new.attempt_id, attempts = new.attempts, tries = new.tries,
		give_way_at = new.give_way_at, delivered_sequence = new.delivered_sequence, highest_sequence = new.highest_sequence, delivered_at = new.delivered_at,
		last_error = new.last_error, started_at = new.started_at, holder = new.holder
		FROM new WHERE webhook_stream.tenant_id = new.tenant_id`,
}

// SaveStreams writes what delivery changes in streams that the caller has locked.
func SaveStreams(ctx context.Context, tx *store.Tx, streams []*webhook.Stream) error {
	return saveStreams.Run(ctx, tx, len(streams), func(i int) []any {
		l := streams[i]
		return []any{
			int64(l.TenantID), l.DonePosition, column.OptionalMillis(&l.DueAt), (*int64)(l.AttemptID), l.Attempts, l.Tries,
			column.OptionalMillis(&l.GiveWayAt), l.DeliveredSequence, l.HighestSequence, column.OptionalMillis(&l.DeliveredAt), l.LastError,
			column.OptionalMillis(&l.StartedAt), l.Holder,
		}
	}, nil)
}

// TenantSequence is the number of the newest event that a tenant's application
// knows.
type TenantSequence struct {
	TenantID billing.TenantID
	Sequence int
}

var startStreams = db.Batch{
	Columns: []db.Column{{"tenant_id", "BIGINT"}, {"sequence", "BIGINT"}},
	Statement: `INSERT INTO webhook_stream (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
		SELECT tenant.id, tenant.platform_id, new.sequence, 0, 0, 0, 0, 0, new.sequence, new.sequence FROM new JOIN tenant ON tenant.id = new.tenant_id WHERE 1 = 1
		ON CONFLICT (tenant_id) DO NOTHING`,
}

// StartStreams lets the events of tenants whose applications were told by another
// database be numbered behind those: a receiver drops what it takes for older
// than what it knows. A tenant that has been told something here keeps its
// numbers.
func StartStreams(ctx context.Context, tx *store.Tx, tenants []TenantSequence) error {
	return startStreams.Run(ctx, tx, len(tenants), func(i int) []any {
		return []any{int64(tenants[i].TenantID), tenants[i].Sequence}
	}, nil)
}

// Head says that a delivery is the next of its stream.
const Head = "webhook_delivery.position = webhook_stream.done_position + 1"

// WaitingResends returns, of each of those tenants, the highest number of what
// was queued again behind its newest event and still waits.
func WaitingResends(ctx context.Context, q store.Queries, ids []billing.TenantID) (map[billing.TenantID]int, error) {
	const text = `SELECT webhook_stream.tenant_id, max(webhook_event.sequence) FROM webhook_stream
			JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_stream.tenant_id AND webhook_delivery.position > webhook_stream.newest_position
			JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE webhook_stream.tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND webhook_stream.last_position > webhook_stream.done_position
			AND webhook_delivery.state = 'waiting'
		GROUP BY webhook_stream.tenant_id`
	found := map[billing.TenantID]int{}
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		var tenant billing.TenantID
		var sequence int
		err := rows.Scan(&tenant, &sequence)
		found[tenant] = sequence
		return err
	})
	return found, err
}
