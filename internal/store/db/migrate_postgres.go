package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"
)

const (
	// migrationAsk is how often a process that waits looks whether another one
	// has migrated the database. It asks instead of waiting in the database,
	// where a statement that waits would hold up who makes an index.
	migrationAsk = 200 * time.Millisecond
	// migrationTime is how long it waits: an index of millions of rows takes
	// minutes to make.
	migrationTime = time.Hour
)

// migrationSettings keep what a role, a database or the server is set to from
// making a migration fail: an isolation level, read only, a time limit.
const migrationSettings = insist + `
	UNION ALL SELECT set_config('default_transaction_isolation', 'read committed', false)
	UNION ALL SELECT set_config('default_transaction_read_only', 'off', false)
	UNION ALL SELECT set_config('statement_timeout', '0', false)`

// migratePostgres brings the schema up to date. Of several processes that start
// at once, one migrates and the others wait for it.
func (d *DB) migratePostgres(ctx context.Context, config *pgx.ConnConfig) (err error) {
	own := &DB{pooled: d.pooled}
	defer func() { err = errors.Join(err, own.Close()) }()
	db := own.openPool(config, MinConnections, migrationSettings)
	if err := db.PingContext(ctx); err != nil {
		return cannotReachPostgres(config, err)
	}
	unlock, err := lockMigrations(ctx, db)
	if err != nil {
		return cannotMigrate(err)
	}
	defer unlock()
	_, err = whenFree(ctx, func() (any, error) { return nil, d.migrate(ctx, db.DB) })
	return err
}

// lockMigrations takes the lock under which the schema is changed. It belongs to
// a transaction, because behind a pooler nothing else is tied to one session.
func lockMigrations(ctx context.Context, db pool) (unlock func(), err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	end := func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // a connection that is lost has no lock
		conn.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, migrationTime)
	defer cancel()
	for {
		locked, err := tryLockMigrations(ctx, conn)
		if err == nil && locked {
			return end, nil
		}
		if _, ended := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err == nil {
			err = ended
		}
		if err != nil {
			conn.Close()
			return nil, err
		}
		timer := time.NewTimer(migrationAsk)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			conn.Close()
			return nil, errors.Join(errors.New("another process has been migrating the database; try again when it is done"), ctx.Err())
		}
	}
}

// tryLockMigrations begins a transaction that may be idle for as long as the
// migrations take.
func tryLockMigrations(ctx context.Context, conn *sql.Conn) (locked bool, err error) {
	for _, text := range []string{beginWrite, "SET LOCAL idle_in_transaction_session_timeout = 0"} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return false, err
		}
	}
	// The number that goose used for a lock of its own in earlier versions.
	err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", lock.DefaultLockID).Scan(&locked)
	return locked, err
}
