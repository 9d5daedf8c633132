package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// GroupSize is how many waiting transactions share one flush to the disk.
const GroupSize = 64

// groupCommit runs SQLite's transactions on the one connection that writes.
// Those that wait are run one after another, each in a savepoint, and
// committed together: one flush serves them all, and nobody is answered before
// it. An error in one takes back that one alone. A request that is alone needs no
// savepoint, for which SQLite would copy every page that is changed.
type groupCommit struct {
	of       *DB
	conn     *sql.Conn
	prepared *preparedRunner
	settling *preparedRunner // for what no request has asked for
	requests chan *writeRequest
	done     chan struct{}
	// next is a request that was taken and does not belong to the group before it.
	next *writeRequest

	mu      sync.RWMutex
	stopped bool
}

type writeRequest struct {
	ctx   context.Context
	do    func(context.Context, *Tx) error
	tx    *Tx
	err   error
	panic any
	reply chan struct{}
	alone bool // in a group of its own
}

var errStopped = errors.New("the database is closing")

func startGroupCommit(ctx context.Context, d *DB, db *sql.DB) (*groupCommit, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	g := &groupCommit{
		of:       d,
		conn:     conn,
		prepared: newPreparedRunner(conn, &d.count),
		settling: newPreparedRunner(conn, new(atomic.Int64)),
		requests: make(chan *writeRequest, GroupSize),
		done:     make(chan struct{}),
	}
	go g.loop()
	return g, nil
}

// Waiting is how many transactions wait for SQLite's writer.
func (d *DB) Waiting() int {
	if g, is := d.write.(*groupCommit); is {
		return len(g.requests)
	}
	return 0
}

func (g *groupCommit) write(ctx context.Context, do func(context.Context, *Tx) error) error {
	alone, _ := ctx.Value(aloneKey{}).(bool)
	r := &writeRequest{ctx: ctx, do: do, reply: make(chan struct{}), alone: alone}
	if err := g.hand(ctx, r); err != nil {
		return err
	}
	<-r.reply
	if r.panic != nil {
		panic(r.panic)
	}
	return r.err
}

func (g *groupCommit) hand(ctx context.Context, r *writeRequest) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.stopped {
		return errStopped
	}
	select {
	case g.requests <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop lets what was handed in finish.
func (g *groupCommit) stop() error {
	g.mu.Lock()
	if !g.stopped {
		g.stopped = true
		close(g.requests)
	}
	g.mu.Unlock()
	<-g.done
	g.prepared.close()
	g.settling.close()
	return g.conn.Close()
}

func (g *groupCommit) loop() {
	defer close(g.done)
	for {
		first, open := g.next, true
		if g.next = nil; first == nil {
			if first, open = <-g.requests; !open {
				return
			}
		}
		group := g.collect(first)
		if !g.commit(group) {
			// One transaction broke the whole group (a full disk does that).
			// Alone, each gets its own answer.
			for _, r := range group {
				g.commit([]*writeRequest{r})
			}
		}
		for _, r := range group {
			close(r.reply)
		}
	}
}

func (g *groupCommit) collect(first *writeRequest) []*writeRequest {
	group := []*writeRequest{first}
	for len(group) < GroupSize && !first.alone {
		select {
		case r, open := <-g.requests:
			if !open {
				return group
			}
			if r.alone {
				g.next = r
				return group
			}
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// commit runs the group in one transaction. It returns false if the group must
// be run again one by one; otherwise every request has its outcome.
func (g *groupCommit) commit(group []*writeRequest) bool {
	// Never a request's own context: cancelling a statement interrupts the
	// connection, which would roll back everybody else's work too.
	ctx := context.Background()
	alone := len(group) == 1
	fail := func(err error) bool {
		_, _ = g.conn.ExecContext(ctx, "ROLLBACK") // there may be none any more
		for _, r := range group {
			if r.err == nil {
				r.err = err
			}
			r.rolledBack()
		}
		return alone
	}
	if _, err := g.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		for _, r := range group {
			r.err = fmt.Errorf("begin: %w", err)
		}
		return true
	}
	for _, r := range group {
		r.err, r.panic = nil, nil
		run := g.runOne
		if alone {
			run = g.runAlone
		}
		if err := run(ctx, r); err != nil {
			return fail(err)
		}
	}
	if err := g.settle(ctx); err != nil {
		return fail(err)
	}
	if _, err := g.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fail(fmt.Errorf("commit: %w", err))
	}
	for _, r := range group {
		if r.err == nil && r.panic == nil {
			r.tx.end(Committed)
		}
	}
	return true
}

// settle lets the schema bring up to date what follows from all changes so far.
// Its statements are not counted: no request has asked for them.
func (g *groupCommit) settle(ctx context.Context) error {
	if g.of.schema.Settle == nil {
		return nil
	}
	return g.of.schema.Settle(ctx, g.of.plainTx(g.settling))
}

// runOne runs one request in a savepoint. An error it returns means that the
// transaction around it is lost; the request's own error is in r.err.
func (g *groupCommit) runOne(ctx context.Context, r *writeRequest) error {
	if r.err = r.ctx.Err(); r.err != nil {
		return nil
	}
	if _, err := g.conn.ExecContext(ctx, "SAVEPOINT request"); err != nil {
		return err
	}
	if !g.call(r) {
		r.rolledBack()
		if _, err := g.conn.ExecContext(ctx, "ROLLBACK TO request"); err != nil {
			return errors.Join(r.err, err)
		}
	}
	_, err := g.conn.ExecContext(ctx, "RELEASE request")
	return err
}

// errTakenBack is why a transaction around a request that panicked is lost.
var errTakenBack = errors.New("taken back")

// runAlone runs the only request of a group, as runOne does.
func (g *groupCommit) runAlone(_ context.Context, r *writeRequest) error {
	if r.err = r.ctx.Err(); r.err != nil || g.call(r) {
		return nil
	}
	return cmp.Or(r.err, errTakenBack)
}

// call runs the function of a request and reports whether its changes stay.
func (g *groupCommit) call(r *writeRequest) (stay bool) {
	r.tx = g.of.begin(g.prepared)
	r.tx.settle = g.settle
	r.call(r.tx)
	return r.err == nil && r.panic == nil
}

func (r *writeRequest) rolledBack() {
	if r.tx != nil {
		r.tx.end(RolledBack)
	}
}

// call runs the request's function; a panic in it is raised again where the
// request came from.
func (r *writeRequest) call(tx *Tx) {
	returned := false
	defer func() {
		if r.panic = recover(); r.panic == nil && !returned {
			// As t.Fatal does. Everybody would wait for the writer for ever.
			panic("db: a function given to Write must not end its goroutine")
		}
	}()
	r.err = r.do(context.WithoutCancel(r.ctx), tx)
	returned = true
}
