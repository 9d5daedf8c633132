package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/clock"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	dialect dialect
	clock   *clock.Clock
	alone   bool     // no other process sends webhooks from this database
	read    database // answers Queries
	share   share    // of requests in the connections of read
	write   writer
	reader  runner
	path    string // of the SQLite file
	count   atomic.Int64
	name    string // which no other process on the database has
	// connections is the size of the pool, and pooled says that a transaction
	// is all that a session of it can be relied on for.
	connections int
	pooled      bool
	stats       func() sql.DBStats // of the connections that are waited for
	// sender sends the webhooks of this process, if any.
	sender        atomic.Pointer[Sender]
	platformCache platformCache
	// listen waits for news of other processes, if the engine can.
	listen func(ctx context.Context, heard func(string)) error
	// attend proves that this process lives, if the engine can.
	attend  func(ctx context.Context, number int64, present func()) error
	catalog catalogCache
	closers []func() error
}

// writer runs transactions: one by one in groups on SQLite, side by side on
// PostgreSQL.
type writer interface {
	write(ctx context.Context, do func(context.Context, *Tx) error) error
}

// Options say how a database is opened.
type Options struct {
	// URL is sqlite:PATH or postgres://….
	URL string
	// Now is a clock to go by, whatever it shows; nil for the database's own.
	Now func() time.Time
	// Wall is this machine's clock, which the database's is compared with; the
	// real one if nil.
	Wall func() time.Time
	// Exclusive makes a second exclusive Open of the same SQLite file fail.
	// A server is exclusive, a command is not. PostgreSQL needs no such thing.
	Exclusive bool
	// ReadOnly opens what is there to look at it: nothing is changed, and Write
	// fails.
	ReadOnly bool
	// Connections is how many PostgreSQL is asked for at the most, beside one or
	// two for other purposes; 0 is DefaultConnections of what it allows.
	Connections int
	// Pooler says what stands before PostgreSQL; empty is PoolerAuto.
	Pooler Pooler
	// SkipMigrations leaves the schema as it is: for a backup, and for tests.
	SkipMigrations bool
}

// Open opens the database and brings its schema up to date. It refuses a
// database that a newer Tenantry has written.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{}
	var err error
	switch {
	case strings.HasPrefix(o.URL, "sqlite:"):
		err = s.openSQLite(ctx, strings.TrimPrefix(o.URL, "sqlite:"), o)
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		err = s.openPostgres(ctx, o)
	default:
		err = fmt.Errorf("the database must be sqlite:PATH or postgres://…, not %q", o.URL)
	}
	if err == nil {
		err = s.startClock(ctx, o)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// startClock has the store go by the database's clock, if no other is given.
// That of SQLite is this machine's.
func (s *Store) startClock(ctx context.Context, o Options) (err error) {
	if o.Now != nil {
		s.clock = clock.Given(o.Now)
		return nil
	}
	from := clock.Options{Wall: o.Wall}
	if s.dialect.name == "postgres" {
		from.Source = s.DatabaseTime
	}
	if s.clock, err = clock.New(ctx, from); err == nil {
		s.onClose(s.clock.Close)
	}
	return err
}

// Clock is the time that all processes on the database go by.
func (s *Store) Clock() *clock.Clock { return s.clock }

// Now is what that clock shows.
func (s *Store) Now() time.Time { return s.clock.Now() }

// Close waits for transactions under way and closes the database.
func (s *Store) Close() error {
	var first error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); err != nil && first == nil {
			first = err
		}
	}
	s.closers = nil
	return first
}

func (s *Store) onClose(f func() error) { s.closers = append(s.closers, f) }

// Queries reads outside of a transaction: each statement sees what was
// committed when it began.
func (s *Store) Queries() Queries {
	freeze := func(ctx context.Context, do func(context.Context, Queries) error) error {
		return s.Frozen(ctx, func(ctx context.Context, tx *Tx) error { return do(ctx, tx.Queries) })
	}
	return Queries{run: s.reader, dialect: s.dialect, freeze: freeze, share: s.share}
}

// Write runs do in a transaction that is durable when Write returns nil, and
// leaves no trace when do returns an error. do may run more than once (after a
// deadlock, or when another transaction of its group broke), on a goroutine
// that is not the caller's, and must have no effect but on tx; it must use the
// context it is given.
func (s *Store) Write(ctx context.Context, do func(context.Context, *Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.write.write(ctx, do)
	s.catalog.fill(ctx, s.Queries())
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.read.PingContext(ctx) }

// Statements is how many SQL statements have been run so far.
func (s *Store) Statements() int64 { return s.count.Load() }

// Connections is how many connections Write and Queries share at the most.
func (s *Store) Connections() int { return s.connections }

// Waits is how often, and for how long in all, somebody waited because all
// connections were taken.
func (s *Store) Waits() (times int64, waited time.Duration) {
	if s.stats == nil {
		return 0, 0
	}
	stats := s.stats()
	return stats.WaitCount, stats.WaitDuration
}

// Pooled says that a pooler gives every transaction a session of its own, so
// that locks, settings and LISTEN do not last longer.
func (s *Store) Pooled() bool { return s.pooled }

// Engine is "sqlite" or "postgres".
func (s *Store) Engine() string { return s.dialect.name }

func (s *Store) newTx(run runner) *Tx {
	q := Queries{run: run, dialect: s.dialect, catalog: &s.catalog, settings: &txSettings{}}
	now, unsure := s.clock.Read()
	return &Tx{Queries: q, Now: now.UTC().Truncate(time.Millisecond), Unsure: unsure, outbox: outbox{sender: s.sender.Load(), platformCache: &s.platformCache}}
}

// Snapshot is a transaction that only reads, outside of any: each statement
// sees what was committed when it began. Its Now is the time of the call.
func (s *Store) Snapshot() *Tx {
	tx := s.newTx(s.reader)
	tx.catalog, tx.settings, tx.share = nil, nil, s.share
	return tx
}

// Frozen calls do with a transaction that only reads: all its statements see the
// database as it was when the first began, and nobody waits for it.
func (s *Store) Frozen(ctx context.Context, do func(context.Context, *Tx) error) error {
	free, err := s.share.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, s.dialect.beginFrozen); err != nil {
		return err
	}
	var run runner = plainRunner{conn, &s.count}
	if s.dialect.name == "sqlite" {
		prepared := newPreparedRunner(conn, &s.count)
		defer prepared.close()
		run = prepared
	}
	tx := s.newTx(run)
	tx.catalog, tx.settings = nil, nil
	err = do(ctx, tx)
	// Nothing was written; the connection goes back to the others.
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, ended)
}
