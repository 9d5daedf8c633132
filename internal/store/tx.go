package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"strconv"
	"time"
)

// Queries reads from the database, inside of a transaction or not.
type Queries struct {
	run     runner
	dialect dialect
	// catalog remembers price lists, and settings what a transaction goes by;
	// outside of transactions both are nil.
	catalog  *catalogCache
	settings *txSettings
	// settle is called before words are looked up, if it is not nil: it brings
	// the index up to date with what the transaction has written.
	settle func(context.Context) error
	// freeze calls do with queries that all see the database at one moment;
	// nil in a transaction.
	freeze func(ctx context.Context, do func(context.Context, Queries) error) error
	// share bounds the statements of requests outside of transactions; nil in one.
	share share
}

// atOneMoment calls do with queries that all see the database as it was when the
// first began, or as the transaction does, if they are in one.
func (q Queries) atOneMoment(ctx context.Context, do func(context.Context, Queries) error) error {
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
	outbox
}

// runner runs one SQL statement.
type runner interface {
	query(ctx context.Context, text string, args []any) (*sql.Rows, error)
	exec(ctx context.Context, text string, args []any) (sql.Result, error)
}

// scanner is a row of an answer.
type scanner interface {
	Scan(dest ...any) error
}

// each calls scan for every row of the answer.
func (q Queries) each(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	if p, can := q.run.(postponer); can && p.putOff() {
		return p.queryToo(ctx, text, args, scan)
	}
	if err := q.shared(ctx, text, args, scan); err != nil {
		return err
	}
	if q.dialect.yieldAfterRead {
		runtime.Gosched()
	}
	return nil
}

// shared is each within the share of requests.
func (q Queries) shared(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	free, err := q.share.take(ctx)
	if err != nil {
		return err
	}
	defer free()
	return eachOf(q.run.query(ctx, text, args))(scan)
}

// eachLater is each that may be put off until the next statement whose outcome
// is asked for: the caller must run one before it goes by what scan was told.
func (q Queries) eachLater(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	if p, can := q.run.(postponer); can {
		p.later(text, args, scan)
		return nil
	}
	return q.each(ctx, text, args, scan)
}

// eachOf goes through the rows of an answer.
func eachOf(rows *sql.Rows, err error) func(scan func(scanner) error) error {
	return func(scan func(scanner) error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		return scanRows(rows, scan)
	}
}

// scanRows calls scan for every row.
func scanRows(rows interface {
	scanner
	Next() bool
	Err() error
}, scan func(scanner) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one scans the first row into dest and reports whether there was one.
func (q Queries) one(ctx context.Context, text string, args []any, dest ...any) (bool, error) {
	found := false
	err := q.each(ctx, text, args, func(rows scanner) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

// number returns the one number that a query answers.
func (q Queries) number(ctx context.Context, text string, args ...any) (int, error) {
	var n int
	_, err := q.one(ctx, text, args, &n)
	return n, err
}

// MostCounted is how many rows are counted where the exact number matters only
// if it is small. One more means that there are more.
const MostCounted = 1000

// counted returns how many rows a query finds, up to MostCounted and one more:
// this costs the same however many there are.
func (q Queries) counted(ctx context.Context, text string, args ...any) (int, error) {
	return q.number(ctx, `SELECT count(*) FROM (`+text+` LIMIT `+strconv.Itoa(MostCounted+1)+`) AS counted`, args...)
}

// exec runs a statement and returns how many rows it touched.
func (tx *Tx) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := tx.run.exec(ctx, text, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// next gives out the next number of a counter. The counter's row stays locked
// until the transaction ends, so numbers are in the order of commits.
func (tx *Tx) next(ctx context.Context, counter string) (int64, error) {
	const text = `UPDATE counter SET value = value + 1 WHERE name = $1 RETURNING value`
	var n int64
	found, err := tx.one(ctx, text, []any{counter}, &n)
	if err == nil && !found {
		err = fmt.Errorf("there is no counter %q", counter)
	}
	return n, err
}
