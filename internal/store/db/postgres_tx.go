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
	// later puts a statement off; scan, if it is not nil, gets what it returns.
	later(text string, args []any, scan func(Row) error)
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
	scans   map[int]func(Row) error // by the place in pending
	sent    int                     // how often something was
}

func (r *postgresRunner) later(text string, args []any, scan func(Row) error) {
	if scan != nil {
		if r.scans == nil {
			r.scans = make(map[int]func(Row) error)
		}
		r.scans[r.pending.Len()] = scan
	}
	r.count.Add(1)
	r.pending.Queue(text, args...)
}

func (r *postgresRunner) mark(statements func()) (drop func() bool) {
	sent, first := r.sent, r.pending.Len()
	statements()
	return func() bool {
		if r.sent != sent {
			r.pending, r.scans = pgx.Batch{}, nil
			return false
		}
		r.pending.QueuedQueries = r.pending.QueuedQueries[:first]
		maps.DeleteFunc(r.scans, func(n int, _ func(Row) error) bool { return n >= first })
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
	batch, scans := r.pending, r.scans
	r.pending, r.scans = pgx.Batch{}, nil
	r.sent++
	return r.conn.Raw(func(raw any) error {
		results := raw.(*stdlib.Conn).Conn().SendBatch(ctx, &batch)
		for i := range batch.Len() - 1 {
			if err := outcome(results, scans[i]); err != nil {
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

// outcome reads the next outcome. scan gets its rows, if somebody wants them.
func outcome(results pgx.BatchResults, scan func(Row) error) error {
	if scan != nil {
		return scanResult(results, scan)
	}
	_, err := results.Exec()
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
