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

// OfTenant compares the tenant that a stream belongs to.
const OfTenant = "webhook_stream.subject_kind = '" + string(webhook.SubjectTenant) + "' AND webhook_stream.subject_id"

// ofAccount compares the account that a stream belongs to.
const ofAccount = "webhook_stream.subject_kind = '" + string(webhook.SubjectAccount) + "' AND webhook_stream.subject_id"

// The rule which delivery of a stream is next: that at Stream.Head, the first behind
// what is finished, and then the one behind it.
const (
	behindDone = "webhook_delivery.stream_id = webhook_stream.id AND webhook_delivery.position = webhook_stream.done_position + "
	Head       = behindDone + "1"
	behindHead = behindDone + "2"
)

const streamColumns = `webhook_stream.id, webhook_stream.subject_kind, webhook_stream.subject_id, webhook_stream.platform_id, webhook_stream.last_sequence, webhook_stream.last_position, webhook_stream.newest_position,
	webhook_stream.done_position, webhook_stream.due_at, webhook_stream.attempt_id, webhook_stream.attempts, webhook_stream.tries, webhook_stream.give_way_at,
	webhook_stream.delivered_sequence, webhook_stream.highest_sequence, webhook_stream.delivered_at, webhook_stream.last_error, webhook_stream.started_at,
	webhook_stream.holder`

func streamFields(l *webhook.Stream) []any {
	return []any{
		&l.ID, &l.Subject.Kind, &l.Subject.ID, &l.PlatformID, &l.LastSequence, &l.LastPosition, &l.NewestPosition,
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
	// Subject is that of the stream.
	Subject webhook.Subject
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
		LEFT JOIN webhook_delivery ON ` + Head + `
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
		c.Head = head.queued(&c.Stream)
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
	Columns: []db.Column{{"id", "BIGINT"}},
	Statement: `SELECT ` + streamColumns + `, ` + queuedColumns + `
		FROM new JOIN webhook_stream ON webhook_stream.id = new.id
		LEFT JOIN webhook_delivery ON ` + behindHead + `
		LEFT JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id`,
	Lock: "webhook_stream",
}

// LockStreams returns those of the streams that nobody else works on just now. They
// stay the caller's until the transaction ends.
func LockStreams(ctx context.Context, tx *store.Tx, ids []billing.StreamID) (map[billing.StreamID]*Locked, error) {
	found := make(map[billing.StreamID]*Locked, len(ids))
	err := lockStreamRows.Run(ctx, tx, len(ids), func(i int) []any { return []any{int64(ids[i])} }, func(rows db.Row) error {
		var l Locked
		var next queuedRow
		err := rows.Scan(append(streamFields(&l.Stream), next.fields()...)...)
		l.Next = next.queued(&l.Stream)
		found[l.ID] = &l
		return err
	})
	return found, err
}

// StreamsOf returns the streams of those tenants; a tenant that was never told
// anything has none.
func StreamsOf(ctx context.Context, q store.Queries, ids []billing.TenantID) (map[billing.TenantID]*webhook.Stream, error) {
	found := make(map[billing.TenantID]*webhook.Stream, len(ids))
	err := streams(ctx, q, OfTenant, db.JSONList(ids), func(s *webhook.Stream) { found[s.Subject.Tenant()] = s })
	return found, err
}

// Streams returns the streams with those ids.
func Streams(ctx context.Context, q store.Queries, ids []billing.StreamID) (map[billing.StreamID]*webhook.Stream, error) {
	found := make(map[billing.StreamID]*webhook.Stream, len(ids))
	err := streams(ctx, q, "webhook_stream.id", db.JSONList(ids), func(s *webhook.Stream) { found[s.ID] = s })
	return found, err
}

// HoldStreams returns those streams, of which nobody else records, queues, sends or
// finishes anything until the transaction ends. They are locked in the order in which
// everybody locks several: those of tenants, then those of accounts.
func HoldStreams(ctx context.Context, tx *store.Tx, ids []billing.StreamID) (map[billing.StreamID]*webhook.Stream, error) {
	text := `SELECT ` + streamColumns + ` FROM webhook_stream WHERE webhook_stream.id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))
		ORDER BY webhook_stream.subject_kind DESC, webhook_stream.subject_id, webhook_stream.platform_id` + tx.Dialect.ForUpdate
	found := make(map[billing.StreamID]*webhook.Stream, len(ids))
	err := tx.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		var s webhook.Stream
		err := rows.Scan(streamFields(&s)...)
		found[s.ID] = &s
		return err
	})
	return found, err
}

func streams(ctx context.Context, q store.Queries, by, list string, found func(*webhook.Stream)) error {
	text := `SELECT ` + streamColumns + ` FROM webhook_stream WHERE ` + by + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	return q.Each(ctx, text, []any{list}, func(rows db.Row) error {
		var s webhook.Stream
		err := rows.Scan(streamFields(&s)...)
		found(&s)
		return err
	})
}

var saveStreams = db.Batch{
	Unasked: true,
	Columns: []db.Column{
		{"id", "BIGINT"}, {"done_position", "BIGINT"}, {"due_at", "BIGINT"}, {"attempt_id", "BIGINT"}, {"attempts", "BIGINT"}, {"tries", "BIGINT"},
		{"give_way_at", "BIGINT"}, {"delivered_sequence", "BIGINT"}, {"highest_sequence", "BIGINT"}, {"delivered_at", "BIGINT"}, {"last_error", "TEXT"},
		{"started_at", "BIGINT"}, {"holder", "BIGINT"},
	},
	Statement: `UPDATE webhook_stream SET done_position = new.done_position, due_at = new.due_at, attempt_id = new.attempt_id, attempts = new.attempts, tries = new.tries,
		give_way_at = new.give_way_at, delivered_sequence = new.delivered_sequence, highest_sequence = new.highest_sequence, delivered_at = new.delivered_at,
		last_error = new.last_error, started_at = new.started_at, holder = new.holder
		FROM new WHERE webhook_stream.id = new.id`,
}

// SaveStreams writes what delivery changes in streams that the caller has locked.
func SaveStreams(ctx context.Context, tx *store.Tx, streams []*webhook.Stream) error {
	return saveStreams.Run(ctx, tx, len(streams), func(i int) []any {
		l := streams[i]
		return []any{
			int64(l.ID), l.DonePosition, column.OptionalMillis(&l.DueAt), (*int64)(l.AttemptID), l.Attempts, l.Tries,
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
	Statement: `INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
		SELECT 'TENANT', tenant.id, tenant.platform_id, new.sequence, 0, 0, 0, 0, 0, new.sequence, new.sequence FROM new JOIN tenant ON tenant.id = new.tenant_id WHERE 1 = 1
		ON CONFLICT (subject_kind, subject_id, platform_id) DO NOTHING`,
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

// WaitingResends returns, of each of those tenants, the highest number of what
// was queued again behind its newest event and still waits.
func WaitingResends(ctx context.Context, q store.Queries, ids []billing.TenantID) (map[billing.TenantID]int, error) {
	const text = `SELECT webhook_stream.subject_id, max(webhook_event.sequence) FROM webhook_stream
			JOIN webhook_delivery ON webhook_delivery.stream_id = webhook_stream.id AND webhook_delivery.position > webhook_stream.newest_position
			JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE ` + OfTenant + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND webhook_stream.last_position > webhook_stream.done_position
			AND webhook_delivery.state = 'waiting'
		GROUP BY webhook_stream.subject_id`
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
