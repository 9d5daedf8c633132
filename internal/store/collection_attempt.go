package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// AttemptsOf returns the attempts of collections, in their order.
func AttemptsOf(ctx context.Context, q Queries, ids []billing.PaymentCollectionID) ([]collect.Attempt, error) {
	return attemptRows(ctx, q, `payment_collection_id IN (SELECT value FROM json_each($1))`, db.JSONList(ids))
}

// AttemptByReference returns the attempt that a provider knows by a reference, nil if
// there is none.
func AttemptByReference(ctx context.Context, q Queries, provider collect.Provider, reference string) (*collect.Attempt, error) {
	if reference == "" {
		return nil, nil
	}
	found, err := attemptRows(ctx, q, `reference = $1 AND reference <> '' AND (SELECT provider FROM payment_collection WHERE id = payment_collection_id) = $2`, reference, string(provider))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// AttemptsOfPayments returns the attempts that payments came of.
func AttemptsOfPayments(ctx context.Context, q Queries, payments []billing.PaymentID) ([]collect.Attempt, error) {
	return attemptRows(ctx, q, `payment_id IN (SELECT value FROM json_each($1)) AND payment_id IS NOT NULL`, db.JSONList(payments))
}

func attemptRows(ctx context.Context, q Queries, where string, args ...any) (found []collect.Attempt, err error) {
	text := `SELECT id, payment_collection_id, number, started_at, sent_at, finished_at, outcome, code, message, hard, reference, payment_id, method_revision
		FROM payment_attempt WHERE ` + where + ` ORDER BY payment_collection_id, number`
	err = q.Each(ctx, text, args, func(rows scanner) error {
		var a collect.Attempt
		err := rows.Scan(&a.ID, &a.CollectionID, &a.Number, column.Millis(&a.StartedAt), column.OptionalMillis(&a.SentAt), column.OptionalMillis(&a.FinishedAt),
			&a.Outcome, &a.Code, &a.Message, &a.Hard, &a.Reference, &a.PaymentID, &a.MethodRevision)
		found = append(found, a)
		return err
	})
	return found, err
}

// SaveAttempts writes attempts, new ones and those that were made before.
func SaveAttempts(ctx context.Context, tx *Tx, attempts []*collect.Attempt) error {
	return saveAttempts.Run(ctx, tx, len(attempts), func(n int) []any {
		a := attempts[n]
		return []any{
			int64(a.CollectionID), a.Number, a.StartedAt.UnixMilli(), column.OptionalMillis(&a.SentAt), column.OptionalMillis(&a.FinishedAt),
			string(a.Outcome), a.Code, a.Message, a.Hard, a.Reference, a.PaymentID, a.MethodRevision,
		}
	}, nil)
}

var saveAttempts = &db.Batch{
	Columns: []db.Column{
		{"collection", "BIGINT"}, {"number", "BIGINT"}, {"started", "BIGINT"}, {"sent", "BIGINT"}, {"finished", "BIGINT"}, {"outcome", "TEXT"}, {"code", "TEXT"},
		{"message", "TEXT"}, {"hard", "BOOLEAN"}, {"reference", "TEXT"}, {"payment", "BIGINT"}, {"revision", "BIGINT"},
	},
	Statement: `INSERT INTO payment_attempt (payment_collection_id, number, started_at, sent_at, finished_at, outcome, code, message, hard, reference, payment_id, method_revision)
		SELECT new.collection, new.number, new.started, new.sent, new.finished, new.outcome, new.code, new.message, new.hard, new.reference, new.payment, new.revision FROM new WHERE true
		ON CONFLICT (payment_collection_id, number) DO UPDATE SET sent_at = excluded.sent_at, finished_at = excluded.finished_at, outcome = excluded.outcome,
		code = excluded.code, message = excluded.message, hard = excluded.hard, reference = excluded.reference, payment_id = excluded.payment_id`,
}
