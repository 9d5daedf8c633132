package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// database is what statements are run on: a *sql.DB, or a pool that waits.
type database interface {
	Conn(ctx context.Context) (*sql.Conn, error)
	PingContext(ctx context.Context) error
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// pool is the connections to PostgreSQL. Package sql waits when all of them are
// taken, but fails when the server refuses another one, although one of them
// may be free again in a moment. This waits then too.
type pool struct{ *sql.DB }

const (
	// fullRest is the first pause after a connection was refused; it doubles up
	// to longestFullRest.
	fullRest, longestFullRest = 5 * time.Millisecond, 250 * time.Millisecond
	// fullTime bounds the wait of a caller that has no deadline.
	fullTime = 30 * time.Second
)

// whenFree calls do again for as long as it fails because PostgreSQL has no
// connection left, until ctx ends. Such a statement was never sent.
func whenFree[T any](ctx context.Context, do func() (T, error)) (T, error) {
	value, err := do()
	if !isFullHouse(err) {
		return value, err
	}
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, fullTime)
		defer cancel()
	}
	for rest := fullRest; isFullHouse(err); rest = min(2*rest, longestFullRest) {
		timer := time.NewTimer(rest/2 + rand.N(rest))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return value, err
		}
		value, err = do()
	}
	return value, err
}

// isFullHouse reports whether PostgreSQL, or a pooler before it, refused a
// connection only because there are too many.
func isFullHouse(err error) bool {
	var connecting *pgconn.ConnectError
	var answer *pgconn.PgError
	if !errors.As(err, &connecting) || !errors.As(err, &answer) {
		return false
	}
	return answer.Code == "53300" || strings.Contains(answer.Message, "no more connections allowed")
}

// Conn returns a connection for the caller alone.
func (p pool) Conn(ctx context.Context) (*sql.Conn, error) {
	return whenFree(ctx, func() (*sql.Conn, error) { return p.DB.Conn(ctx) })
}

// PingContext reports whether the database answers.
func (p pool) PingContext(ctx context.Context) error {
	_, err := whenFree(ctx, func() (any, error) { return nil, p.DB.PingContext(ctx) })
	return err
}

// ExecContext runs a statement on any connection.
func (p pool) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return whenFree(ctx, func() (sql.Result, error) { return p.DB.ExecContext(ctx, text, args...) })
}

// QueryContext runs a query on any connection.
func (p pool) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return whenFree(ctx, func() (*sql.Rows, error) { return p.DB.QueryContext(ctx, text, args...) })
}
