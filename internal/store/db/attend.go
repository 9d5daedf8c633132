package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrPooled means that a connection pooler stands before PostgreSQL: a lock of a
// session would be the pooler's and say nothing about this process.
var ErrPooled = errors.New("a connection pooler stands between this process and PostgreSQL")

const (
	// presenceClass is the class of the advisory locks that processes hold.
	presenceClass = 0x74656e61
	// attendEvery is how often a process looks whether it holds its lock still,
	// and attendPatience how long it waits for any answer.
	attendEvery    = 500 * time.Millisecond
	attendPatience = 2 * time.Second
)

// Attend proves to others that this process lives, by a lock that ends with its
// connection. It calls present when it has the lock, and returns when that is
// lost or cannot be had. Where there is no such lock it returns nil at once.
func (d *DB) Attend(ctx context.Context, number int64, present func()) error {
	if d.attend == nil {
		return nil
	}
	return d.attend(ctx, number, present)
}

// Alive returns of each of those processes whether it proves that it lives; nil
// where there is no lock to prove it by.
func (d *DB) Alive(ctx context.Context, numbers []int64) (map[int64]bool, error) {
	if d.attend == nil {
		return nil, nil
	}
	const text = `SELECT asked.number, EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.locktype = 'advisory' AND pg_locks.granted
			AND pg_locks.classid = CAST(CAST($1 AS BIGINT) AS OID) AND pg_locks.objid = CAST(asked.number AS OID) AND pg_locks.objsubid = 2
			AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
		FROM unnest(CAST($2 AS BIGINT[])) AS asked (number)`
	alive := make(map[int64]bool, len(numbers))
	err := d.Queries().Each(ctx, text, []any{int64(presenceClass), numbers}, func(rows Row) error {
		var number int64
		var lives bool
		err := rows.Scan(&number, &lives)
		alive[number] = lives
		return err
	})
	return alive, err
}

// KeepDead returns which of those processes are dead, and keeps them from coming
// back to life before the transaction ends. Where there is no lock to prove life
// by, all of them are.
func (tx *Tx) KeepDead(ctx context.Context, numbers []int64) (dead []int64, err error) {
	if !tx.Dialect.presence {
		return numbers, nil
	}
	const text = `SELECT number FROM unnest(CAST($1 AS BIGINT[])) AS asked (number) WHERE pg_try_advisory_xact_lock($2, CAST(number AS INTEGER))`
	err = tx.Each(ctx, text, []any{numbers, int32(presenceClass)}, func(rows Row) error {
		var number int64
		err := rows.Scan(&number)
		dead = append(dead, number)
		return err
	})
	return dead, err
}

// attendOn holds the lock on a connection of its own.
func attendOn(ctx context.Context, config *pgx.ConnConfig, number int64, present func()) error {
	connecting, cancel := context.WithTimeout(ctx, attendPatience)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), attendPatience)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if err := lockPresence(ctx, conn, number); err != nil {
		return err
	}
	present()
	ticker := time.NewTicker(attendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		asking, cancel := context.WithTimeout(ctx, attendPatience)
		_, err := conn.Exec(asking, `SELECT 1`)
		cancel()
		if err != nil {
			return err
		}
	}
}

// lockPresence takes the lock of a process.
func lockPresence(ctx context.Context, conn *pgx.Conn, number int64) error {
	ctx, cancel := context.WithTimeout(ctx, attendPatience)
	defer cancel()
	// The server looks after the connection, so that a machine that lost its power
	// does not keep its lock for hours; a process that is only frozen answers.
	const lock = `SELECT pg_try_advisory_lock($1, $2),
		set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', '3', false),
		set_config('tcp_user_timeout', '5000', false)`
	var locked bool
	var set string
	if err := conn.QueryRow(ctx, lock, int32(presenceClass), int32(number)).Scan(&locked, &set, &set, &set, &set); err != nil {
		return err
	}
	if !locked {
		return errors.New("the connection of before has the lock still")
	}
	return nil
}
