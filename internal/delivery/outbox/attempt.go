package outbox

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// ReserveAttempts gives out n ids for attempts and returns the first. Nobody
// else gets them, whatever becomes of them; until the transaction ends, nobody
// gets others.
func ReserveAttempts(ctx context.Context, tx *store.Tx, n int) (billing.AttemptID, error) {
	const text = `UPDATE counter SET value = counter.value + CAST($1 AS BIGINT) WHERE counter.name = 'attempt' RETURNING counter.value`
	var last billing.AttemptID
	_, err := tx.One(ctx, text, []any{n}, &last)
	return last - billing.AttemptID(n) + 1, err
}

var insertAttempts = db.Batch{
	Unasked: true,
	Columns: []db.Column{
		{"id", "BIGINT"}, {"delivery_id", "BIGINT"}, {"number", "BIGINT"}, {"outcome", "TEXT"}, {"url", "TEXT"}, {"address", "TEXT"}, {"status", "BIGINT"},
		{"error", "TEXT"}, {"request_headers", "TEXT"}, {"response_headers", "TEXT"}, {"response_body", "TEXT"}, {"truncated", "BOOLEAN"}, {"timings", "TEXT"},
		{"started_at", "BIGINT"}, {"finished_at", "BIGINT"},
	},
	Statement: `INSERT INTO webhook_attempt (id, delivery_id, number, outcome, url, address, status, error, request_headers, response_headers, response_body,
			truncated, timings, started_at, finished_at)
		SELECT id, delivery_id, number, outcome, url, address, status, error, request_headers, response_headers, response_body,
			truncated, timings, started_at, finished_at FROM new`,
}

// InsertAttempts records how requests went, under ids that were reserved. The
// caller has locked their streams.
func InsertAttempts(ctx context.Context, tx *store.Tx, attempts []*webhook.Attempt) error {
	return insertAttempts.Run(ctx, tx, len(attempts), func(i int) []any {
		a := attempts[i]
		return []any{
			int64(a.ID), int64(a.DeliveryID), a.Number, a.Outcome, a.URL, a.Address, a.Status,
			a.Error, string(a.RequestHeaders), column.OptionalJSON(&a.ResponseHeaders), a.ResponseBody, a.Truncated, column.OptionalJSON(&a.Timings),
			column.Millis(&a.StartedAt), column.OptionalMillis(&a.FinishedAt),
		}
	}, nil)
}

// AttemptsOf returns the requests made for those deliveries, in order, and the
// one that is under way, which their stream knows.
func AttemptsOf(ctx context.Context, q store.Queries, deliveries []billing.DeliveryID) ([]webhook.Attempt, error) {
	list := db.JSONList(deliveries)
	// First, because one that ends meanwhile is found among the others then.
	underWay, err := underWay(ctx, q, "webhook_delivery.id", list)
	if err != nil {
		return nil, err
	}
	found, err := attempts(ctx, q, "delivery_id", list)
	for _, a := range underWay {
		if !slices.ContainsFunc(found, func(other webhook.Attempt) bool { return other.ID == a.ID }) {
			found = append(found, a.Attempt)
		}
	}
	slices.SortStableFunc(found, func(a, b webhook.Attempt) int {
		return cmp.Or(cmp.Compare(a.DeliveryID, b.DeliveryID), cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	return found, err
}

// underWayAttempt is a request under way, and the event it is for.
type underWayAttempt struct {
	webhook.Attempt
	event billing.EventID
}

// underWay returns the requests under way for the deliveries that a column finds by
// the values of a JSON list. Where such a request goes is where the platform's
// webhooks go now.
func underWay(ctx context.Context, q store.Queries, by, list string) ([]underWayAttempt, error) {
	text := `SELECT webhook_stream.attempt_id, webhook_delivery.id, webhook_delivery.event_id, webhook_stream.tries, COALESCE(platform.webhook_url, ''), COALESCE(webhook_stream.started_at, 0)
		FROM webhook_delivery JOIN webhook_stream ON ` + Head + `
			JOIN platform ON platform.id = webhook_stream.platform_id
		WHERE ` + by + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND webhook_stream.under_way`
	var found []underWayAttempt
	err := q.Each(ctx, text, []any{list}, func(rows db.Row) error {
		a := underWayAttempt{Attempt: webhook.Attempt{Outcome: webhook.AttemptStarted, RequestHeaders: []byte("{}")}}
		err := rows.Scan(&a.ID, &a.DeliveryID, &a.event, &a.Number, &a.URL, column.Millis(&a.StartedAt))
		found = append(found, a)
		return err
	})
	return found, err
}

// attempts returns those that a column finds by the values of a JSON list.
func attempts(ctx context.Context, q store.Queries, by, list string) ([]webhook.Attempt, error) {
	text := `SELECT id, delivery_id, number, outcome, url, address, status, error, request_headers, response_headers, response_body,
			truncated, timings, started_at, finished_at
		FROM webhook_attempt WHERE ` + by + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY delivery_id, number, id`
	var found []webhook.Attempt
	err := q.Each(ctx, text, []any{list}, func(rows db.Row) error {
		var a webhook.Attempt
		err := rows.Scan(&a.ID, &a.DeliveryID, &a.Number, &a.Outcome, &a.URL, &a.Address, &a.Status, &a.Error, column.OptionalJSON(&a.RequestHeaders),
			column.OptionalJSON(&a.ResponseHeaders), &a.ResponseBody, &a.Truncated, column.OptionalJSON(&a.Timings), column.Millis(&a.StartedAt), column.OptionalMillis(&a.FinishedAt))
		found = append(found, a)
		return errors.Join(err, store.Spend(ctx, store.Length(a.ResponseBody)+len(a.RequestHeaders)+len(a.ResponseHeaders)))
	})
	return found, err
}

// WasSent reports whether any request may have told the receiver of an event in
// its own words: those of a delivery whose body no payload program makes.
func WasSent(ctx context.Context, q store.Queries, id billing.EventID) (bool, error) {
	const text = `SELECT 1 FROM webhook_attempt JOIN webhook_delivery ON webhook_delivery.id = webhook_attempt.delivery_id
		WHERE webhook_delivery.event_id = $1 AND webhook_delivery.body IS NULL
			AND (webhook_attempt.outcome = 'unknown' OR webhook_attempt.address IS NOT NULL) LIMIT 1`
	var one int
	return q.One(ctx, text, []any{int64(id)}, &one)
}

// LastAttempts returns the last request made for each of those events, over all
// its deliveries; there is none for an event that was never sent.
func LastAttempts(ctx context.Context, q store.Queries, ids []billing.EventID) (map[billing.EventID]*webhook.Attempt, error) {
	list := db.JSONList(ids)
	underWay, err := underWay(ctx, q, "webhook_delivery.event_id", list) // first, as in AttemptsOf
	if err != nil {
		return nil, err
	}
	const text = `SELECT webhook_event.id, (SELECT webhook_attempt.id FROM webhook_delivery JOIN webhook_attempt ON webhook_attempt.delivery_id = webhook_delivery.id
			WHERE webhook_delivery.event_id = webhook_event.id ORDER BY webhook_delivery.id DESC, webhook_attempt.number DESC, webhook_attempt.id DESC LIMIT 1)
		FROM webhook_event WHERE webhook_event.id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	events := make(map[billing.AttemptID]billing.EventID, len(ids))
	var last []billing.AttemptID
	err = q.Each(ctx, text, []any{list}, func(rows db.Row) error {
		var event billing.EventID
		var id *billing.AttemptID
		err := rows.Scan(&event, &id)
		if id != nil {
			events[*id] = event
			last = append(last, *id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[billing.EventID]*webhook.Attempt, len(last))
	// What is under way is for the last delivery that was begun.
	for i := range underWay {
		found[underWay[i].event] = &underWay[i].Attempt
	}
	if len(last) == 0 {
		return found, nil
	}
	made, err := attempts(ctx, q, "id", db.JSONList(last))
	for i := range made {
		a := &made[i]
		if begun := found[events[a.ID]]; begun == nil || begun.DeliveryID < a.DeliveryID || begun.DeliveryID == a.DeliveryID && begun.Number <= a.Number {
			found[events[a.ID]] = a
		}
	}
	return found, err
}
