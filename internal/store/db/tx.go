package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"reflect"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Queries reads from the database, inside of a transaction or not.
type Queries struct {
	Dialect *Dialect
	// attached is what the hooks of its beginning gave to the transaction.
	attached []any

	run runner
	// settle is nil but in SQLite's transactions.
	settle func(context.Context) error
	// freeze calls do with queries that all see the database at one moment;
	// nil in a transaction.
	freeze func(ctx context.Context, do func(context.Context, Queries) error) error
	// share bounds the statements of requests outside of transactions; nil in one.
	share share
}

// AtOneMoment calls do with queries that all see the database as it was when the
// first began, or as the transaction does, if they are in one.
func (q Queries) AtOneMoment(ctx context.Context, do func(context.Context, Queries) error) error {
	if q.freeze == nil {
		return do(ctx, q)
	}
	return q.freeze(ctx, do)
}

// Tx is a transaction under way. Now stamps every row it writes.
type Tx struct {
	Queries
	Now time.Time
	// Unsure says that nobody knows whether that is the right time.
	Unsure bool

	hooks []func(Outcome)
	last  []func(context.Context, *Tx) error
}

// Attach has the transaction carry a value, which Attached finds by its type.
// Queries that were copied from the transaction before do not know it.
func (tx *Tx) Attach(value any) { tx.attached = append(tx.attached, value) }

// Attached returns the value of a type that the transaction carries, if it does.
// Nothing is attached outside of transactions that write.
func Attached[T any](q Queries) (value T, has bool) {
	for _, a := range q.attached {
		if value, has = a.(T); has {
			return value, true
		}
	}
	return value, false
}

// Settle brings up to date what Schema.Settle keeps, with what the transaction
// has written.
func (q Queries) Settle(ctx context.Context) error {
	if q.settle == nil {
		return nil
	}
	return q.settle(ctx)
}

// Watched returns queries that run as these do, outside of transactions, and
// call before with every statement first.
func (q Queries) Watched(before func(ctx context.Context, text string, args []any) error) Queries {
	q.run, q.freeze = watchedRunner{q.run, before}, nil
	return q
}

type watchedRunner struct {
	runner
	before func(ctx context.Context, text string, args []any) error
}

func (r watchedRunner) each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	if err := r.before(ctx, text, args); err != nil {
		return err
	}
	return r.runner.each(ctx, text, args, scan)
}

func (r watchedRunner) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	if err := r.before(ctx, text, args); err != nil {
		return nil, err
	}
	return r.runner.exec(ctx, text, args)
}

// runner runs one SQL statement.
type runner interface {
	each(ctx context.Context, text string, args []any, scan func(Row) error) error
	exec(ctx context.Context, text string, args []any) (sql.Result, error)
}

// Row is a row of an answer.
type Row interface {
	Scan(dest ...any) error
}

// Each calls scan for every row of the answer.
func (q Queries) Each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	if p, can := q.run.(postponer); can && p.putOff() {
		return p.queryToo(ctx, text, args, scan)
	}
	if err := q.shared(ctx, text, args, scan); err != nil {
		return err
	}
	if q.Dialect.yieldAfterRead {
		runtime.Gosched()
	}
	return nil
}

// shared is Each within the share of requests.
func (q Queries) shared(ctx context.Context, text string, args []any, scan func(Row) error) error {
	free, err := q.share.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	return q.run.each(ctx, text, args, scan)
}

// EachLater is Each that may be put off until the next statement whose outcome
// is asked for: the caller must run one before it goes by what scan was told.
func (q Queries) EachLater(ctx context.Context, text string, args []any, scan func(Row) error) error {
	p, can := q.run.(postponer)
	if !can {
		return q.Each(ctx, text, args, scan)
	}
	values, err := valuesOf(args)
	if err == nil {
		p.later(text, values, func(results pgx.BatchResults) error { return scanResult(results, scan) })
	}
	return err
}

// valuesOf returns what arguments are now: a statement that is put off does not
// see what becomes of a row meanwhile.
func valuesOf(args []any) ([]any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		_, isValuer := arg.(driver.Valuer)
		if values[i] = arg; arg == nil || !isValuer && reflect.TypeOf(arg).Kind() != reflect.Pointer {
			continue
		}
		var err error
		if values[i], err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// PutsOff reports whether EachLater puts statements off.
func (q Queries) PutsOff() bool {
	_, can := q.run.(postponer)
	return can
}

// Flush sends what was put off, if something was.
func (q Queries) Flush(ctx context.Context) error {
	if p, can := q.run.(postponer); can {
		return p.flush(ctx)
	}
	return nil
}

var errNoRow = errors.New("the row to change is gone")

// ExecLater runs a statement that changes one row, and may put it off as EachLater
// does. It fails, or what runs next does, if that row is not there.
func (tx *Tx) ExecLater(ctx context.Context, text string, args ...any) error {
	if p, can := tx.run.(postponer); can {
		values, err := valuesOf(args)
		if err == nil {
			p.changeLater(text, values)
		}
		return err
	}
	n, err := tx.Exec(ctx, text, args...)
	if err == nil && n != 1 {
		err = errNoRow
	}
	return err
}

// scanRows calls scan for every row.
func scanRows(rows interface {
	Row
	Next() bool
	Err() error
}, scan func(Row) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// One scans the first row into dest and reports whether there was one.
func (q Queries) One(ctx context.Context, text string, args []any, dest ...any) (bool, error) {
	found := false
	err := q.Each(ctx, text, args, func(rows Row) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// Number returns the one number that a query answers.
func (q Queries) Number(ctx context.Context, text string, args ...any) (int, error) {
	var n int
	_, err := q.One(ctx, text, args, &n)
	return n, err
}

// MostCounted is how many rows are counted where the exact number matters only
// if it is small. One more means that there are more.
const MostCounted = 1000

// Counted returns how many rows a query finds, up to MostCounted and one more:
// this costs the same however many there are.
func (q Queries) Counted(ctx context.Context, text string, args ...any) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM (`+text+` LIMIT `+strconv.Itoa(MostCounted+1)+`) AS counted`, args...)
}

// Exec runs a statement and returns how many rows it touched.
func (tx *Tx) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := tx.run.exec(ctx, text, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
