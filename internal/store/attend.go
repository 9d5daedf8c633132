package store

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

// Alone says that no other process sends webhooks from this database: the lock of
// an exclusive Open proves that those before it are dead.
func (s *Store) Alone() bool { return s.alone }

// Attend proves to others that this process lives, by a lock that ends with its
// connection. It calls present when it has the lock, and returns when that is
// lost or cannot be had. Where there is no such lock it returns nil at once.
func (s *Store) Attend(ctx context.Context, number int64, present func()) error {
	if s.attend == nil {
		return nil
	}
	return s.attend(ctx, number, present)
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
