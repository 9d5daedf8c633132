package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

const DeliveryColumns = `webhook_delivery.id, webhook_delivery.event_id, webhook_delivery.stream_id, webhook_delivery.position, webhook_delivery.cause,
	webhook_delivery.forced, webhook_delivery.state, webhook_delivery.latest, NULLIF(webhook_delivery.body, ''), webhook_delivery.superseded_by,
	webhook_delivery.created_at, webhook_delivery.updated_at`

func DeliveryFields(d *webhook.Delivery) []any {
	return []any{
		&d.ID, &d.EventID, column.OrZero(&d.StreamID), &d.Position, &d.Cause,
		&d.Forced, &d.State, &d.Latest, &d.Body, &d.SupersededBy,
		column.Millis(&d.CreatedAt), column.Millis(&d.UpdatedAt),
	}
}

const queuedColumns = `webhook_delivery.id, webhook_delivery.event_id, webhook_delivery.position, webhook_delivery.cause, webhook_delivery.forced,
	webhook_delivery.body, webhook_delivery.created_at, webhook_event.type, webhook_event.sequence, webhook_event.body, webhook_event.created_at`

// queuedRow is a Queued that may be missing.
type queuedRow struct {
	id, event, position, since, sequence, created *int64
	cause, kind, body, eventBody                  *string
	forced                                        *bool
}

func (r *queuedRow) fields() []any {
	return []any{&r.id, &r.event, &r.position, &r.cause, &r.forced, &r.body, &r.since, &r.kind, &r.sequence, &r.eventBody, &r.created}
}

func (r *queuedRow) queued(in *webhook.Stream) *Queued {
	if r.id == nil || r.sequence == nil {
		return nil
	}
	return &Queued{
		Delivery: webhook.Delivery{
			ID: billing.DeliveryID(*r.id), EventID: billing.EventID(*r.event), StreamID: in.ID, Position: *r.position, Cause: *r.cause,
			Forced: *r.forced, State: webhook.DeliveryWaiting, Body: r.body, CreatedAt: time.UnixMilli(*r.since).UTC(),
		},
		Subject: in.Subject, Type: *r.kind, Sequence: int(*r.sequence), Body: *r.eventBody, CreatedAt: time.UnixMilli(*r.created).UTC(),
	}
}

// QueuedAt returns what waits at a position of a stream or at the first behind it
// where something does, or nil.
func QueuedAt(ctx context.Context, q store.Queries, in *webhook.Stream, position int64) (*Queued, error) {
	const text = `SELECT ` + queuedColumns + ` FROM webhook_delivery JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE webhook_delivery.stream_id = $1 AND webhook_delivery.position >= $2 AND webhook_delivery.state = 'waiting'
		ORDER BY webhook_delivery.position LIMIT 1`
	var row queuedRow
	found, err := q.One(ctx, text, []any{int64(in.ID), position}, row.fields()...)
	if err != nil || !found {
		return nil, err
	}
	return row.queued(in), nil
}

// LastQueuedBefore returns the position of the last event that waits in a stream
// and was recorded before a time, 0 if none does.
func LastQueuedBefore(ctx context.Context, q store.Queries, in *webhook.Stream, before time.Time) (int64, error) {
	const text = `SELECT position FROM webhook_delivery
		WHERE stream_id = $1 AND position > $2 AND state = 'waiting' AND cause = 'change' AND created_at < $3
		ORDER BY position DESC LIMIT 1`
	var position int64
	_, err := q.One(ctx, text, []any{int64(in.ID), in.DonePosition, before.UnixMilli()}, &position)
	return position, err
}

// insertDelivery queues an event.
func insertDelivery(ctx context.Context, tx *store.Tx, d *webhook.Delivery) error {
	const text = `INSERT INTO webhook_delivery (` + deliveryColumns + `)
		VALUES ($1, (SELECT platform_id FROM webhook_event WHERE id = $1), $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`
	args := append([]any{int64(d.EventID), column.OrZero(&d.StreamID)}, deliveryValues(d, tx.Now)...)
	_, err := tx.One(ctx, text, args, &d.ID)
	return err
}

const deliveryColumns = `event_id, platform_id, stream_id, position, cause, forced, state, latest, body, created_at, updated_at`

// deliveryValues are those of a new delivery from its position on.
func deliveryValues(d *webhook.Delivery, now time.Time) []any {
	d.Latest, d.CreatedAt, d.UpdatedAt = true, now, now
	return []any{d.Position, d.Cause, d.Forced, d.State, d.Latest, d.Body, column.Millis(&d.CreatedAt), column.Millis(&d.UpdatedAt)}
}

// AppendDelivery queues an event again, behind all that waits in its stream.
func AppendDelivery(ctx context.Context, tx *store.Tx, e *webhook.Event, forced bool) (*webhook.Delivery, error) {
	const text = `UPDATE webhook_stream SET last_position = webhook_stream.last_position + 1, due_at = COALESCE(webhook_stream.due_at, $2)
		WHERE webhook_stream.subject_kind = $1 AND webhook_stream.subject_id = $3 AND webhook_stream.platform_id = $4
		RETURNING webhook_stream.id, webhook_stream.last_position`
	d := &webhook.Delivery{EventID: e.ID, Cause: webhook.CauseResend, Forced: forced, State: webhook.DeliveryWaiting}
	found, err := tx.One(ctx, text, []any{string(e.Subject.Kind), tx.Now.UnixMilli(), e.Subject.ID, int64(e.PlatformID)}, &d.StreamID, &d.Position)
	if err != nil || !found {
		return nil, err
	}
	// The bytes are the same in every delivery.
	const older = `UPDATE webhook_delivery SET latest = $2 WHERE event_id = $1 AND latest RETURNING body`
	if _, err := tx.One(ctx, older, []any{int64(e.ID), false}, &d.Body); err != nil {
		return nil, err
	}
	outboxOf(tx).queued(e.PlatformID, 0)
	return d, insertDelivery(ctx, tx, d)
}

// SetDeliveryBody keeps what a payload program made for a delivery. An empty
// body is one that a program is to make: none of it was sent yet, and only
// those who claim deliveries see it. No body means the event's own.
func SetDeliveryBody(ctx context.Context, tx *store.Tx, id billing.DeliveryID, body *string) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_delivery SET body = $2 WHERE id = $1`, int64(id), body)
	return err
}

// MadeBody returns what a payload program made of an event for any of its
// deliveries, nil if none did.
func MadeBody(ctx context.Context, q store.Queries, id billing.EventID) (*string, error) {
	const text = `SELECT webhook_delivery.body FROM webhook_delivery WHERE webhook_delivery.event_id = $1 AND webhook_delivery.body <> '' LIMIT 1`
	var body *string
	_, err := q.One(ctx, text, []any{int64(id)}, &body)
	return body, err
}

// DeliveryEnd is how a delivery came to its end.
type DeliveryEnd struct {
	ID           billing.DeliveryID
	State        string
	SupersededBy *billing.EventID
}

var endDeliveries = db.Batch{
	Unasked: true,
	Columns: []db.Column{{"id", "BIGINT"}, {"state", "TEXT"}, {"superseded_by", "BIGINT"}, {"updated_at", "BIGINT"}},
	Statement: `UPDATE webhook_delivery SET state = new.state, superseded_by = new.superseded_by, updated_at = new.updated_at
		FROM new WHERE webhook_delivery.id = new.id`,
}

// EndDeliveries records the end of deliveries.
func EndDeliveries(ctx context.Context, tx *store.Tx, ends []DeliveryEnd) error {
	return endDeliveries.Run(ctx, tx, len(ends), func(i int) []any {
		return []any{int64(ends[i].ID), ends[i].State, (*int64)(ends[i].SupersededBy), tx.Now.UnixMilli()}
	}, nil)
}

// Supersede ends what waits in a stream from a position on and before another,
// because a newer event goes in its place. It returns how many those were.
func Supersede(ctx context.Context, tx *store.Tx, stream billing.StreamID, from, before int64, by billing.EventID) (int64, error) {
	const text = `UPDATE webhook_delivery SET state = 'superseded', superseded_by = $4, updated_at = $5
		WHERE stream_id = $1 AND position >= $2 AND position < $3 AND state = 'waiting'`
	return tx.Exec(ctx, text, int64(stream), from, before, int64(by), tx.Now.UnixMilli())
}

// DeliveriesOf returns all deliveries of those events, in order.
func DeliveriesOf(ctx context.Context, q store.Queries, events []billing.EventID) ([]webhook.Delivery, error) {
	const text = `SELECT ` + DeliveryColumns + ` FROM webhook_delivery
		WHERE webhook_delivery.event_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY webhook_delivery.id`
	var found []webhook.Delivery
	err := q.Each(ctx, text, []any{db.JSONList(events)}, func(rows db.Row) error {
		var d webhook.Delivery
		err := rows.Scan(DeliveryFields(&d)...)
		found = append(found, d)
		return errors.Join(err, store.Spend(ctx, store.Length(d.Body)))
	})
	return found, err
}
