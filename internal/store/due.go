package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tenantry/tenantry/internal/billing"
)

// DueSubscriptions returns the ids of at most limit subscriptions on real time
// that something is due for on that day or before, longest due first. Those
// that were set aside are left out.
func DueSubscriptions(ctx context.Context, q Queries, today billing.Date, limit int) ([]billing.SubscriptionID, error) {
	const text = `SELECT id FROM subscription
		WHERE due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL AND due_on <= $1 ORDER BY due_on, id LIMIT $2`
	return q.subscriptionIDs(ctx, text, today.String(), limit)
}

// DueOnClock is DueSubscriptions for the accounts on a test clock.
func DueOnClock(ctx context.Context, q Queries, clock billing.TestClockID, today billing.Date, limit int) ([]billing.SubscriptionID, error) {
	const text = `SELECT id FROM subscription
		WHERE test_clock_id = $3 AND due_on IS NOT NULL AND problem IS NULL AND due_on <= $1 ORDER BY due_on, id LIMIT $2`
	return q.subscriptionIDs(ctx, text, today.String(), limit, int64(clock))
}

// NextDue returns the next day on which something is due for a subscription on
// real time, and whether there is one.
func NextDue(ctx context.Context, q Queries) (billing.Date, bool, error) {
	const text = `SELECT due_on FROM subscription
		WHERE due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL ORDER BY due_on, id LIMIT 1`
	return q.nextDay(ctx, text)
}

// nextDay returns the day that a query finds. One that cannot be read keeps
// nobody from the others: it counts for none.
func (q Queries) nextDay(ctx context.Context, text string, args ...any) (billing.Date, bool, error) {
	var written string
	found, err := q.one(ctx, text, args, &written)
	if err != nil || !found {
		return billing.Date{}, false, err
	}
	d, err := billing.ParseDate(written)
	return d, err == nil, nil
}

// NextDueOnClock is NextDue for the accounts on a test clock.
func NextDueOnClock(ctx context.Context, q Queries, clock billing.TestClockID) (billing.Date, bool, error) {
	const text = `SELECT due_on FROM subscription
		WHERE test_clock_id = $1 AND due_on IS NOT NULL AND problem IS NULL ORDER BY due_on, id LIMIT 1`
	return q.nextDay(ctx, text, int64(clock))
}

// SetSubscriptionProblem sets a subscription aside with the reason why, unless
// nothing is due for it any more on that day: somebody else was luckier.
func SetSubscriptionProblem(ctx context.Context, tx *Tx, id billing.SubscriptionID, day billing.Date, problem string) error {
	_, err := tx.exec(ctx, `UPDATE subscription SET problem = $1, updated_at = $2 WHERE id = $3 AND due_on <= $4`,
		problem, tx.Now.UnixMilli(), int64(id), day.String())
	return err
}

// MendDue writes when a subscription is due next where that was wrong, and
// reports whether it was.
func MendDue(ctx context.Context, tx *Tx, s *billing.Subscription) (bool, error) {
	var due driver.Value
	if d, some := s.Due(); some {
		due = d.String()
	}
	n, err := tx.exec(ctx, `UPDATE subscription SET due_on = CAST($1 AS TEXT) WHERE id = $2 AND due_on IS DISTINCT FROM CAST($1 AS TEXT)`, due, int64(s.ID))
	return n > 0, err
}

// errClosed is what package sql says of a database that was closed. It gives
// this error no name.
var errClosed = func() error {
	db := sql.OpenDB(nowhere{})
	db.Close()
	return db.Ping()
}()

// nowhere connects to nothing.
type nowhere struct{}

func (nowhere) Connect(context.Context) (driver.Conn, error) { return nil, driver.ErrBadConn }
func (nowhere) Driver() driver.Driver                        { return nil }

// IsOutage reports whether err says that the database cannot do its work at the
// moment, and not that it was given something wrong.
func IsOutage(err error) bool {
	var onPostgres *pgconn.PgError
	if errors.As(err, &onPostgres) {
		// Classes 22 and 23 are bad data and violated constraints.
		return !strings.HasPrefix(onPostgres.Code, "22") && !strings.HasPrefix(onPostgres.Code, "23")
	}
	var onSQLite *sqlite.Error
	if errors.As(err, &onSQLite) {
		return !sqliteCode(err, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG)
	}
	return isGone(err)
}

// passing are the classes and codes with which PostgreSQL says that the same
// statement may succeed later: connections, transactions that met another one,
// resources, locks, an operator who stopped it, a server that only reads since
// another one took over, and its disks.
var passing = []string{"08", "40", "53", "55P03", "57", "25006", "58030"}

// IsUnavailable reports whether err says that the database cannot answer at the
// moment, and that whoever asked should ask again. Unlike IsOutage it is false
// for a statement that will never work.
func IsUnavailable(err error) bool {
	var onPostgres *pgconn.PgError
	if errors.As(err, &onPostgres) {
		return slices.ContainsFunc(passing, func(code string) bool { return strings.HasPrefix(onPostgres.Code, code) })
	}
	var onSQLite *sqlite.Error
	if errors.As(err, &onSQLite) {
		return sqliteCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_INTERRUPT)
	}
	return isGone(err)
}

// isGone reports whether there was no answer from the database.
func isGone(err error) bool {
	var unreachable *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &unreachable) || errors.As(err, &network) || pgconn.SafeToRetry(err) {
		return true
	}
	for _, gone := range []error{
		ErrUnsure, errStopped, errClosed, context.Canceled, context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
