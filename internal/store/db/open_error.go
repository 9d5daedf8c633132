package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"
)

// openError says in a line why a database cannot be opened, and what to do.
type openError struct {
	message string
	cause   error
}

func (e *openError) Error() string { return e.message }
func (e *openError) Unwrap() error { return e.cause }

// cannotMakeDir explains why the directory of a SQLite file cannot be made.
func cannotMakeDir(dir string, err error) error {
	return &openError{fmt.Sprintf("cannot make the data directory %s: %s; choose another one with --data-dir, "+
		"or make it and give it to the user who runs tenantry", dir, plainReason(err)), err}
}

// cannotOpenSQLite explains why a SQLite file cannot be opened.
func cannotOpenSQLite(path string, err error) error {
	say := func(format string, args ...any) error { return &openError{fmt.Sprintf(format, args...), err} }
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case isDirectory(path):
		return say("cannot open the database: %s is a directory; name a file with --db sqlite:PATH, or a directory with --data-dir", path)
	case errors.Is(err, fs.ErrPermission), sqliteCode(err, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
		return say("cannot write to the database %s: %s; give the directory %s and the files in it to the user who runs tenantry, "+
			"or choose another directory with --data-dir", path, plainReason(err), filepath.Dir(path))
	case sqliteCode(err, sqlite3.SQLITE_NOTADB):
		return say("%s is not a SQLite database; name another file with --db sqlite:PATH, or put a backup in its place", path)
	case sqliteCode(err, sqlite3.SQLITE_CORRUPT):
		return say("the database %s is damaged: %s; keep a copy of it, and put the last backup in its place", path, err)
	case IsFull(err), errors.Is(err, syscall.ENOSPC):
		return say("cannot write to the database %s: the disk is full; make room in %s", path, filepath.Dir(path))
	}
	return say("cannot open the database %s: %s; check the path that --data-dir or --db names", path, plainReason(err))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// plainReason is what the system said, without the path that the message has
// already.
func plainReason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// cannotReachPostgres explains why there is no connection to PostgreSQL.
func cannotReachPostgres(c *pgx.ConnConfig, err error) error {
	at := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") {
		at = c.Host // the directory of its socket
	}
	say := func(format string, args ...any) error { return &openError{fmt.Sprintf(format, args...), err} }
	var answer *pgconn.PgError
	var name *net.DNSError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &answer):
		return &openError{refusedByPostgres(c, at, answer), err}
	case errors.As(err, &name):
		return say("cannot reach PostgreSQL: the host %q is not known; correct it in --db or TENANTRY_DB", c.Host)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return say("cannot reach PostgreSQL at %s: nothing listens there; start PostgreSQL, or correct host and port in --db or TENANTRY_DB", at)
	case pgconn.Timeout(err), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return say("cannot reach PostgreSQL at %s: there was no answer in time; check host and port in --db or TENANTRY_DB, and the firewall", at)
	case strings.Contains(err.Error(), "refused TLS connection"):
		return say("cannot reach PostgreSQL at %s: it does not offer TLS; switch that on there, or add sslmode=disable to --db in a network you trust", at)
	}
	cause, _, _ := strings.Cut(lastCause(err).Error(), "\n")
	return say("cannot reach PostgreSQL at %s: %s; check --db or TENANTRY_DB", at, hidePassword(errors.New(cause)))
}

// lastCause is the error that all others are about.
func lastCause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// refusedByPostgres says what to do about an answer of PostgreSQL.
func refusedByPostgres(c *pgx.ConnConfig, at string, answer *pgconn.PgError) string {
	switch answer.Code {
	case "28P01":
		return fmt.Sprintf("PostgreSQL at %s refuses the password of the user %q; correct it in --db or TENANTRY_DB", at, c.User)
	case "28000":
		return fmt.Sprintf("PostgreSQL at %s does not let the user %q in: %s; correct the user in --db or TENANTRY_DB, or allow it in pg_hba.conf", at, c.User, answer.Message)
	case "3D000":
		return fmt.Sprintf("PostgreSQL at %s has no database %q; make it with \"createdb %s\", or correct the name in --db or TENANTRY_DB", at, c.Database, c.Database)
	case "53300":
		return fmt.Sprintf("PostgreSQL at %s has no connection left: %s; raise max_connections, or stop other programs", at, answer.Message)
	case "57P03":
		return fmt.Sprintf("PostgreSQL at %s does not take connections yet: %s; try again in a moment", at, answer.Message)
	}
	return fmt.Sprintf("cannot reach PostgreSQL at %s: %s (SQLSTATE %s); check --db or TENANTRY_DB", at, answer.Message, answer.Code)
}

// cannotMigrate explains why the schema cannot be brought up to date.
func cannotMigrate(err error) error {
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == "42501" {
		return &openError{fmt.Sprintf("this user may not make tables in the database: %s; make the user the owner of the database "+
			"(ALTER DATABASE … OWNER TO …), or GRANT it CREATE on the database and its schema", answer.Message), err}
	}
	return fmt.Errorf("cannot migrate the database: %w", err)
}
