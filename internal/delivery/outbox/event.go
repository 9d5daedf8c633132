package outbox

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// StreamPosition is where an event belongs: its number among the events of its tenant,
// and its position in the tenant's stream.
type StreamPosition struct {
	Stream   billing.StreamID
	Sequence int
	Position int64
	// taken is the lease of the stream, if nothing waited there.
	taken *Taken
}

// NextPosition gives out the next position in a tenant's stream, if its platform
// provisions; the zero position means that it does not. Until the transaction ends
// nobody else gets one, so numbers are in the order of commits and what is read
// after this stays true.
func NextPosition(ctx context.Context, tx *store.Tx, tenant billing.TenantID) (StreamPosition, error) {
	asked, err := askPosition(ctx, tx, tenant, tx.Each)
	if err != nil {
		return StreamPosition{}, err
	}
	position, _, err := asked(ctx)
	return position, err
}

// AskPosition is NextPosition whose statement may be sent together with the next
// one, which reads what the event tells. asked returns the position when that has
// run, and says whether it ran too early, so that it has to run again.
func AskPosition(ctx context.Context, tx *store.Tx, tenant billing.TenantID) (asked AskedPosition, err error) {
	return askPosition(ctx, tx, tenant, tx.EachLater)
}

// AskedPosition is what AskPosition returns.
type AskedPosition func(context.Context) (position StreamPosition, tooEarly bool, err error)

func askPosition(ctx context.Context, tx *store.Tx, tenant billing.TenantID, ask asking) (AskedPosition, error) {
	next, err := nextPosition(ctx, tx, tenant, ask)
	return func(ctx context.Context) (StreamPosition, bool, error) {
		position := next()
		switch {
		case position.Sequence > 1 || tx.Dialect.ForUpdate == "":
			return position, false, nil
		case position.Sequence == 1:
			position, err := first(ctx, tx, tenant, position)
			return position, false, err
		}
		position, err := onceEnabled(ctx, tx, tenant)
		return position, true, err
	}, err
}

// onceEnabled returns the position if the platform provisions after all. Whoever
// enables provisioning meanwhile has to wait for this transaction: those it tells
// then are told of what happens here.
func onceEnabled(ctx context.Context, tx *store.Tx, tenant billing.TenantID) (StreamPosition, error) {
	const text = `SELECT platform.provisioning_enabled FROM platform JOIN tenant ON tenant.platform_id = platform.id
		WHERE tenant.id = $1 FOR SHARE OF platform`
	var enabled bool
	if _, err := tx.One(ctx, text, []any{int64(tenant)}, &enabled); err != nil || !enabled {
		return StreamPosition{}, err
	}
	next, err := nextPosition(ctx, tx, tenant, tx.Each)
	if err != nil {
		return StreamPosition{}, err
	}
	return next(), nil
}

// first returns the position in a new stream, unless the tenant was deleted since
// the statement that made the stream began: it waited for the old stream's row.
func first(ctx context.Context, tx *store.Tx, tenant billing.TenantID, position StreamPosition) (StreamPosition, error) {
	exists, err := tx.One(ctx, `SELECT 1 FROM tenant WHERE id = $1 FOR KEY SHARE`, []any{int64(tenant)}, new(int))
	if err != nil || exists {
		return position, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM webhook_stream WHERE id = $1`, int64(position.Stream))
	return StreamPosition{}, err
}

// nextPosition also says when the stream is due: at once if nothing waited, unless
// this process sends what comes and has leased the stream; if the head fails and is
// to give way to newer events, when it does.
// What it returns is there when the statement has run.
func nextPosition(ctx context.Context, tx *store.Tx, tenant billing.TenantID, ask asking) (next func() StreamPosition, err error) {
	const text = `INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempts, tries,
			delivered_sequence, highest_sequence, attempt_id, started_at, holder)
		SELECT 'TENANT', tenant.id, platform.id, 1, 1, 1, 0, CASE WHEN platform.id = CAST($3 AS BIGINT) THEN CAST($5 AS BIGINT) ELSE CAST($2 AS BIGINT) END,
			0, CASE WHEN platform.id = CAST($3 AS BIGINT) THEN 1 ELSE 0 END, 0, 0,
			CASE WHEN platform.id = CAST($3 AS BIGINT) THEN CAST($4 AS BIGINT) END, CASE WHEN platform.id = CAST($3 AS BIGINT) THEN CAST($2 AS BIGINT) END,
			CAST($6 AS BIGINT)
		FROM tenant JOIN platform ON platform.id = tenant.platform_id WHERE tenant.id = CAST($1 AS BIGINT) AND platform.provisioning_enabled
		ON CONFLICT (subject_kind, subject_id, platform_id) DO UPDATE SET last_sequence = webhook_stream.last_sequence + 1, last_position = webhook_stream.last_position + 1,
			newest_position = webhook_stream.last_position + 1,
			due_at = CASE WHEN webhook_stream.due_at IS NULL THEN excluded.due_at
				WHEN webhook_stream.attempt_id IS NOT NULL OR webhook_stream.give_way_at IS NULL OR webhook_stream.give_way_at >= webhook_stream.due_at THEN webhook_stream.due_at
				WHEN webhook_stream.give_way_at < CAST($2 AS BIGINT) THEN CAST($2 AS BIGINT)
				ELSE webhook_stream.give_way_at END,
			attempt_id = CASE WHEN webhook_stream.due_at IS NULL THEN excluded.attempt_id ELSE webhook_stream.attempt_id END,
			tries = CASE WHEN webhook_stream.due_at IS NULL THEN excluded.tries ELSE webhook_stream.tries END,
			started_at = CASE WHEN webhook_stream.due_at IS NULL THEN excluded.started_at ELSE webhook_stream.started_at END,
			holder = CASE WHEN webhook_stream.due_at IS NULL THEN excluded.holder ELSE webhook_stream.holder END
		RETURNING webhook_stream.id, webhook_stream.last_sequence, webhook_stream.last_position, webhook_stream.attempt_id,
			COALESCE((SELECT webhook_endpoint.version FROM webhook_endpoint WHERE webhook_endpoint.platform_id = webhook_stream.platform_id), -1)`
	offered, err := outboxOf(tx).offer(ctx, tx.Queries, tenant)
	if err != nil {
		return nil, err
	}
	args := []any{int64(tenant), tx.Now.UnixMilli(), nil, nil, nil, 0}
	if offered != nil {
		args[2], args[3], args[4], args[5] = int64(offered.Platform), int64(offered.Attempt), offered.Until.UnixMilli(), offered.Holder
	}
	var p StreamPosition
	var attempt *billing.AttemptID
	var version int64
	err = ask(ctx, text, args, func(row db.Row) error { return row.Scan(&p.Stream, &p.Sequence, &p.Position, &attempt, &version) })
	if err != nil && offered != nil {
		outboxOf(tx).withdraw(offered)
	}
	return func() StreamPosition {
		switch {
		case offered == nil:
		case attempt != nil && *attempt == offered.Attempt:
			offered.Current, p.taken = version == offered.Version, offered
		default: // something waits there, or nothing is sent at all
			outboxOf(tx).withdraw(offered)
		}
		return p
	}, err
}

// asking runs a query: Each of a transaction, or EachLater.
type asking func(ctx context.Context, text string, args []any, scan func(db.Row) error) error

// InsertEvent records an event at a position from NextPosition and queues it there.
func InsertEvent(ctx context.Context, tx *store.Tx, e *webhook.Event, at StreamPosition) error {
	if err := InsertEventLater(ctx, tx, e, at); err != nil {
		return err
	}
	return tx.Flush(ctx)
}

// InsertEventLater is InsertEvent whose statements may be put off: the event has its
// id when others have run.
func InsertEventLater(ctx context.Context, tx *store.Tx, e *webhook.Event, at StreamPosition) error {
	if err := insertEvent(ctx, tx, e, at.Stream, tx.EachLater); err != nil {
		return err
	}
	outboxOf(tx).queued(e.PlatformID, 1)
	q := &Queued{
		Delivery: webhook.Delivery{StreamID: at.Stream, Position: at.Position, Cause: webhook.CauseChange, State: webhook.DeliveryWaiting},
		Subject:  e.Subject,
		Type:     e.Type, Sequence: e.Sequence, Body: e.Body, CreatedAt: e.CreatedAt,
	}
	if at.taken != nil {
		at.taken.Queued = q
	}
	const text = `INSERT INTO webhook_delivery (` + deliveryColumns + `)
		SELECT webhook_event.id, webhook_event.platform_id, webhook_event.stream_id, $3, $4, $5, $6, $7, $8, $9, $10
		FROM webhook_event WHERE webhook_event.stream_id = $1 AND webhook_event.sequence = $2 RETURNING id, event_id`
	args := append([]any{int64(at.Stream), e.Sequence}, deliveryValues(&q.Delivery, tx.Now)...)
	return tx.EachLater(ctx, text, args, func(row db.Row) error { return row.Scan(&q.Delivery.ID, &q.Delivery.EventID) })
}

func insertEvent(ctx context.Context, tx *store.Tx, e *webhook.Event, stream billing.StreamID, ask asking) error {
	const text = `INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`
	e.CreatedAt = tx.Now
	args := []any{e.Type, column.OrZero(&stream), int64(e.PlatformID), e.Sequence, e.Reason, e.Body, column.Millis(&e.CreatedAt)}
	return ask(ctx, text, args, func(row db.Row) error { return row.Scan(&e.ID) })
}

// InsertTest records a test event with the one request that was made for it,
// and how that went.
func InsertTest(ctx context.Context, tx *store.Tx, e *webhook.Event, a *webhook.Attempt) error {
	if err := insertEvent(ctx, tx, e, 0, tx.Each); err != nil {
		return err
	}
	d := &webhook.Delivery{EventID: e.ID, Position: 0, Cause: webhook.CauseTest, State: webhook.DeliveryExhausted}
	if a.Outcome == webhook.AttemptDelivered {
		d.State = webhook.DeliveryDelivered
	}
	if err := insertDelivery(ctx, tx, d); err != nil {
		return err
	}
	id, err := ReserveAttempts(ctx, tx, 1)
	if err != nil {
		return err
	}
	a.ID, a.DeliveryID, a.Number = id, d.ID, 1
	return InsertAttempts(ctx, tx, []*webhook.Attempt{a})
}

const eventColumns = `webhook_event.id, webhook_event.type, webhook_stream.subject_kind, webhook_stream.subject_id, webhook_event.platform_id, webhook_event.sequence,
	webhook_event.reason, webhook_event.body, webhook_event.created_at`

func scanEvent(rows db.Row) (webhook.Event, error) {
	var e webhook.Event
	err := rows.Scan(&e.ID, &e.Type, &e.Subject.Kind, &e.Subject.ID, &e.PlatformID, &e.Sequence, &e.Reason, &e.Body, column.Millis(&e.CreatedAt))
	return e, err
}

// EventsOfTenant returns a tenant's events after a number, in order.
func EventsOfTenant(ctx context.Context, q store.Queries, id billing.TenantID, after, limit int) ([]webhook.Event, error) {
	const text = `SELECT ` + eventColumns + ` FROM webhook_stream JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id
		WHERE ` + OfTenant + ` = $1 AND webhook_event.sequence > $2 ORDER BY webhook_event.sequence LIMIT $3`
	var events []webhook.Event
	err := q.Each(ctx, text, []any{int64(id), after, limit}, func(rows db.Row) error {
		e, err := scanEvent(rows)
		events = append(events, e)
		return err
	})
	return events, err
}

// LatestEvents returns the newest event of each of those tenants.
func LatestEvents(ctx context.Context, q store.Queries, ids []billing.TenantID) (map[billing.TenantID]webhook.Event, error) {
	const text = `SELECT ` + eventColumns + `
		FROM webhook_stream JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id AND webhook_event.sequence = webhook_stream.last_sequence
		WHERE ` + OfTenant + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	events := map[billing.TenantID]webhook.Event{}
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		e, err := scanEvent(rows)
		events[e.Subject.Tenant()] = e
		return errors.Join(err, store.Spend(ctx, len(e.Body)))
	})
	return events, err
}

// DeleteEventsOfAccount removes the events of an account and of its tenants, with all
// that was done to deliver them.
func DeleteEventsOfAccount(ctx context.Context, tx *store.Tx, id billing.AccountID) error {
	const whose = OfTenant + ` IN (SELECT id FROM tenant WHERE account_id = $1) OR ` + ofAccount + ` = $1`
	// In the order in which everybody locks several streams: see HoldStreams.
	const lock = `SELECT id FROM webhook_stream WHERE ` + whose + ` ORDER BY subject_kind DESC, subject_id, platform_id`
	var locked []billing.StreamID
	if err := tx.Each(ctx, lock+tx.Dialect.ForUpdate, []any{int64(id)}, column.Collect(&locked)); err != nil {
		return err
	}
	return deleteStreams(ctx, tx, int64(id), whose)
}

// DeleteEventsTo removes the events of an event endpoint, tests too, with all that was
// done to deliver them.
func DeleteEventsTo(ctx context.Context, tx *store.Tx, id billing.EventEndpointID) error {
	if err := deleteStreams(ctx, tx, int64(id), `webhook_stream.platform_id = $1`); err != nil {
		return err
	}
	return DeleteTestsOf(ctx, tx, billing.PlatformID(id))
}

// LockStream takes a tenant's stream without an event, so that whatever
// else tells the tenant something waits until the transaction ends.
func LockStream(ctx context.Context, tx *store.Tx, tenant billing.TenantID) error {
	if tx.Dialect.ForUpdate == "" {
		return nil // there is one writer
	}
	const text = `INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries,
			delivered_sequence, highest_sequence)
		SELECT 'TENANT', id, platform_id, 0, 0, 0, 0, 0, 0, 0, 0 FROM tenant WHERE id = $1
		ON CONFLICT (subject_kind, subject_id, platform_id) DO UPDATE SET last_sequence = webhook_stream.last_sequence`
	_, err := tx.Exec(ctx, text, int64(tenant))
	return err
}

// DeleteEventsOf removes the events of a tenant, with all that was done to
// deliver them.
func DeleteEventsOf(ctx context.Context, tx *store.Tx, id billing.TenantID) error {
	return deleteStreams(ctx, tx, int64(id), OfTenant+` = $1`)
}

func deleteStreams(ctx context.Context, tx *store.Tx, id int64, whose string) error {
	streams := `(SELECT webhook_stream.id FROM webhook_stream WHERE ` + whose + `)`
	return deleteWebhooks(ctx, tx, id,
		`DELETE FROM webhook_attempt WHERE delivery_id IN (SELECT id FROM webhook_delivery WHERE stream_id IN `+streams+`)`,
		`DELETE FROM webhook_delivery WHERE stream_id IN `+streams,
		`DELETE FROM webhook_event WHERE stream_id IN `+streams,
		`DELETE FROM webhook_stream WHERE `+whose)
}

// DeleteTestsOf removes the test events of a platform.
func DeleteTestsOf(ctx context.Context, tx *store.Tx, id billing.PlatformID) error {
	const tests = `(SELECT id FROM webhook_event WHERE platform_id = $1 AND stream_id IS NULL)`
	return deleteWebhooks(ctx, tx, int64(id),
		`DELETE FROM webhook_attempt WHERE delivery_id IN (SELECT id FROM webhook_delivery WHERE event_id IN `+tests+`)`,
		`DELETE FROM webhook_delivery WHERE event_id IN `+tests,
		`DELETE FROM webhook_event WHERE platform_id = $1 AND stream_id IS NULL`)
}

func deleteWebhooks(ctx context.Context, tx *store.Tx, id int64, texts ...string) error {
	for _, text := range texts {
		if _, err := tx.Exec(ctx, text, id); err != nil {
			return err
		}
	}
	return nil
}

// RecentEvents returns a tenant's events below a number, the newest first, at
// most limit; all of them if before is 0.
func RecentEvents(ctx context.Context, q store.Queries, id billing.TenantID, before, limit int) ([]webhook.Event, error) {
	const text = `SELECT ` + eventColumns + ` FROM webhook_stream JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id
		WHERE ` + OfTenant + ` = $1 AND (CAST($2 AS BIGINT) = 0 OR webhook_event.sequence < $2) ORDER BY webhook_event.sequence DESC LIMIT $3`
	var events []webhook.Event
	err := q.Each(ctx, text, []any{int64(id), before, limit}, func(rows db.Row) error {
		e, err := scanEvent(rows)
		events = append(events, e)
		return err
	})
	return events, err
}
