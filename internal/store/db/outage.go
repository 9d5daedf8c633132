package db

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
)

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
