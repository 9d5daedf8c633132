package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/clock"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect *Dialect
	schema  Schema
	clock   *clock.Clock
	alone   bool     // no other server uses this database
	read    database // answers Queries
	share   share    // of requests in the connections of read
	write   writer
	reader  runner
	path    string // of the SQLite file
	count   atomic.Int64
	onBegin atomic.Pointer[func(*Tx)]
	name    string // which no other process on the database has
	// connections is the size of the pool, and pooled says that a transaction
	// is all that a session of it can be relied on for.
	connections int
	pooled      bool
	stats       func() sql.DBStats // of the connections that are waited for
	// listen waits for messages of other processes, if the engine can.
	listen func(ctx context.Context, channel string, heard func(string)) error
	// attend proves that this process lives, if the engine can.
	attend  func(ctx context.Context, number int64, present func()) error
	closers []func() error
}

// Schema is what the engine must know of the package that opens the database.
type Schema struct {
	// Migrations has the migrations of all engines, and those of one engine in a
	// folder of its name.
	Migrations fs.FS
	// Begin is called at the beginning of every transaction that writes, if it
	// is not nil: to call Attach and OnEnd.
	Begin func(*Tx)
	// Settle is called on SQLite before transactions are committed together, and
	// by Queries.Settle. It may be nil.
	Settle func(context.Context, *Tx) error
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
func Open(ctx context.Context, o Options, schema Schema) (*DB, error) {
	d := &DB{schema: schema}
	var err error
	switch {
	case strings.HasPrefix(o.URL, "sqlite:"):
		err = d.openSQLite(ctx, strings.TrimPrefix(o.URL, "sqlite:"), o)
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		err = d.openPostgres(ctx, o)
	default:
		err = fmt.Errorf("the database must be sqlite:PATH or postgres://…, not %q", o.URL)
	}
	if err == nil {
		err = d.startClock(ctx, o)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// startClock has the database's clock followed, if no other is given. That of
// SQLite is this machine's.
func (d *DB) startClock(ctx context.Context, o Options) (err error) {
	if o.Now != nil {
		d.clock = clock.Given(o.Now)
		return nil
	}
	from := clock.Options{Wall: o.Wall}
	if d.dialect.Name == "postgres" {
		from.Source = d.DatabaseTime
	}
	if d.clock, err = clock.New(ctx, from); err == nil {
		d.onClose(d.clock.Close)
	}
	return err
}

// Clock is the time that all processes on the database go by.
func (d *DB) Clock() *clock.Clock { return d.clock }

// Now is what that clock shows.
func (d *DB) Now() time.Time { return d.clock.Now() }

// Close waits for transactions under way and closes the database.
func (d *DB) Close() error {
	var first error
	for i := len(d.closers) - 1; i >= 0; i-- {
		if err := d.closers[i](); err != nil && first == nil {
			first = err
		}
	}
	d.closers = nil
	return first
}

func (d *DB) onClose(f func() error) { d.closers = append(d.closers, f) }

// Queries reads outside of a transaction: each statement sees what was
// committed when it began.
func (d *DB) Queries() Queries {
	freeze := func(ctx context.Context, do func(context.Context, Queries) error) error {
		return d.Frozen(ctx, func(ctx context.Context, tx *Tx) error { return do(ctx, tx.Queries) })
	}
	return Queries{run: outside{d}, Dialect: d.dialect, freeze: freeze, share: d.share}
}

// Write runs do in a transaction that is durable when Write returns nil, and
// leaves no trace when do returns an error. do may run more than once (after a
// deadlock, or when another transaction of its group broke), on a goroutine
// that is not the caller's, and must have no effect but on tx; it must use the
// context it is given.
func (d *DB) Write(ctx context.Context, do func(context.Context, *Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r := rehearsalIn(ctx, d); r != nil {
		return r.write(ctx, do)
	}
	return d.write.write(ctx, func(ctx context.Context, tx *Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return tx.finish(ctx)
	})
}

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error { return d.read.PingContext(ctx) }

// Statements is how many SQL statements have been run so far.
func (d *DB) Statements() int64 { return d.count.Load() }

// Connections is how many connections Write and Queries share at the most.
func (d *DB) Connections() int { return d.connections }

// Waits is how often, and for how long in all, somebody waited because all
// connections were taken.
func (d *DB) Waits() (times int64, waited time.Duration) {
	if d.stats == nil {
		return 0, 0
	}
	stats := d.stats()
	return stats.WaitCount, stats.WaitDuration
}

// Pooled says that a pooler gives every transaction a session of its own, so
// that locks, settings and LISTEN do not last longer.
func (d *DB) Pooled() bool { return d.pooled }

// Engine is "sqlite" or "postgres".
func (d *DB) Engine() string { return d.dialect.Name }

// Alone says that no other server uses this database: the lock of an exclusive
// Open proves that those before it are dead.
func (d *DB) Alone() bool { return d.alone }

// begin starts a transaction that writes.
func (d *DB) begin(run runner) *Tx {
	tx := d.plainTx(run)
	if d.schema.Begin != nil {
		d.schema.Begin(tx)
	}
	if hook := d.onBegin.Load(); hook != nil {
		(*hook)(tx)
	}
	return tx
}

// OnBegin has hook called at the beginning of every transaction that writes, as
// Schema.Begin is, in place of the hook before; nil for none.
func (d *DB) OnBegin(hook func(*Tx)) {
	if hook == nil {
		d.onBegin.Store(nil)
		return
	}
	d.onBegin.Store(&hook)
}

// plainTx is a transaction with nothing attached.
func (d *DB) plainTx(run runner) *Tx {
	now, unsure := d.clock.Read()
	return &Tx{Queries: Queries{run: run, Dialect: d.dialect}, Now: now.UTC().Truncate(time.Millisecond), Unsure: unsure}
}

// Snapshot is a transaction that only reads, outside of any: each statement
// sees what was committed when it began. Its Now is the time of the call.
func (d *DB) Snapshot() *Tx {
	tx := d.plainTx(outside{d})
	tx.share = d.share
	return tx
}

// Frozen calls do with a transaction that only reads: all its statements see the
// database as it was when the first began, and nobody waits for it.
func (d *DB) Frozen(ctx context.Context, do func(context.Context, *Tx) error) error {
	if rehearsalIn(ctx, d) != nil { // which nobody else writes to
		return do(ctx, d.Snapshot())
	}
	free, err := d.share.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	conn, err := d.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, d.dialect.beginFrozen); err != nil {
		return err
	}
	var run runner = plainRunner{conn: conn, count: &d.count}
	if d.dialect.Name == "sqlite" {
		prepared := newPreparedRunner(conn, &d.count)
		defer prepared.close()
		run = prepared
	}
	err = do(ctx, d.plainTx(run))
	// Nothing was written; the connection goes back to the others.
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, ended)
}
