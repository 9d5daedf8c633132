package store

import (
	"context"
	"database/sql"

	"github.com/tenantry/tenantry/internal/billing"
)

var startAttempts = batch{
	columns: []batchColumn{{"delivery_id", "BIGINT"}, {"number", "BIGINT"}, {"url", "TEXT"}, {"started_at", "BIGINT"}},
	statement: `INSERT INTO webhook_attempt (delivery_id, number, outcome, url, request_headers, truncated, started_at)
		SELECT delivery_id, number, 'started', url, '{}', 1 < 0, started_at FROM new RETURNING id, delivery_id`,
}

// StartAttempts records requests that are about to be made and sets their ids.
// No delivery has more than one of them.
func StartAttempts(ctx context.Context, tx *Tx, attempts []*billing.Attempt) error {
	byDelivery := make(map[billing.DeliveryID]*billing.Attempt, len(attempts))
	for _, a := range attempts {
		a.Outcome, a.StartedAt = billing.AttemptStarted, tx.Now
		byDelivery[a.DeliveryID] = a
	}
	return startAttempts.run(ctx, tx, len(attempts), func(i int) []any {
		a := attempts[i]
		return []any{int64(a.DeliveryID), a.Number, a.URL, tx.Now.UnixMilli()}
	}, func(rows *sql.Rows) error {
		var id billing.AttemptID
		var delivery billing.DeliveryID
		err := rows.Scan(&id, &delivery)
		byDelivery[delivery].ID = id
		return err
	})
}

var finishAttempts = batch{
	columns: []batchColumn{
		{"id", "BIGINT"}, {"outcome", "TEXT"}, {"url", "TEXT"}, {"address", "TEXT"}, {"status", "BIGINT"}, {"error", "TEXT"}, {"request_headers", "TEXT"},
		{"response_headers", "TEXT"}, {"response_body", "TEXT"}, {"truncated", "BOOLEAN"}, {"timings", "TEXT"}, {"started_at", "BIGINT"}, {"finished_at", "BIGINT"},
	},
	statement: `UPDATE webhook_attempt SET outcome = new.outcome, url = new.url, address = new.address, status = new.status, error = new.error,
		request_headers = new.request_headers, response_headers = new.response_headers, response_body = new.response_body, truncated = new.truncated,
		timings = new.timings, started_at = new.started_at, finished_at = new.finished_at
		FROM new WHERE webhook_attempt.id = new.id`,
}

// FinishAttempts records how requests went.
func FinishAttempts(ctx context.Context, tx *Tx, attempts []*billing.Attempt) error {
	return finishAttempts.run(ctx, tx, len(attempts), func(i int) []any {
		a := attempts[i]
		return []any{
			int64(a.ID), a.Outcome, a.URL, a.Address, a.Status, a.Error, string(a.RequestHeaders), optionalJSON(&a.ResponseHeaders), a.ResponseBody,
			a.Truncated, optionalJSON(&a.Timings), millis(&a.StartedAt), optionalMillis(&a.FinishedAt),
		}
	}, nil)
}

// MarkUnknown says of requests that were under way that nobody can tell how
// they went.
func MarkUnknown(ctx context.Context, tx *Tx, ids []billing.AttemptID) error {
	if len(ids) == 0 {
		return nil
	}
	const text = `UPDATE webhook_attempt SET outcome = 'unknown', error = 'The process that made the request did not live to see the answer, or was told to stop.'
		WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND outcome = 'started'`
	_, err := tx.exec(ctx, text, jsonList(ids))
	return err
}

// ForgetAttempts removes requests that were prepared and never made.
func ForgetAttempts(ctx context.Context, tx *Tx, ids []billing.AttemptID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.exec(ctx, `DELETE FROM webhook_attempt WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND outcome = 'started'`, jsonList(ids))
	return err
}

// AttemptsOf returns the requests made for those deliveries, in order.
func AttemptsOf(ctx context.Context, q Queries, deliveries []billing.DeliveryID) ([]billing.Attempt, error) {
	return attempts(ctx, q, "delivery_id", jsonList(deliveries))
}

// attempts returns those in whose column one of the values of a JSON list is.
func attempts(ctx context.Context, q Queries, column, list string) ([]billing.Attempt, error) {
	text := `SELECT id, delivery_id, number, outcome, url, address, status, error, request_headers, response_headers, response_body,
			truncated, timings, started_at, finished_at
		FROM webhook_attempt WHERE ` + column + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY delivery_id, number, id`
	var found []billing.Attempt
	err := q.each(ctx, text, []any{list}, func(rows *sql.Rows) error {
		var a billing.Attempt
		err := rows.Scan(&a.ID, &a.DeliveryID, &a.Number, &a.Outcome, &a.URL, &a.Address, &a.Status, &a.Error, optionalJSON(&a.RequestHeaders),
			optionalJSON(&a.ResponseHeaders), &a.ResponseBody, &a.Truncated, optionalJSON(&a.Timings), millis(&a.StartedAt), optionalMillis(&a.FinishedAt))
		found = append(found, a)
		return err
	})
	return found, err
}

// WasSent reports whether any request may have told the receiver of an event in
// its own words: those of a delivery whose body no payload program makes.
func WasSent(ctx context.Context, q Queries, id billing.EventID) (bool, error) {
	const text = `SELECT 1 FROM webhook_attempt JOIN webhook_delivery ON webhook_delivery.id = webhook_attempt.delivery_id
		WHERE webhook_delivery.event_id = $1 AND webhook_delivery.body IS NULL
			AND (webhook_attempt.outcome = 'unknown' OR webhook_attempt.address IS NOT NULL) LIMIT 1`
	var one int
	return q.one(ctx, text, []any{int64(id)}, &one)
}
