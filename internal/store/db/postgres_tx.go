package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// rollbackTime is how long taking back a transaction may take.
const rollbackTime = 10 * time.Second

// beginWrite says what the transactions rest on, whatever the server, the
// database or the role has for a default: each statement sees what is committed
// when it begins, and rows are locked before they are changed.
const beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// once runs a transaction. Its statements go to one connection; what it puts off
// goes there together with the commit.
func (w *postgresWriter) once(ctx context.Context, do func(context.Context, *Tx) error) error {
	free, err := w.of.share.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	run := &postgresRunner{plainRunner: plainRunner{conn: conn, count: &w.of.count}}
	run.pending.Queue(beginWrite)
	if w.of.pooled {
		run.pending.Queue(insistHere)
	}
	committed, mine := false, w.of.begin(run)
	defer func() {
		if !committed {
			run.rollback(ctx)
			mine.end(RolledBack)
		}
	}()
	if err := do(ctx, mine); err != nil {
		return err
	}
	if err := run.settle(ctx); err != nil {
		return err
	}
	if err := run.commit(ctx); err != nil {
		mine.end(InDoubt)
		return commitError{err}
	}
	committed = true
	mine.end(Committed)
	return nil
}

// postponer is a runner that can put off a statement whose outcome nobody asks
// for yet, until the next one whose outcome somebody does, or the commit.
type postponer interface {
	// later puts a statement off; read, if it is not nil, gets its outcome.
	later(text string, args []any, read func(pgx.BatchResults) error)
	// changeLater puts off a statement that must change one row.
	changeLater(text string, args []any)
	// flush sends what was put off, and settle does if some of it must change a row.
	flush(ctx context.Context) error
	settle(ctx context.Context) error
	// putOff tells whether something was; queryToo then runs a query behind it.
	putOff() bool
	// mark puts statements off and returns a function that drops them and all that was
	// put off since. It tells whether none of them has been sent.
	mark(statements func()) (drop func() bool)
	queryToo(ctx context.Context, text string, args []any, scan func(Row) error) error
}

// postgresRunner runs the statements of a transaction. Those that were put off,
// its BEGIN among them, are sent together with the next one: PostgreSQL and this
// process wake each other once then, instead of once for each.
type postgresRunner struct {
	plainRunner
	pending pgx.Batch
	reads   map[int]func(pgx.BatchResults) error // by the place in pending
	sent    int                                  // how often something was
	// changes says that something pending must change a row. Only this process
	// notices if it does not, so it is not sent together with the commit.
	changes bool
}

func (r *postgresRunner) later(text string, args []any, read func(pgx.BatchResults) error) {
	if read != nil {
		if r.reads == nil {
			r.reads = make(map[int]func(pgx.BatchResults) error)
		}
		r.reads[r.pending.Len()] = read
	}
	r.count.Add(1)
	r.pending.Queue(text, args...)
}

func (r *postgresRunner) changeLater(text string, args []any) {
	r.changes = true
	r.later(text, args, oneRow)
}

// settle sends what must not be sent together with the commit, or with the end of a
// savepoint.
func (r *postgresRunner) settle(ctx context.Context) error {
	if !r.changes {
		return nil
	}
	return r.flush(ctx)
}

func (r *postgresRunner) flush(ctx context.Context) error {
	if !r.putOff() {
		return nil
	}
	last := r.reads[r.pending.Len()-1]
	return r.send(ctx, func(results pgx.BatchResults) error { return outcome(results, last) })
}

func (r *postgresRunner) mark(statements func()) (drop func() bool) {
	sent, first := r.sent, r.pending.Len()
	statements()
	return func() bool {
		if r.sent != sent {
			r.pending, r.reads = pgx.Batch{}, nil
			return false
		}
		r.pending.QueuedQueries = r.pending.QueuedQueries[:first]
		maps.DeleteFunc(r.reads, func(n int, _ func(pgx.BatchResults) error) bool { return n >= first })
		return true
	}
}

func (r *postgresRunner) putOff() bool { return r.pending.Len() > 0 }

func (r *postgresRunner) queryToo(ctx context.Context, text string, args []any, scan func(Row) error) error {
	r.later(text, args, nil)
	return r.send(ctx, func(results pgx.BatchResults) error { return scanResult(results, scan) })
}

// scanResult goes through the rows of the next outcome.
func scanResult(results pgx.BatchResults, scan func(Row) error) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanRows(rows, scan)
}

func (r *postgresRunner) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	if !r.putOff() {
		return r.plainRunner.exec(ctx, text, args)
	}
	r.later(text, args, nil)
	var tag pgconn.CommandTag
	err := r.send(ctx, func(results pgx.BatchResults) (err error) {
		tag, err = results.Exec()
		return err
	})
	return driver.RowsAffected(tag.RowsAffected()), err
}

var errRolledBack = errors.New("the transaction was taken back")

// commit ends the transaction. PostgreSQL answers a commit after a failed
// statement with ROLLBACK: then nothing of it was done.
func (r *postgresRunner) commit(ctx context.Context) error {
	r.pending.Queue("COMMIT")
	return r.send(ctx, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		if err == nil && tag.String() != "COMMIT" {
			return fmt.Errorf("%w: PostgreSQL answered %s", errRolledBack, tag)
		}
		return err
	})
}

// send sends what was put off. last reads the outcome of the last of it.
func (r *postgresRunner) send(ctx context.Context, last func(pgx.BatchResults) error) error {
	batch, reads := r.pending, r.reads
	r.pending, r.reads, r.changes = pgx.Batch{}, nil, false
	r.sent++
	return r.conn.Raw(func(raw any) error {
		results := raw.(*stdlib.Conn).Conn().SendBatch(ctx, &batch)
		for i := range batch.Len() - 1 {
			if err := outcome(results, reads[i]); err != nil {
				_ = results.Close() // which only repeats it
				return err
			}
		}
		if err := last(results); err != nil {
			_ = results.Close()
			return err
		}
		return results.Close()
	})
}

// outcome has the next outcome read, if somebody wants it.
func outcome(results pgx.BatchResults, read func(pgx.BatchResults) error) error {
	if read != nil {
		return read(results)
	}
	_, err := results.Exec()
	return err
}

// oneRow expects the outcome of a statement that changes one row.
func oneRow(results pgx.BatchResults) error {
	tag, err := results.Exec()
	if err == nil && tag.RowsAffected() != 1 {
		err = errNoRow
	}
	return err
}

// rollback takes the transaction back. A connection on which that fails is not
// used again.
func (r *postgresRunner) rollback(ctx context.Context) {
	if r.sent == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	if _, err := r.conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = r.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}
