package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	rest "math/rand/v2"
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
	presence:       true,
	arrays:         true,
	migrations:     migrationsOf("postgres"),
}

func (s *Store) openPostgres(ctx context.Context, o Options) error {
	s.dialect, s.name = postgresDialect, rand.Text()
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return fmt.Errorf("the PostgreSQL address in --db or TENANTRY_DB is not valid: %w; it must be like postgres://USER:PASSWORD@HOST:PORT/DATABASE", hidePassword(err))
	}
	if _, set := config.RuntimeParams["application_name"]; !set {
		config.RuntimeParams["application_name"] = "tenantry"
	}
	server, err := probePostgres(ctx, config, o.Pooler)
	if err != nil {
		return cannotReachPostgres(config, err)
	}
	s.pooled, s.connections = server.pooled, cmp.Or(o.Connections, DefaultConnections(server.allowed))
	if s.pooled && config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		// The types of parameters are remembered, but no statement is prepared.
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if o.ReadOnly {
		return s.lookAtPostgres(ctx, config)
	}
	if !o.SkipMigrations {
		if err := migratePostgres(ctx, config, server.pooled); err != nil {
			return err
		}
	}
	db := s.openPool(config, s.connections, insist)
	if err := db.PingContext(ctx); err != nil {
		return cannotReachPostgres(config, err)
	}
	s.read, s.share, s.stats = db, newShare(s.connections), db.Stats
	s.reader = plainRunner{db, &s.count}
	if !s.pooled {
		s.listen = func(ctx context.Context, heard func(string)) error { return listenOn(ctx, config, heard) }
	}
	s.attend = func(ctx context.Context, number int64, present func()) error {
		if s.pooled {
			return ErrPooled
		}
		return attendOn(ctx, config, number, present)
	}
	w := &postgresWriter{store: s, db: db}
	s.onClose(w.stop)
	s.write = w
	return nil
}

// openPool opens connections that are closed with the store. Each begins with
// the settings that a session must have, if it stays the same.
func (s *Store) openPool(config *pgx.ConnConfig, connections int, settings string) pool {
	var options []stdlib.OptionOpenDB
	if !s.pooled && settings != "" {
		options = append(options, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, settings)
			return err
		}))
	}
	db := stdlib.OpenDB(*config, options...)
	s.onClose(db.Close)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return pool{db}
}

// insist makes a commit wait for the disk where the server is set to answer
// before, and a transaction end that nothing is heard of any more: a process
// that was frozen in one would keep its rows from all others. Stronger settings
// stay.
const insist = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
	UNION ALL SELECT set_config('idle_in_transaction_session_timeout', '30s', false) WHERE current_setting('idle_in_transaction_session_timeout') = '0'`

// insistHere is insist for one transaction, where the session is not ours.
var insistHere = strings.ReplaceAll(insist, ", false)", ", true)")

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
	db    pool

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

// attempts at a transaction that PostgreSQL ends because of another one, and the
// longest pause after the first of them.
const (
	postgresAttempts = 6
	attemptRest      = 2 * time.Millisecond
)

func (w *postgresWriter) write(ctx context.Context, do func(context.Context, *Tx) error) error {
	w.underWay.RLock()
	defer w.underWay.RUnlock()
	if w.stopped {
		return errStopped
	}
	var err error
	for n := range postgresAttempts {
		if err = w.once(ctx, do); !isTransient(err) || !pause(ctx, n) {
			return err
		}
	}
	return err
}

// pause waits before a transaction is run again, the longer the more often it
// was: two that crossed should not cross again. It reports whether ctx goes on.
func pause(ctx context.Context, attempt int) bool {
	timer := time.NewTimer(rest.N(attemptRest << attempt))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
