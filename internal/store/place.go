package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// KnownPlaces returns those of two places that a user has signed in from.
func KnownPlaces(ctx context.Context, q Queries, user billing.UserID, one, other string) (known []string, err error) {
	const text = `SELECT place FROM sign_in_place WHERE user_id = $1 AND place IN ($2, $3)`
	err = q.each(ctx, text, []any{int64(user), one, other}, func(rows scanner) error {
		var place string
		err := rows.Scan(&place)
		known = append(known, place)
		return err
	})
	return known, err
}

// RememberPlace records that a user has signed in from a place.
func RememberPlace(ctx context.Context, tx *Tx, user billing.UserID, place string) error {
	_, err := tx.exec(ctx, `INSERT INTO sign_in_place (user_id, place, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, place) DO UPDATE SET seen_at = excluded.seen_at`, int64(user), place, tx.Now.UnixMilli())
	return err
}

// ForgetPlacesBefore forgets the places that nobody has signed in from since.
func ForgetPlacesBefore(ctx context.Context, tx *Tx, before time.Time) (int64, error) {
	return tx.exec(ctx, `DELETE FROM sign_in_place WHERE seen_at < $1`, before.UnixMilli())
}

// ForgetPlacesOf forgets all places that a user has signed in from.
func ForgetPlacesOf(ctx context.Context, tx *Tx, user billing.UserID) error {
	_, err := tx.exec(ctx, `DELETE FROM sign_in_place WHERE user_id = $1`, int64(user))
	return err
}
