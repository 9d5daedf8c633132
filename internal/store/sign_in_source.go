package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// KnownSources returns those of two sources that a user has signed in from.
func KnownSources(ctx context.Context, q Queries, user billing.UserID, one, other string) (known []string, err error) {
	const text = `SELECT source FROM sign_in_source WHERE user_id = $1 AND source IN ($2, $3)`
	err = q.Each(ctx, text, []any{int64(user), one, other}, func(rows scanner) error {
		var source string
		err := rows.Scan(&source)
		known = append(known, source)
		return err
	})
	return known, err
}

// RememberSource records that a user has signed in from a source.
func RememberSource(ctx context.Context, tx *Tx, user billing.UserID, source string) error {
	_, err := tx.Exec(ctx, `INSERT INTO sign_in_source (user_id, source, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, source) DO UPDATE SET seen_at = excluded.seen_at`, int64(user), source, tx.Now.UnixMilli())
	return err
}

// ForgetSourcesBefore forgets the sources that nobody has signed in from since.
func ForgetSourcesBefore(ctx context.Context, tx *Tx, before time.Time) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM sign_in_source WHERE seen_at < $1`, before.UnixMilli())
}

// ForgetSourcesOf forgets all sources that a user has signed in from.
func ForgetSourcesOf(ctx context.Context, tx *Tx, user billing.UserID) error {
	_, err := tx.Exec(ctx, `DELETE FROM sign_in_source WHERE user_id = $1`, int64(user))
	return err
}
