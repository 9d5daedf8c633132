package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // registers the driver
)

var sqliteDialect = &Dialect{
	Name:           "sqlite",
	SearchTables:   true,
	Position:       "instr",
	beginFrozen:    "BEGIN",
	yieldAfterRead: true,
}

// ErrSecondServer means that another server has the SQLite file open.
var ErrSecondServer = errors.New("another tenantry server is using this database file; " +
	"SQLite serves one server process: stop the other one, or use PostgreSQL to run several")

// readers is how many connections read at once. More gain nothing on SQLite
// and keep the writer waiting. Requests have all but one of them.
const readers = 5

// common settings of every connection: a transaction that is answered has
// reached the disk (FULL), foreign keys hold, "text" in double quotes is an
// error rather than a string.
const sqliteCommon = "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_dqs=0"

func (d *DB) openSQLite(ctx context.Context, path string, o Options) error {
	// A database in memory would be another one for every connection.
	if path == "" || path == ":memory:" {
		return fmt.Errorf("the database sqlite:%s names no file; write sqlite:PATH", path)
	}
	if o.ReadOnly {
		return d.lookAtSQLite(ctx, path)
	}
	d.dialect, d.path, d.connections = sqliteDialect, path, readers+1
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cannotMakeDir(filepath.Dir(path), err)
	}
	if o.Exclusive {
		unlock, err := lockFile(ctx, path+".serve.lock", 0)
		if errors.Is(err, errLocked) {
			return ErrSecondServer
		}
		if err != nil {
			return cannotOpenSQLite(path, err)
		}
		d.onClose(unlock)
		d.alone = true
	}
	if !o.SkipMigrations {
		if err := makePrivate(path); err != nil {
			return err
		}
		if err := d.migrateSQLite(ctx, path); err != nil {
			return err
		}
	}
	write, err := openSQLiteDB(ctx, path, "_txlock=immediate&_pragma=busy_timeout(10000)", 1)
	if err != nil {
		return err
	}
	d.onClose(write.Close)
	group, err := startGroupCommit(ctx, d, write)
	if err != nil {
		return err
	}
	d.onClose(group.stop)
	d.write = group
	read, err := openSQLiteDB(ctx, path, "_pragma=query_only(1)&_pragma=busy_timeout(10000)&_pragma=mmap_size(268435456)", readers)
	if err != nil {
		return err
	}
	d.onClose(read.Close)
	d.read, d.share, d.stats = read, newShare(readers), read.Stats
	prepared := newPreparedRunner(read, &d.count)
	d.onClose(prepared.close)
	d.reader = prepared
	return nil
}

// makePrivate makes a new database file that only its owner can read, wherever
// it is; SQLite gives the files beside it the same mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return cannotOpenSQLite(path, err)
	}
	return f.Close()
}

func openSQLiteDB(ctx context.Context, path, settings string, connections int) (*sql.DB, error) {
	return openSQLiteAt(ctx, path, url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: sqliteCommon + "&" + settings}, connections)
}

func openSQLiteAt(ctx context.Context, path string, address url.URL, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, cannotOpenSQLite(path, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, cannotOpenSQLite(path, err)
	}
	return db, nil
}

var errLocked = errors.New("locked")

// lockFile takes a lock that ends with the process, however it ends. SQLite's
// own locks do that on every system, so the lock is a tiny database that is
// kept in an exclusive transaction. Its journal is in memory: to lock a file
// needs no room on the disk.
func lockFile(ctx context.Context, path string, waitMillis int) (unlock func() error, err error) {
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(MEMORY)", waitMillis)}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = conn.ExecContext(ctx, "BEGIN EXCLUSIVE")
	}
	if err != nil {
		db.Close()
		if isBusy(err) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return func() error {
		conn.Close()
		return db.Close()
	}, nil
}

func (d *DB) migrateSQLite(ctx context.Context, path string) error {
	unlock, err := lockFile(ctx, path+".migrate.lock", 60_000)
	if errors.Is(err, errLocked) {
		return errors.New("another process has been migrating the database for a minute; try again when it is done")
	}
	if err != nil {
		return cannotOpenSQLite(path, err)
	}
	defer unlock()
	db, err := openSQLiteDB(ctx, path, "_pragma=busy_timeout(60000)", 1)
	if err != nil {
		return err
	}
	defer db.Close()
	return d.migrate(ctx, db)
}

// Backup writes a consistent copy of a live SQLite database to a new file.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.dialect.Name != "sqlite" {
		return errors.New("backup copies a SQLite database; use pg_dump for PostgreSQL")
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already; choose another name", path)
	}
	// A connection of its own, because the readers' may not write, not even to
	// another file. It reads a snapshot: writers go on meanwhile.
	db, err := openSQLiteDB(ctx, d.path, "_pragma=busy_timeout(10000)", 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := copySQLite(ctx, db, path); err != nil {
		return fmt.Errorf("cannot write the backup: %w", err)
	}
	return nil
}

// copySQLite writes a copy of a database that appears under its name only when
// it is whole.
func copySQLite(ctx context.Context, db *sql.DB, path string) error {
	part := path + ".part"
	os.Remove(part)
	_, err := db.ExecContext(ctx, "VACUUM INTO $1", part)
	if err == nil {
		err = syncFile(part)
	}
	if err != nil {
		os.Remove(part)
		return err
	}
	return os.Rename(part, path)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	return f.Sync()
}
