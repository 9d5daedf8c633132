package worker

import (
	"context"
	"reflect"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// claimAtOnce is how many streams a batch takes at most.
	claimAtOnce = 2048
	// inARow is how many events of a stream are sent one after another before the
	// stream queues behind others again.
	inARow = 10
)

// batch is one transaction of a worker: it records how requests went and takes
// streams in which something is due. The transaction may run more than once, so
// what it does is kept here until it is committed.
type batch struct {
	worker *worker
	// jobs are the requests whose outcome it records, claims says that it takes
	// streams too.
	jobs     []*job
	claims   bool
	ids      attemptIDs
	prefetch prefetch
	// others is how many requests this process has taken besides jobs.
	others int
	// holder is this process, if it can prove that it lives, in that generation.
	holder, generation int64

	tx     *store.Tx
	now    time.Time
	route  *outbox.Route
	before webhook.Endpoint

	streams  []*webhook.Stream // to be saved
	goingOn  []*webhook.Stream // to be saved last: not released in between
	ended    []*webhook.Attempt
	ends     []outbox.DeliveryEnd
	starting []*job

	recorded   map[*job]string // what became of requests: an outcome, or "lost"
	next       time.Time       // when something in the streams of finished requests is due
	superseded int64
	expired    []*job // requests of others whose leases have run out
	full       bool   // there may be more that is due
	probe      bool
	// overdue says that the lease of a finished request has run out, though
	// nobody else took the stream yet.
	overdue bool
}

// commit runs the transaction of a batch, and returns it as it was committed.
func (b batch) commit() (done *batch, err error) {
	e := b.worker.engine
	err = e.Store.Write(context.WithoutCancel(e.work), func(ctx context.Context, tx *store.Tx) error {
		again := b
		done = &again
		done.tx, done.now, done.recorded = tx, e.Now().UTC().Truncate(time.Millisecond), make(map[*job]string, len(b.jobs))
		return done.run(ctx)
	})
	return done, err
}

// run does all of a batch that is in the database.
func (b *batch) run(ctx context.Context) (err error) {
	ids := make([]billing.StreamID, len(b.jobs))
	for i, j := range b.jobs {
		ids[i] = j.queued.Delivery.StreamID
	}
	var streams map[billing.StreamID]*outbox.Locked
	if b.route, streams, err = outbox.LockRouteAndStreams(ctx, b.tx, b.worker.platform, ids); err != nil || b.route == nil {
		return err
	}
	b.before = b.route.Endpoint
	if err := b.finish(ctx, b.jobs, streams); err != nil {
		return err
	}
	due := !b.next.IsZero() && !b.next.After(b.now)
	if b.claims || due && !b.worker.stopping() {
		if err := b.claim(ctx, due); err != nil {
			return err
		}
	}
	b.begin()
	b.streams = append(b.streams, b.goingOn...)
	if err := b.saveStreams(ctx); err != nil || reflect.DeepEqual(b.before, b.route.Endpoint) {
		return err
	}
	return outbox.SaveEndpoint(ctx, b.tx, &b.route.Endpoint)
}

// failuresInRow is how many requests have failed in a row, of those that could
// open the breaker; when there were enough and it is not open, they are of too
// few tenants to do so.
func (b *batch) failuresInRow() int64 {
	if n := b.route.Endpoint.Failures; n < webhook.BreakerFailures {
		return int64(n)
	}
	return 0
}

// saveStreams writes the streams that were changed so far.
func (b *batch) saveStreams(ctx context.Context) error {
	err := outbox.SaveStreams(ctx, b.tx, b.streams)
	b.streams = nil
	return err
}
