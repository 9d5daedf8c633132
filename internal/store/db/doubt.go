package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// commitError is the failure of a commit on PostgreSQL.
type commitError struct{ err error }

func (e commitError) Error() string { return e.err.Error() }
func (e commitError) Unwrap() error { return e.err }

// IsInDoubt reports whether nobody knows if the transaction that failed with err
// is committed: its COMMIT was sent, and no answer came. SQLite always knows.
func IsInDoubt(err error) bool {
	var commit commitError
	if !errors.As(err, &commit) || pgconn.SafeToRetry(err) || errors.Is(err, errRolledBack) {
		return false
	}
	var answer *pgconn.PgError
	// What ends the connection may come between the commit and its answer.
	return !errors.As(err, &answer) || answer.SeverityUnlocalized != "ERROR"
}
