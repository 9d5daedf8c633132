package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	rest "math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

var postgresDialect = &Dialect{
	Name:           "postgres",
	ForUpdateSkip:  " FOR UPDATE SKIP LOCKED",
	ForUpdate:      " FOR UPDATE",
	ForNoKeyUpdate: " FOR NO KEY UPDATE",
	Position:       "strpos",
	beginFrozen:    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	KeepPlans:      "set_config('plan_cache_mode', 'force_generic_plan', true)",
	presence:       true,
	arrays:         true,
}

func (d *DB) openPostgres(ctx context.Context, o Options) error {
	d.dialect, d.name = postgresDialect, rand.Text()
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
	d.pooled, d.connections = server.pooled, cmp.Or(o.Connections, DefaultConnections(server.allowed))
	if d.pooled && config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		// The types of parameters are remembered, but no statement is prepared.
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if o.ReadOnly {
		return d.lookAtPostgres(ctx, config)
	}
	if !o.SkipMigrations {
		if err := d.migratePostgres(ctx, config); err != nil {
			return err
		}
	}
	db := d.openPool(config, d.connections, insist)
	if err := db.PingContext(ctx); err != nil {
		return cannotReachPostgres(config, err)
	}
	d.read, d.share, d.stats = db, newShare(d.connections), db.Stats
	d.reader = plainRunner{pool: db, count: &d.count}
	if !d.pooled {
		d.listen = func(ctx context.Context, channel string, heard func(string)) error {
			return listenOn(ctx, config, channel, heard)
		}
	}
	d.attend = func(ctx context.Context, number int64, present func()) error {
		if d.pooled {
			return ErrPooled
		}
		return attendOn(ctx, config, number, present)
	}
	w := &postgresWriter{of: d, db: db}
	d.onClose(w.stop)
	d.write = w
	return nil
}

// openPool opens connections that are closed with the store. Each begins with
// the settings that a session must have, if it stays the same.
func (d *DB) openPool(config *pgx.ConnConfig, connections int, settings string) pool {
	var options []stdlib.OptionOpenDB
	if !d.pooled && settings != "" {
		options = append(options, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, settings)
			return err
		}))
	}
	db := stdlib.OpenDB(*config, options...)
	d.onClose(db.Close)
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

// plainRunner runs statements on one connection to PostgreSQL, or each on any
// that is free. pgx keeps them prepared by itself.
type plainRunner struct {
	pool  database  // any connection of it
	conn  *sql.Conn // or this one, if it is not nil
	count *atomic.Int64
}

func (r plainRunner) each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	r.count.Add(1)
	if r.conn != nil {
		return eachOn(ctx, r.conn, text, args, scan)
	}
	for {
		conn, err := r.pool.Conn(ctx)
		if err != nil {
			return err
		}
		err = eachOn(ctx, conn, text, args, scan)
		conn.Close()
		if !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

// eachOn runs a query by pgx itself: package sql would convert every value once
// more. A connection that turns out to be dead before anything was sent is not
// used again; the error is driver.ErrBadConn then.
func eachOn(ctx context.Context, conn *sql.Conn, text string, args []any, scan func(Row) error) error {
	return conn.Raw(func(raw any) error {
		rows, err := raw.(*stdlib.Conn).Conn().Query(ctx, text, args...)
		if err != nil {
			if pgconn.SafeToRetry(err) && ctx.Err() == nil {
				return driver.ErrBadConn
			}
			return err
		}
		defer rows.Close()
		return scanRows(rows, scan)
	})
}

func (r plainRunner) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	r.count.Add(1)
	if r.conn != nil {
		return r.conn.ExecContext(ctx, text, args...)
	}
	return r.pool.ExecContext(ctx, text, args...)
}

type postgresWriter struct {
	of *DB
	db pool

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
