package webhook

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// placesKept is the part of the requests that there may be at once for
	// which places are kept.
	placesKept = 2
	// placesLast is how long places are kept; they are asked for again when half
	// of it is over.
	placesLast = time.Minute
	// directIDs is how many ids of attempts there are for them at once.
	directIDs = 1024
)

// direct is how a worker comes by events without a turn. One that this process
// commits while nothing waits in its lane is leased to the worker in the same
// transaction, and sent as soon as that is committed. Who commits does not know
// what other processes send at that moment; so the endpoint keeps places for
// each, which nobody else uses.
type direct struct {
	places
	// open says that lanes may be taken, used how many are, and pending how many
	// of these by transactions that are not committed yet.
	open          bool
	used, pending int
	ids           attemptIDs
	committed     []*job // to be sent
}

// places are what an endpoint keeps for a process.
type places struct {
	n     int
	until time.Time
	// route is the one they were given for.
	route *store.Route
}

// offer returns a lease, if there is a place.
func (w *worker) offer() (store.Lease, bool) {
	now := w.engine.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &w.direct
	if !d.open || d.used >= d.n || d.ids.left() == 0 || !now.Before(d.until) || w.stopping() || w.closed.Load() || w.inRow.Load() > 0 {
		return store.Lease{}, false
	}
	d.used++
	d.pending++
	return store.Lease{Attempt: d.ids.take(), Until: leaseEnd(now, d.route.Workflow.Timeout(), w.engine.Slack), Version: d.route.Endpoint.Version}, true
}

// withdraw hears that a lease is not used.
func (w *worker) withdraw() {
	w.tell(func() {
		w.direct.used--
		w.direct.pending--
	})
}

// taken hears that an event was committed whose lane is leased to the worker. If
// its route has changed meanwhile, it is left to a turn, as if it had been
// leased and not sent.
func (w *worker) taken(t *store.Taken, now time.Time) {
	w.tell(func() {
		d := &w.direct
		j := &job{
			tenant: t.Delivery.TenantID, sequence: t.Sequence, queued: t.Queued, route: d.route, row: 1, leaseEnd: t.Until, place: true,
			attempt: &billing.Attempt{
				ID: t.Attempt, DeliveryID: t.Delivery.ID, Number: 1, Outcome: billing.AttemptUnsent, RequestHeaders: []byte("{}"), StartedAt: now,
			},
		}
		if t.Current && t.Version == d.route.Endpoint.Version && goesDirect(d.route) && now.Before(d.until) {
			j.attempt.Outcome, j.attempt.URL = billing.AttemptStarted, *d.route.Platform.WebhookURL
		}
		d.pending--
		d.committed = append(d.committed, j)
	})
}

// startDirect has requests made for what was taken and committed.
func (w *worker) startDirect(jobs []*job) {
	send := jobs[:0]
	for _, j := range jobs {
		if j.attempt.Outcome == billing.AttemptUnsent {
			w.finish(j)
		} else {
			send = append(send, j)
		}
	}
	if len(send) > 0 {
		w.start(send)
	}
}

// nothingToCome says that no transaction may bring something to send.
func (w *worker) nothingToCome() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.direct.pending == 0 && len(w.direct.committed) == 0
}

// keepsPlaces says that others leave places free for this process.
func (w *worker) keepsPlaces() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.direct.n > 0 && w.engine.Now().Before(w.direct.until)
}

// directNow returns what a turn goes by.
func (w *worker) directNow() direct {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.direct.open = w.direct.open && !w.stopping()
	return w.direct
}

// kept is how many places others must leave free, besides those of what is
// committed.
func (d *direct) kept() int {
	if d.open {
		return d.n
	}
	return d.pending
}

// keepPlaces has the endpoint keep places for what this process commits, for as
// long as there is no more to do than that.
func (t *turn) keepPlaces(ctx context.Context) error {
	if !t.alone {
		return nil
	}
	endpoint, flow, name := &t.route.Endpoint, &t.route.Workflow, t.worker.engine.name
	t.places = t.direct.places
	have := t.places.n > 0 && t.places.route.Workflow.MaxConcurrency == flow.MaxConcurrency && t.now.Before(t.places.until)
	t.places.route = t.route
	t.open = t.wasReady() && goesDirect(t.route) && !t.full && !t.worker.stopping()
	switch {
	case !t.open:
		if t.places.n > 0 && !t.direct.open && t.direct.pending == 0 {
			t.places.n = 0
			endpoint.Hold(billing.Hold{By: name}, t.now)
		}
		return nil
	case have && t.places.until.Sub(t.now) > placesLast/2:
		return nil
	case !have:
		busy, err := store.UnderWay(ctx, t.tx, t.worker.platform, t.now)
		if err != nil {
			return err
		}
		free := flow.MaxConcurrency - busy - endpoint.HeldByOthers(name, t.now)
		t.places.n = max(0, min(max(flow.MaxConcurrency/placesKept, 1), free/2))
	}
	t.places.until = t.now.Add(placesLast)
	endpoint.Hold(billing.Hold{By: name, Places: t.places.n, Until: t.places.until}, t.now)
	return nil
}

// goesDirect says whether events can be sent that way without a turn. What a
// payload program makes is stored before it is sent, which is left to turns.
func goesDirect(r *store.Route) bool {
	return r.State() == billing.EndpointReady && r.Workflow.PayloadProgram == nil
}

// wasReady says that the endpoint was ready before the turn: then its version is
// the one that was read.
func (t *turn) wasReady() bool { return t.before.OpenUntil == nil && t.before.PausedAt == nil }

// keep notes what places there are after a turn.
func (w *worker) keep(t *turn) {
	if !t.alone {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &w.direct
	d.places, d.open = t.places, t.open && t.places.n > 0
	if d.open && d.ids.left() < directIDs/4 && w.ids.left() >= directIDs {
		d.ids = w.ids.part(directIDs)
	}
}

// letGo gives places back: of requests that were recorded, but for those that
// follow them in their lanes.
func (w *worker) letGo(t *turn) {
	n := 0
	for j := range t.recorded {
		if j.place {
			n++
		}
	}
	for _, j := range t.starting {
		if j.place {
			n--
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.direct.used -= n
}

// Offer is for the store.
func (e *Engine) Offer(id billing.PlatformID) (store.Lease, bool) {
	if w := e.known(id); w != nil {
		return w.offer()
	}
	return store.Lease{}, false
}

// Withdraw is for the store.
func (e *Engine) Withdraw(id billing.PlatformID) {
	if w := e.known(id); w != nil {
		w.withdraw()
	}
}

// Queued is for the store.
func (e *Engine) Queued(c *store.Commit) {
	e.metrics.events.Add(float64(c.Events))
	now := e.Now()
	for i := range c.Taken {
		if w := e.known(c.Taken[i].Platform); w != nil {
			w.taken(c.Taken[i], now)
		}
	}
	if len(c.Platforms) > 0 {
		e.announceSoon(c.Platforms)
		e.wake(c.Platforms)
	}
}

// known returns the worker of a platform, if there is one.
func (e *Engine) known(id billing.PlatformID) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.workers[id]
}
