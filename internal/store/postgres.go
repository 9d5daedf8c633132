package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

var postgresDialect = dialect{
	name:           "postgres",
	forUpdateSkip:  " FOR UPDATE SKIP LOCKED",
	forUpdate:      " FOR UPDATE",
	forNoKeyUpdate: " FOR NO KEY UPDATE",
	position:       "strpos",
	beginFrozen:    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	keepPlans:      "set_config('plan_cache_mode', 'force_generic_plan', true)",
	arrays:         true,
	migrations:     migrationsOf("postgres"),
}

// connections to PostgreSQL per process; more gained nothing when measured.
const postgresConnections = 16

func (s *Store) openPostgres(ctx context.Context, o Options) error {
	s.dialect, s.name = postgresDialect, rand.Text()
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return fmt.Errorf("the PostgreSQL address in --db or TENANTRY_DB is not valid: %w; it must be like postgres://USER:PASSWORD@HOST:PORT/DATABASE", hidePassword(err))
	}
	if _, set := config.RuntimeParams["application_name"]; !set {
		config.RuntimeParams["application_name"] = "tenantry"
	}
	if o.ReadOnly {
		return s.lookAtPostgres(ctx, config)
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(insist))
	s.onClose(db.Close)
	db.SetMaxOpenConns(postgresConnections)
	db.SetMaxIdleConns(postgresConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if err := db.PingContext(ctx); err != nil {
		return cannotReachPostgres(config, err)
	}
	if !o.SkipMigrations {
		if err := migrate(ctx, db, postgresDialect); err != nil {
			return err
		}
	}
	s.read = db
	s.reader = plainRunner{db, &s.count}
	s.listen = func(ctx context.Context, heard func(string)) error { return listenOn(ctx, config, heard) }
	s.attend = func(ctx context.Context, number int64, present func()) error {
		return attendOn(ctx, config, number, present)
	}
	w := &postgresWriter{store: s, db: db}
	s.onClose(w.stop)
	s.write = w
	return nil
}

// insist makes a commit wait for the disk where the server is set to answer
// before, and a transaction end that nothing is heard of any more: a process
// that was frozen in one would keep its rows from all others. Stronger settings
// stay.
func insist(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
		UNION ALL SELECT set_config('idle_in_transaction_session_timeout', '30s', false) WHERE current_setting('idle_in_transaction_session_timeout') = '0'`)
	return err
}

// plainRunner hands statements on; pgx keeps them prepared by itself.
type plainRunner struct {
	on interface {
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
		ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	}
	count *atomic.Int64
}

func (r plainRunner) query(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	r.count.Add(1)
	if hasWord(text) {
		args = append([]any{pgx.QueryExecModeExec}, args...)
	}
	return r.on.QueryContext(ctx, text, args...)
}

// hasWord tells whether a query looks for a word. A plan that is kept does not
// know it, and how to find it best depends on how rare it is.
func hasWord(text string) bool { return strings.Contains(text, " LIKE ") }

func (r plainRunner) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	r.count.Add(1)
	return r.on.ExecContext(ctx, text, args...)
}

type postgresWriter struct {
	store *Store
	db    *sql.DB

	underWay sync.RWMutex // read-locked by every transaction
	stopped  bool
}

// stop lets transactions under way finish, which closing a sql.DB does not.
func (w *postgresWriter) stop() error {
	w.underWay.Lock()
	defer w.underWay.Unlock()
	w.stopped = true
	return nil
}

// attempts at a transaction that PostgreSQL ends because of another one.
const postgresAttempts = 5

func (w *postgresWriter) write(ctx context.Context, do func(context.Context, *Tx) error) error {
	w.underWay.RLock()
	defer w.underWay.RUnlock()
	if w.stopped {
		return errStopped
	}
	var err error
	for range postgresAttempts {
		if err = w.once(ctx, do); !isTransient(err) {
			return err
		}
	}
	return err
}
