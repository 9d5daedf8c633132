package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// ErrNoSchema means that a database has no tables of Tenantry.
var ErrNoSchema = errors.New("the database has no tables of Tenantry")

// SchemaVersions returns the version of the database's schema and the newest
// that this program knows.
func (d *DB) SchemaVersions(ctx context.Context) (have, known int, err error) {
	if known, err = newestMigration(d.migrations()); err != nil {
		return 0, 0, err
	}
	exists := `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`
	if d.dialect.Name == "postgres" {
		exists = `SELECT count(*) FROM (SELECT to_regclass('goose_db_version') AS name) AS looked WHERE name IS NOT NULL`
	}
	n, err := d.Queries().Number(ctx, exists)
	if err != nil {
		return 0, known, err
	}
	if n == 0 {
		return 0, known, ErrNoSchema
	}
	have, err = d.Queries().Number(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied`)
	return have, known, err
}

func newestMigration(files fs.FS) (newest int, err error) {
	names, err := fs.Glob(files, "*.sql")
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number: %w", name, err)
		}
		newest = max(newest, version)
	}
	return newest, err
}

// QuickCheck returns what SQLite finds wrong with the file's structure, at most
// a few things.
func (d *DB) QuickCheck(ctx context.Context) (wrong []string, err error) {
	err = d.Queries().Each(ctx, `PRAGMA quick_check(5)`, nil, func(rows Row) error {
		var line string
		err := rows.Scan(&line)
		if line != "ok" {
			wrong = append(wrong, line)
		}
		return err
	})
	return wrong, err
}

// WritesAhead reports whether the SQLite file is in WAL mode. It looks into the
// file's header, because a connection that only reads may not know.
func (d *DB) WritesAhead() (bool, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	const version, wal = 18, 2 // where the version of the format is, and which one is WAL
	var header [version + 1]byte
	_, err = io.ReadFull(f, header[:])
	return header[version] == wal, err
}

// PostgresFacts is what the health of an installation on PostgreSQL rests on.
type PostgresFacts struct {
	Version                                  int // such as 150004
	Fsync, FullPageWrites, SynchronousCommit string
	// Connections is how many this user may open to this database, Taken how many
	// others have at the moment, and Used how many one server opens at the most.
	Connections, Taken, Used int
}

// PostgresFacts reads the settings of the PostgreSQL server.
func (d *DB) PostgresFacts(ctx context.Context) (*PostgresFacts, error) {
	// Of each setting what holds without a word from this connection.
	const text = `SELECT CAST(current_setting('server_version_num') AS INTEGER),
		(SELECT reset_val FROM pg_settings WHERE name = 'fsync'),
		(SELECT reset_val FROM pg_settings WHERE name = 'full_page_writes'),
		(SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
		` + allowedConnections + `,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'tenantry')`
	f := &PostgresFacts{Used: d.connections + otherConnections}
	_, err := d.Queries().One(ctx, text, nil, &f.Version, &f.Fsync, &f.FullPageWrites, &f.SynchronousCommit, &f.Connections, &f.Taken)
	return f, err
}

// DatabaseTime returns what the clock of the database shows; that of SQLite is
// the machine's.
func (d *DB) DatabaseTime(ctx context.Context) (time.Time, error) {
	text := `SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`
	if d.dialect.Name == "postgres" {
		text = `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`
	}
	var millis int64
	_, err := d.Queries().One(ctx, text, nil, &millis)
	return time.UnixMilli(millis), err
}
