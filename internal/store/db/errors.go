package db

import (
	"errors"
	"regexp"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnsure is why nothing is done that depends on what day it is, while nobody
// knows. It is worth a retry.
var ErrUnsure = errors.New("nothing was changed: the clock cannot be believed, so nobody knows what day it is; " +
	"try again when the clocks agree, or when somebody has resumed the lifecycle")

// IsDuplicate reports whether err is a violated unique constraint.
func IsDuplicate(err error) bool {
	return sqliteCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY) || postgresCode(err, "23505")
}

// IsReference reports whether err is a violated foreign key: a row that is
// referred to does not exist, or one that is still referred to was deleted.
func IsReference(err error) bool {
	return sqliteCode(err, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY) || postgresCode(err, "23503")
}

// IsFull reports whether err says that there is no room left on the disk.
func IsFull(err error) bool {
	return sqliteCode(err, sqlite3.SQLITE_FULL) || postgresCode(err, "53100")
}

// isTransient reports whether PostgreSQL ended a transaction only because of
// another one: a deadlock or a serialization failure.
func isTransient(err error) bool { return postgresCode(err, "40P01", "40001") }

func isBusy(err error) bool { return sqliteCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) }

func sqliteCode(err error, codes ...int) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code() == code || e.Code()&0xff == code {
			return true
		}
	}
	return false
}

func postgresCode(err error, codes ...string) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code == code {
			return true
		}
	}
	return false
}

var passwordInURL = regexp.MustCompile(`(://[^:/@\s]*):[^@\s]*@`)

// hidePassword keeps the password of a database address out of messages.
func hidePassword(err error) error {
	text := err.Error()
	if clean := passwordInURL.ReplaceAllString(text, "$1:***@"); clean != text {
		return errors.New(clean)
	}
	return err
}
