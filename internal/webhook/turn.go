package webhook

import (
	"context"
	"reflect"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// claimAtOnce is how many lanes a turn takes at most.
	claimAtOnce = 512
	// inARow is how many events of a lane are sent one after another before the
	// lane queues behind others again.
	inARow = 10
)

// turn is one transaction of a worker: it records how requests went and takes
// lanes in which something is due. The transaction may run more than once, so
// what it does is kept here until it is committed.
type turn struct {
	worker *worker
	tx     *store.Tx
	now    time.Time
	route  *store.Route
	before billing.Endpoint
	ids    attemptIDs

	lanes    []*billing.Lane // to be saved
	goingOn  []*billing.Lane // to be saved last: not released in between
	ended    []*billing.Attempt
	ends     []store.DeliveryEnd
	starting []*job

	recorded   map[*job]string // what became of requests: an outcome, or "lost"
	next       time.Time       // when something in the lanes of finished requests is due
	superseded int64
	expired    int
	full       bool // there may be more that is due
	probe      bool
	// overdue says that the lease of a finished request has run out, though
	// nobody else took the lane yet.
	overdue bool
}

// turn takes one turn and begins the requests that it claimed.
func (w *worker) turn() error {
	var t *turn
	claim, began := w.look || w.more, realNow()
	w.look, w.more = false, false
	ctx := context.WithoutCancel(w.engine.work)
	if err := w.ids.reserve(ctx, w.engine.Store, claimAtOnce+len(w.finished)); err != nil {
		return err
	}
	err := w.engine.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		t = &turn{worker: w, tx: tx, now: w.engine.Now().UTC().Truncate(time.Millisecond), recorded: make(map[*job]string, len(w.finished)), ids: w.ids}
		return t.run(ctx, w.finished, claim && !w.stopping())
	})
	if err != nil {
		return err
	}
	w.committed(t)
	w.rest(len(t.recorded)+len(t.starting), realNow().Sub(began))
	return nil
}

// rest keeps the next turn waiting after one that did little.
func (w *worker) rest(did int, took time.Duration) {
	w.restUntil = time.Time{}
	if did < w.most/2 && took > shortTurn {
		w.restUntil = realNow().Add(min(rests*took, longestRest))
	}
}

// run does all of a turn that is in the database.
func (t *turn) run(ctx context.Context, finished []*job, claim bool) (err error) {
	ids := make([]billing.TenantID, len(finished))
	for i, j := range finished {
		ids[i] = j.tenant
	}
	var lanes map[billing.TenantID]*store.Locked
	if t.route, lanes, err = store.LockRouteAndLanes(ctx, t.tx, t.worker.platform, ids); err != nil || t.route == nil {
		return err
	}
	t.before = t.route.Endpoint
	if err := t.finish(ctx, finished, lanes); err != nil {
		return err
	}
	due := !t.next.IsZero() && !t.next.After(t.now)
	if claim || due && !t.worker.stopping() {
		if err := t.claim(ctx, due); err != nil {
			return err
		}
	}
	t.begin()
	t.lanes = append(t.lanes, t.goingOn...)
	if err := t.saveLanes(ctx); err != nil {
		return err
	}
	if reflect.DeepEqual(t.before, t.route.Endpoint) {
		return nil
	}
	return store.SaveEndpoint(ctx, t.tx, &t.route.Endpoint)
}

// committed acts on a turn that is in the database.
func (w *worker) committed(t *turn) {
	if t.route == nil {
		w.gone, w.finished = true, nil
		return
	}
	rest := w.finished[:0]
	done := make([]reported, 0, len(t.recorded))
	for _, j := range w.finished {
		if outcome, ok := t.recorded[j]; ok {
			done = append(done, reported{j, outcome})
		} else {
			rest = append(rest, j)
		}
	}
	if len(done) > 0 {
		w.reports <- done
	}
	clear(w.finished[len(rest):])
	w.finished = rest
	if len(rest) > 0 {
		w.recordBy = realNow().Add(gather)
	}
	w.ids = t.ids
	w.engine.metrics.turn(t)
	w.most = t.route.Workflow.MaxConcurrency
	w.closed.Store(t.route.State() != billing.EndpointReady)
	if known := w.underWay == 0 && len(rest) == 0; known || t.route.Endpoint.Failures >= billing.BreakerFailures {
		w.inRow.Store(t.failuresInRow())
	}
	w.start(t.starting)
	switch {
	case !t.full:
	case w.underWay <= w.ahead.lanes(w.most):
		w.look = true
	default:
		w.more = true
	}
	if until := t.route.Endpoint.OpenUntil; until != nil {
		w.due(*until)
	} else if t.next.After(t.now) {
		w.due(t.next)
	}
}

// failuresInRow is how many requests have failed in a row, of those that could
// open the breaker; when there were enough and it is not open, they are of too
// few tenants to do so.
func (t *turn) failuresInRow() int64 {
	if n := t.route.Endpoint.Failures; n < billing.BreakerFailures {
		return int64(n)
	}
	return 0
}

// saveLanes writes the lanes that were changed so far.
func (t *turn) saveLanes(ctx context.Context) error {
	err := store.SaveLanes(ctx, t.tx, t.lanes)
	t.lanes = nil
	return err
}
