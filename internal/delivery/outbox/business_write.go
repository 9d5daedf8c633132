package outbox

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

var appendToStreams = db.Batch{
	Columns: []db.Column{{"account_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"events", "BIGINT"}, {"due_at", "BIGINT"}},
	Statement: `INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at,
			attempts, tries, delivered_sequence, highest_sequence)
		SELECT 'ACCOUNT', new.account_id, new.platform_id, new.events, new.events, new.events, 0, new.due_at, 0, 0, 0, 0 FROM new WHERE 1 = 1
		ON CONFLICT (subject_kind, subject_id, platform_id) DO UPDATE SET last_sequence = webhook_stream.last_sequence + excluded.last_sequence,
			last_position = webhook_stream.last_position + excluded.last_position, newest_position = webhook_stream.last_position + excluded.last_position,
			due_at = COALESCE(webhook_stream.due_at, excluded.due_at)
		RETURNING subject_id, platform_id, id, last_sequence, last_position`,
}

// takePositions gives out the next numbers and positions of streams. Until the
// transaction ends nobody else gets any there.
func takePositions(ctx context.Context, tx *store.Tx, told []*queue) error {
	at := make(map[queueKey]*queue, len(told))
	for _, q := range told {
		at[q.queueKey] = q
	}
	return appendToStreams.Run(ctx, tx, len(told), func(i int) []any {
		return []any{int64(told[i].account), int64(told[i].endpoint), len(told[i].facts), tx.Now.UnixMilli()}
	}, func(row db.Row) error {
		var k queueKey
		var stream billing.StreamID
		var sequence int
		var position int64
		err := row.Scan(&k.account, &k.endpoint, &stream, &sequence, &position)
		if q := at[k]; err == nil && q != nil {
			q.stream, q.sequence, q.position = stream, sequence, position
		}
		return err
	})
}

// queuedEvent is an event with its place in its stream.
type queuedEvent struct {
	webhook.Event
	stream   billing.StreamID
	position int64
}

// eventsOf makes the events of streams, with the ids that their bodies name.
func eventsOf(ctx context.Context, tx *store.Tx, told []*queue, accounts map[billing.AccountID]billing.Account) ([]queuedEvent, error) {
	count := 0
	for _, q := range told {
		count += len(q.facts)
	}
	ids, err := reserveEvents(ctx, tx, count)
	if err != nil {
		return nil, err
	}
	events := make([]queuedEvent, 0, count)
	for _, q := range told {
		for n, f := range q.facts {
			behind := len(q.facts) - 1 - n
			head := webhook.BusinessHead{ID: ids[len(events)], Sequence: q.sequence - behind, At: tx.Now, Type: f.Type, Account: accounts[q.account], Test: accounts[q.account].TestClockID != nil}
			events = append(events, queuedEvent{
				Event: webhook.Event{
					ID: head.ID, Type: string(f.Type), Subject: webhook.OfAccount(q.account), PlatformID: billing.PlatformID(q.endpoint), Sequence: head.Sequence,
					Reason: f.Reason, Body: string(head.Body(f.data)), CreatedAt: tx.Now,
				},
				stream: q.stream, position: q.position - int64(behind),
			})
		}
		outboxOf(tx).queued(billing.PlatformID(q.endpoint), len(q.facts))
	}
	return events, nil
}

// reserveEvents returns ids of events, which nobody else gets.
func reserveEvents(ctx context.Context, tx *store.Tx, n int) ([]billing.EventID, error) {
	ids := make([]billing.EventID, 0, n)
	if tx.Dialect.Name == "sqlite" { // there is one writer
		last, err := tx.Number(ctx, `SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'webhook_event'), 0)`)
		for i := range n {
			ids = append(ids, billing.EventID(last+1+i))
		}
		return ids, err
	}
	const text = `SELECT nextval(pg_get_serial_sequence('webhook_event', 'id')) FROM generate_series(1, $1)`
	err := tx.Each(ctx, text, []any{n}, column.Collect(&ids))
	return ids, err
}

var insertBusinessEvents = db.Batch{
	Unasked: true,
	Columns: []db.Column{
		{"id", "BIGINT"}, {"type", "TEXT"}, {"stream_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"sequence", "BIGINT"}, {"reason", "TEXT"}, {"body", "TEXT"}, {"created_at", "BIGINT"},
	},
	Statement: `INSERT INTO webhook_event (id, type, stream_id, platform_id, sequence, reason, body, created_at)
		SELECT id, type, stream_id, platform_id, sequence, reason, body, created_at FROM new`,
}

var insertBusinessDeliveries = db.Batch{
	Unasked: true,
	Columns: []db.Column{
		{"event_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"stream_id", "BIGINT"}, {"position", "BIGINT"}, {"cause", "TEXT"}, {"forced", "BOOLEAN"},
		{"state", "TEXT"}, {"latest", "BOOLEAN"}, {"created_at", "BIGINT"}, {"updated_at", "BIGINT"},
	},
	Statement: `INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
		SELECT event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at FROM new`,
}

// insertBusiness records events and queues them.
func insertBusiness(ctx context.Context, tx *store.Tx, events []queuedEvent) error {
	err := insertBusinessEvents.Run(ctx, tx, len(events), func(i int) []any {
		e := &events[i]
		return []any{int64(e.ID), e.Type, int64(e.stream), int64(e.PlatformID), e.Sequence, e.Reason, e.Body, e.CreatedAt.UnixMilli()}
	}, nil)
	if err != nil {
		return err
	}
	return insertBusinessDeliveries.Run(ctx, tx, len(events), func(i int) []any {
		e, now := &events[i], tx.Now.UnixMilli()
		return []any{int64(e.ID), int64(e.PlatformID), int64(e.stream), e.position, webhook.CauseChange, false, webhook.DeliveryWaiting, true, now, now}
	}, nil)
}
