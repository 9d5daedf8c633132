package db

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// maxPrepared bounds the statements kept ready. Filters make new texts; when
// there are too many, new ones are run without being kept.
const maxPrepared = 1000

// preparer is a *sql.DB or a *sql.Conn.
type preparer interface {
	PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// preparedRunner keeps statements compiled: SQLite's driver compiles a text
// anew at every use otherwise.
type preparedRunner struct {
	on    preparer
	count *atomic.Int64

	mu     sync.RWMutex
	stmts  map[string]*sql.Stmt
	closed bool
}

func newPreparedRunner(on preparer, count *atomic.Int64) *preparedRunner {
	return &preparedRunner{on: on, count: count, stmts: map[string]*sql.Stmt{}}
}

// Prepared is how many statements SQLite's readers keep compiled.
func (d *DB) Prepared() int {
	r, is := d.reader.(*preparedRunner)
	if !is {
		return 0
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.stmts)
}

func (r *preparedRunner) each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	r.count.Add(1)
	stmt, err := r.statement(ctx, text)
	if err != nil {
		return err
	}
	var rows *sql.Rows
	if stmt == nil {
		rows, err = r.on.QueryContext(ctx, text, args...)
	} else {
		rows, err = stmt.QueryContext(ctx, args...)
	}
	if err != nil {
		return r.orStopped(err)
	}
	defer rows.Close()
	return scanRows(rows, scan)
}

func (r *preparedRunner) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	r.count.Add(1)
	stmt, err := r.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	var result sql.Result
	if stmt == nil {
		result, err = r.on.ExecContext(ctx, text, args...)
	} else {
		result, err = stmt.ExecContext(ctx, args...)
	}
	return result, r.orStopped(err)
}

// orStopped says it plainly when a statement fails because it was closed.
func (r *preparedRunner) orStopped(err error) error {
	if err == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return errStopped
	}
	return err
}

func (r *preparedRunner) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	r.mu.RLock()
	stmt, full := r.stmts[text], len(r.stmts) >= maxPrepared
	r.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := r.on.PrepareContext(ctx, text)
	if err != nil {
		return nil, r.orStopped(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.stmts[text]; other != nil {
		stmt.Close()
		return other, nil
	}
	r.stmts[text] = stmt
	return stmt, nil
}

func (r *preparedRunner) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, stmt := range r.stmts {
		stmt.Close()
	}
	clear(r.stmts)
	r.closed = true
	return nil
}
