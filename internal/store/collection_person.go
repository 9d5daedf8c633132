package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/collect"
)

// forPerson are collections on real time that are open while nobody is asked about
// them, in the words of their index.
const forPerson = `FROM payment_collection WHERE next_at IS NULL AND outcome IN ('WAITING', 'PENDING', 'UNKNOWN') AND test_clock_id IS NULL`

// CollectionsForPerson returns collections on real time that wait until a person says
// what has become of them, at most limit of them, oldest first.
func CollectionsForPerson(ctx context.Context, q Queries, limit int) ([]collect.Collection, error) {
	columns, scan := Collections.Projection(nil)
	return Collections.rows(ctx, q, `SELECT `+columns+` `+forPerson+` ORDER BY id LIMIT $1`, []any{limit}, 0, scan)
}

// CountCollectionsForPerson counts them.
func CountCollectionsForPerson(ctx context.Context, q Queries) (n int, err error) {
	_, err = q.One(ctx, `SELECT count(*) `+forPerson, nil, &n)
	return n, err
}

// CountUnanswered counts the collections on real time whose outcome is unknown and asked
// for, among at most limit of those that are looked at next.
func CountUnanswered(ctx context.Context, q Queries, limit int) (n int, err error) {
	_, err = q.One(ctx, `SELECT count(*) FROM (SELECT outcome FROM payment_collection WHERE next_at IS NOT NULL AND test_clock_id IS NULL ORDER BY next_at, id LIMIT $1) AS soonest
		WHERE outcome = 'UNKNOWN'`, []any{limit}, &n)
	return n, err
}
