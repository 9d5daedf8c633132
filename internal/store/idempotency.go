package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// IdempotencyKey is a request's claim on its Idempotency-Key. Claim is a token
// of the process that runs the request, good until ClaimedUntil; an empty
// claim means that the request is done.
type IdempotencyKey struct {
	Client, Key  string
	BodyHash     string
	Claim        string
	ClaimedUntil time.Time
	CreatedAt    time.Time
}

// InsertIdempotencyKey claims the key and reports whether it was free.
func InsertIdempotencyKey(ctx context.Context, tx *Tx, k IdempotencyKey) (bool, error) {
	const text = `INSERT INTO idempotency_key (client, key, body_hash, claim, claimed_until, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (client, key) DO NOTHING`
	n, err := tx.Exec(ctx, text, k.Client, k.Key, k.BodyHash, k.Claim, k.ClaimedUntil.UnixMilli(), k.CreatedAt.UnixMilli())
	return n == 1, err
}

// LockIdempotencyKey returns the claim on a key and keeps others from changing
// it until the transaction ends.
func LockIdempotencyKey(ctx context.Context, tx *Tx, client, key string) (k IdempotencyKey, found bool, err error) {
	text := `SELECT client, key, body_hash, claim, claimed_until, created_at FROM idempotency_key
		WHERE client = $1 AND key = $2` + tx.Dialect.ForUpdate
	found, err = tx.One(ctx, text, []any{client, key},
		&k.Client, &k.Key, &k.BodyHash, &k.Claim, column.Millis(&k.ClaimedUntil), column.Millis(&k.CreatedAt))
	return k, found, err
}

// SetIdempotencyClaim changes who runs the request; an empty claim ends it.
func SetIdempotencyClaim(ctx context.Context, tx *Tx, k IdempotencyKey) error {
	_, err := tx.Exec(ctx, `UPDATE idempotency_key SET claim = $1, claimed_until = $2 WHERE client = $3 AND key = $4`,
		k.Claim, k.ClaimedUntil.UnixMilli(), k.Client, k.Key)
	return err
}

// IdempotencyStep returns the recorded outcome of one mutation of a request.
func IdempotencyStep(ctx context.Context, q Queries, client, key, step string) (outcome string, found bool, err error) {
	const text = `SELECT outcome FROM idempotency_step WHERE client = $1 AND key = $2 AND step = $3`
	found, err = q.One(ctx, text, []any{client, key, step}, &outcome)
	return outcome, found, err
}

// HasIdempotencySteps reports whether outcomes of a request are recorded whose key is not
// older than a time.
func HasIdempotencySteps(ctx context.Context, q Queries, client, key string, since time.Time) (bool, error) {
	const text = `SELECT 1 FROM idempotency_key WHERE client = $1 AND key = $2 AND created_at >= $3
		AND EXISTS (SELECT 1 FROM idempotency_step WHERE idempotency_step.client = $1 AND idempotency_step.key = $2)`
	var one int
	return q.One(ctx, text, []any{client, key, since.UnixMilli()}, &one)
}

// InsertIdempotencyStep records the outcome of one mutation of a request.
func InsertIdempotencyStep(ctx context.Context, tx *Tx, client, key, step, outcome string) error {
	_, err := tx.Exec(ctx, `INSERT INTO idempotency_step (client, key, step, outcome) VALUES ($1, $2, $3, $4)`, client, key, step, outcome)
	return err
}

// DeleteIdempotencyKey forgets a key and its outcomes.
func DeleteIdempotencyKey(ctx context.Context, tx *Tx, client, key string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM idempotency_step WHERE client = $1 AND key = $2`, client, key); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM idempotency_key WHERE client = $1 AND key = $2`, client, key)
	return err
}

// The statements that forget many keys. Who records a step locks its key first.
var (
	keyColumns        = []db.Column{{"client", "TEXT"}, {"key", "TEXT"}}
	deleteStepsOfKeys = &db.Batch{Columns: keyColumns, Statement: `DELETE FROM idempotency_step WHERE (client, key) IN (SELECT client, key FROM new)`}
	deleteKeys        = &db.Batch{Columns: keyColumns, Statement: `DELETE FROM idempotency_key WHERE (client, key) IN (SELECT client, key FROM new)`}
)

// DeleteIdempotencyKeysBefore forgets at most limit keys made before a time
// and returns how many it forgot. It passes over keys that somebody holds: a
// step recorded meanwhile would be left without its key.
func DeleteIdempotencyKeysBefore(ctx context.Context, tx *Tx, before time.Time, limit int) (int64, error) {
	text := `SELECT client, key FROM idempotency_key WHERE created_at < $1 ORDER BY created_at, client, key LIMIT $2` + tx.Dialect.ForUpdateSkip
	var old [][]any
	err := tx.Each(ctx, text, []any{before.UnixMilli(), limit}, func(rows scanner) error {
		var client, key string
		err := rows.Scan(&client, &key)
		old = append(old, []any{client, key})
		return err
	})
	for _, b := range []*db.Batch{deleteStepsOfKeys, deleteKeys} {
		if err == nil {
			err = b.Run(ctx, tx, len(old), func(row int) []any { return old[row] }, nil)
		}
	}
	return int64(len(old)), err
}
