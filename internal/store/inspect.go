package store

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

	"github.com/tenantry/tenantry/internal/billing"
)

// ErrNoSchema means that a database has no tables of Tenantry.
var ErrNoSchema = errors.New("the database has no tables of Tenantry")

// SchemaVersions returns the version of the database's schema and the newest
// that this program knows.
func (s *Store) SchemaVersions(ctx context.Context) (have, known int, err error) {
	if known, err = newestMigration(s.dialect.migrations()); err != nil {
		return 0, 0, err
	}
	exists := `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`
	if s.dialect.name == "postgres" {
		exists = `SELECT count(*) FROM (SELECT to_regclass('goose_db_version') AS name) AS looked WHERE name IS NOT NULL`
	}
	n, err := s.Queries().number(ctx, exists)
	if err != nil {
		return 0, known, err
	}
	if n == 0 {
		return 0, known, ErrNoSchema
	}
	have, err = s.Queries().number(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied`)
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
func (s *Store) QuickCheck(ctx context.Context) (wrong []string, err error) {
	err = s.Queries().each(ctx, `PRAGMA quick_check(5)`, nil, func(rows scanner) error {
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
func (s *Store) WritesAhead() (bool, error) {
	f, err := os.Open(s.path)
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
func (s *Store) PostgresFacts(ctx context.Context) (*PostgresFacts, error) {
	// Of each setting what holds without a word from this connection.
	const text = `SELECT CAST(current_setting('server_version_num') AS INTEGER),
		(SELECT reset_val FROM pg_settings WHERE name = 'fsync'),
		(SELECT reset_val FROM pg_settings WHERE name = 'full_page_writes'),
		(SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
		` + allowedConnections + `,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'tenantry')`
	f := &PostgresFacts{Used: s.connections + otherConnections}
	_, err := s.Queries().one(ctx, text, nil, &f.Version, &f.Fsync, &f.FullPageWrites, &f.SynchronousCommit, &f.Connections, &f.Taken)
	return f, err
}

// DatabaseTime returns what the clock of the database shows; that of SQLite is
// the machine's.
func (s *Store) DatabaseTime(ctx context.Context) (time.Time, error) {
	text := `SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`
	if s.dialect.name == "postgres" {
		text = `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`
	}
	var millis int64
	_, err := s.Queries().one(ctx, text, nil, &millis)
	return time.UnixMilli(millis), err
}

// LastWrite returns when the newest entry of the audit log was written, the
// zero time if there is none.
func LastWrite(ctx context.Context, q Queries) (at time.Time, err error) {
	_, err = q.one(ctx, `SELECT at FROM audit_entry ORDER BY id DESC LIMIT 1`, nil, millis(&at))
	return at, err
}

// AllRoutes returns how the webhooks of all platforms go.
func AllRoutes(ctx context.Context, q Queries) ([]Route, error) {
	var found []Route
	text, scan := routes("NULL", `1 = 1 ORDER BY webhook_endpoint.platform_id`, &found)
	err := q.each(ctx, text, nil, scan)
	return found, err
}

// FailedJobs returns the jobs that failed, the newest first, at most limit.
func FailedJobs(ctx context.Context, q Queries, limit int) ([]billing.Job, error) {
	columns, scan := Jobs.projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE state = 'failed' ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}

// CountBehindOn returns how many tenants of a platform are out of sync for a
// reason, but counts no further than most.
func CountBehindOn(ctx context.Context, q Queries, platform billing.PlatformID, why Behind, most int) (int, error) {
	return q.number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_stream
		WHERE platform_id = $1 AND `+string(why)+` AND delivered_sequence <> last_sequence LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}

// CountGivenUpOn returns how many events of a platform were given up after their
// last attempt, but counts no further than most.
func CountGivenUpOn(ctx context.Context, q Queries, platform billing.PlatformID, most int) (int, error) {
	return q.number(ctx, `SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
		WHERE platform_id = $1 AND state = 'exhausted' AND state <> 'delivered' AND latest LIMIT CAST($2 AS BIGINT)) AS counted`, int64(platform), most)
}
