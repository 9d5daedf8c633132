package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

const sessionColumns = `token_hash, user_id, created_at, seen_at, address, browser`

func scanSession(rows scanner) (s billing.Session, err error) {
	return s, rows.Scan(&s.TokenHash, &s.UserID, column.Millis(&s.CreatedAt), column.Millis(&s.SeenAt), &s.Address, &s.Browser)
}

// InsertSession begins a session now.
func InsertSession(ctx context.Context, tx *Tx, s *billing.Session) error {
	s.CreatedAt, s.SeenAt = tx.Now, tx.Now
	_, err := tx.Exec(ctx, `INSERT INTO console_session (`+sessionColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.TokenHash, int64(s.UserID), column.Millis(&s.CreatedAt), column.Millis(&s.SeenAt), s.Address, s.Browser)
	return err
}

// SessionByHash returns the session whose token has that hash, or nil, be it
// over or not.
func SessionByHash(ctx context.Context, q Queries, hash string) (*billing.Session, error) {
	var found *billing.Session
	err := q.Each(ctx, `SELECT `+sessionColumns+` FROM console_session WHERE token_hash = $1`, []any{hash}, func(rows scanner) error {
		s, err := scanSession(rows)
		found = &s
		return err
	})
	return found, err
}

// SessionsOf returns a user's sessions, the last used first.
func SessionsOf(ctx context.Context, q Queries, user billing.UserID) ([]billing.Session, error) {
	const text = `SELECT ` + sessionColumns + ` FROM console_session WHERE user_id = $1 ORDER BY seen_at DESC, token_hash LIMIT 100`
	var all []billing.Session
	err := q.Each(ctx, text, []any{int64(user)}, func(rows scanner) error {
		s, err := scanSession(rows)
		all = append(all, s)
		return err
	})
	return all, err
}

// TouchSession records that a session is in use.
func TouchSession(ctx context.Context, tx *Tx, hash string) error {
	_, err := tx.Exec(ctx, `UPDATE console_session SET seen_at = $1 WHERE token_hash = $2`, tx.Now.UnixMilli(), hash)
	return err
}

// DeleteSession ends a session and reports whether there was one.
func DeleteSession(ctx context.Context, tx *Tx, hash string) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM console_session WHERE token_hash = $1`, hash)
	return n > 0, err
}

// DeleteSessionsOf ends a user's sessions, all but the one whose token has the
// hash in except, and returns how many there were.
func DeleteSessionsOf(ctx context.Context, tx *Tx, user billing.UserID, except string) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM console_session WHERE user_id = $1 AND token_hash <> $2`, int64(user), except)
}

// DeleteSessionsBefore removes the sessions that were last used before a time,
// or begun before another one.
func DeleteSessionsBefore(ctx context.Context, tx *Tx, used, begun time.Time) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM console_session WHERE seen_at <= $1 OR created_at <= $2`, used.UnixMilli(), begun.UnixMilli())
}
