package webhook

import (
	"context"
	"errors"
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

// task is what a turn is to do.
type task struct {
	worker *worker
	// jobs are the requests whose outcome it records. claims says that it takes
	// lanes too, alone that it has the route for itself, because it may change
	// what is known about the endpoint or how much is under way.
	jobs          []*job
	claims, alone bool
	ids           attemptIDs
	ahead         ahead
	// others is how many requests this process has taken besides jobs.
	others int
	direct direct // when it began
	// holder is this process, if it can prove that it lives, in that era.
	holder, era int64
}

// turn is one transaction of a worker: it records how requests went and takes
// lanes in which something is due. The transaction may run more than once, so
// what it does is kept here until it is committed.
type turn struct {
	task
	tx     *store.Tx
	now    time.Time
	route  *store.Route
	before billing.Endpoint

	lanes    []*billing.Lane // to be saved
	goingOn  []*billing.Lane // to be saved last: not released in between
	ended    []*billing.Attempt
	ends     []store.DeliveryEnd
	starting []*job

	recorded   map[*job]string // what became of requests: an outcome, or "lost"
	next       time.Time       // when something in the lanes of finished requests is due
	superseded int64
	expired    []*job // requests of others whose leases have run out
	full       bool   // there may be more that is due
	crowded    bool   // there was no room
	probe      bool
	// places are kept from now on, and may be used if open.
	places        places
	open, granted bool
	// overdue says that the lease of a finished request has run out, though
	// nobody else took the lane yet.
	overdue bool
}

// errNotAlone says that a turn would change what is known about the endpoint,
// and does not have it for itself.
var errNotAlone = errors.New("the endpoint is not this turn's alone")

// take runs the transaction of a turn.
func (k task) take() (t *turn, err error) {
	e := k.worker.engine
	err = e.Store.Write(context.WithoutCancel(e.work), func(ctx context.Context, tx *store.Tx) error {
		t = &turn{task: k, tx: tx, now: e.Now().UTC().Truncate(time.Millisecond), recorded: make(map[*job]string, len(k.jobs))}
		return t.run(ctx)
	})
	return t, err
}

// run does all of a turn that is in the database.
func (t *turn) run(ctx context.Context) (err error) {
	ids := make([]billing.TenantID, len(t.jobs))
	for i, j := range t.jobs {
		ids[i] = j.tenant
	}
	lock := store.ReadRouteAndLockLanes
	if t.alone {
		lock = store.LockRouteAndLanes
	}
	var lanes map[billing.TenantID]*store.Locked
	if t.route, lanes, err = lock(ctx, t.tx, t.worker.platform, ids); err != nil || t.route == nil {
		return err
	}
	t.before = t.route.Endpoint
	if err := t.finish(ctx, t.jobs, lanes); err != nil {
		return err
	}
	due := !t.next.IsZero() && !t.next.After(t.now)
	if t.claims || due && t.alone && !t.worker.stopping() {
		if err := t.claim(ctx, due); err != nil {
			return err
		}
	}
	t.begin()
	t.lanes = append(t.lanes, t.goingOn...)
	if err := t.saveLanes(ctx); err != nil {
		return err
	}
	if err := t.keepPlaces(ctx); err != nil {
		return err
	}
	if reflect.DeepEqual(t.before, t.route.Endpoint) {
		return nil
	}
	if !t.alone {
		return errNotAlone
	}
	return store.SaveEndpoint(ctx, t.tx, &t.route.Endpoint)
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
