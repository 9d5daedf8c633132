package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// rehearsal is a transaction that all statements and transactions of a context are part
// of, and that is taken back in the end.
type rehearsal struct {
	of *DB
	tx *Tx
	// caller ends what is begun when it ends. Its own statements cannot be cut off on
	// SQLite, where others use the connection too.
	caller context.Context
	// mu is held by whoever runs a statement: there is one connection for all.
	mu sync.Mutex
}

type rehearsalKey struct{}

// aloneKey marks a transaction that shares no group with others: what those have done is
// not committed yet, and would seem to be its own.
type aloneKey struct{}

// errRehearsed takes back what was rehearsed.
var errRehearsed = errors.New("this was a rehearsal")

// Rehearse calls do with a context in which nothing lasts: what Write writes there is
// seen by all that is read there, and by nobody else, and all of it is taken back when do
// returns. Like what is given to Write, do may run more than once.
func (d *DB) Rehearse(ctx context.Context, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if rehearsalIn(ctx, d) != nil {
		return do(ctx)
	}
	caller := ctx
	err := d.write.write(context.WithValue(ctx, aloneKey{}, true), func(ctx context.Context, tx *Tx) error {
		// Whoever has a connection does not wait for another one.
		if err := do(context.WithValue(ForServer(ctx), rehearsalKey{}, &rehearsal{of: d, tx: tx, caller: caller})); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// Rehearsing says that nothing which is done in this context lasts, so that nothing
// outside of the database must be done either.
func Rehearsing(ctx context.Context) bool {
	_, is := ctx.Value(rehearsalKey{}).(*rehearsal)
	return is
}

func rehearsalIn(ctx context.Context, d *DB) *rehearsal {
	if r, is := ctx.Value(rehearsalKey{}).(*rehearsal); is && r.of == d {
		return r
	}
	return nil
}

// WithoutRehearsal is a context that sees the database as others do.
func WithoutRehearsal(ctx context.Context) context.Context {
	return context.WithValue(ctx, rehearsalKey{}, nil)
}

// write is a transaction within the rehearsal. It leaves no trace if do returns an error.
func (r *rehearsal) write(ctx context.Context, do func(context.Context, *Tx) error) error {
	if err := r.caller.Err(); err != nil {
		return err
	}
	unsent, err := r.begin(ctx)
	if err != nil {
		return err
	}
	err = do(ctx, r.tx)
	if err == nil {
		err = r.tx.finish(ctx)
	}
	// They belong to the part that is over, whatever became of it.
	r.tx.last = nil
	if err == nil {
		err = r.release(ctx)
	}
	if err == nil || unsent() {
		return err
	}
	for _, text := range []string{"ROLLBACK TO SAVEPOINT rehearsed", "RELEASE SAVEPOINT rehearsed"} {
		if lost := r.exec(ctx, text); lost != nil {
			return errors.Join(err, lost)
		}
	}
	return err
}

// begin sets the savepoint of a part, together with its first statement where that is
// possible. unsent drops what of the part was not sent, and tells whether that is all.
func (r *rehearsal) begin(ctx context.Context) (unsent func() bool, err error) {
	const text = "SAVEPOINT rehearsed"
	p, can := r.tx.run.(postponer)
	if !can {
		return func() bool { return false }, r.exec(ctx, text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	drop := p.mark(func() { p.later(text, nil, nil) })
	return func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return drop()
	}, nil
}

// release ends a part. Nobody needs to wait for that, unless something was put off that
// may still fail.
func (r *rehearsal) release(ctx context.Context) error {
	const text = "RELEASE SAVEPOINT rehearsed"
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, can := r.tx.run.(postponer); can {
		if err := p.settle(ctx); err != nil {
			return err
		}
		if !p.putOff() {
			p.later(text, nil, nil)
			return nil
		}
	}
	_, err := r.tx.run.exec(ctx, text, nil)
	return err
}

func (r *rehearsal) exec(ctx context.Context, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.tx.run.exec(ctx, text, nil)
	return err
}

func (r *rehearsal) each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	if err := r.caller.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tx.Each(ctx, text, args, scan)
}

// outside runs what is read outside of transactions: in a rehearsal, as a part of that.
type outside struct{ of *DB }

func (o outside) each(ctx context.Context, text string, args []any, scan func(Row) error) error {
	if r := rehearsalIn(ctx, o.of); r != nil {
		return r.each(ctx, text, args, scan)
	}
	return o.of.reader.each(ctx, text, args, scan)
}

func (o outside) exec(ctx context.Context, text string, args []any) (sql.Result, error) {
	return o.of.reader.exec(ctx, text, args)
}
