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
	// placesLast is how long places are kept. They are asked for again when half
	// of it is over, and not used when clocks that differ may say it is over.
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
	// grant counts how often places were given anew: who has one of before must
	// not use it any more.
	grant int
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

// usable says whether places may be used now.
func (w *worker) usable(now time.Time) bool {
	return now.Before(w.direct.until.Add(-w.engine.Places / 4))
}

// place is where a lease comes from.
type place struct {
	worker *worker
	grant  int
	era    int64
}

// offer returns a lease, if there is a place.
func (w *worker) offer() (store.Lease, bool) {
	now := w.engine.Now()
	era, holder := w.engine.era.Load(), w.engine.holder.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &w.direct
	if !d.open || d.used >= d.n || d.ids.left() == 0 || !w.usable(now) || w.stopping() || w.closed.Load() || w.inRow.Load() > 0 {
		return store.Lease{}, false
	}
	d.used++
	d.pending++
	return store.Lease{
		Attempt: d.ids.take(), Until: leaseEnd(now, d.route.Workflow.Timeout(), w.engine.Slack), Version: d.route.Endpoint.Version,
		Holder: holder, Place: place{w, d.grant, era},
	}, true
}

// withdraw hears that a lease is not used.
func (w *worker) withdraw() {
	w.tell(func() {
		w.direct.used--
		w.direct.pending--
	})
}

// taken hears that an event was committed whose lane is leased to the worker. If
// its route has changed meanwhile, or its place is not there any more, it is left
// to a turn, as if it had been leased and not sent.
func (w *worker) taken(t *store.Taken, from place, now time.Time) {
	w.tell(func() {
		d := &w.direct
		j := &job{
			tenant: t.Delivery.TenantID, sequence: t.Sequence, queued: t.Queued, route: d.route, row: 1, leaseEnd: t.Until, era: from.era, place: true,
			attempt: &billing.Attempt{
				ID: t.Attempt, DeliveryID: t.Delivery.ID, Number: 1, Outcome: billing.AttemptUnsent, RequestHeaders: []byte("{}"), StartedAt: now,
			},
		}
		if t.Current && t.Version == d.route.Endpoint.Version && goesDirect(d.route) && from.grant == d.grant && w.usable(now) {
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
// When requests are cut off nobody waits for transactions any longer: their
// leases will run out.
func (w *worker) nothingToCome() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.engine.requests.Err() != nil || w.direct.pending == 0 && len(w.direct.committed) == 0
}

// keepsPlaces says that others leave places free for this process.
func (w *worker) keepsPlaces() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.engine.requests.Err() == nil && w.direct.n > 0 && w.engine.Now().Before(w.direct.until)
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
	endpoint, most, name, last := &t.route.Endpoint, t.route.Workflow.MaxConcurrency, t.worker.engine.name, t.worker.engine.Places
	t.places = t.direct.places
	have := t.places.n > 0 && t.places.n == endpoint.HeldBy(name, t.now) && t.places.route.Workflow.MaxConcurrency == most
	t.places.route = t.route
	t.open = t.wasReady() && goesDirect(t.route) && !t.full && !t.crowded && !t.worker.stopping() && most > 1
	switch {
	case !t.open:
		if t.places.n > 0 && !t.direct.open && t.direct.pending == 0 {
			t.places.n = 0
			endpoint.Hold(billing.Hold{By: name}, t.now)
		}
		return nil
	case have && t.places.until.Sub(t.now) > last/2:
		return nil
	case !have:
		busy, err := store.UnderWay(ctx, t.tx, t.worker.platform, t.now)
		if err != nil {
			return err
		}
		free := most - busy - endpoint.HeldByOthers(name, t.now)
		t.places.n, t.granted = max(0, min(most/placesKept, free/2)), true
	}
	t.places.until = t.now.Add(last)
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
	if t.granted {
		d.grant++
	}
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
	e.mu.Lock()
	w := e.workers[id]
	e.mu.Unlock()
	if w == nil {
		return store.Lease{}, false
	}
	return w.offer()
}

// Withdraw is for the store.
func (e *Engine) Withdraw(l store.Lease) { l.Place.(place).worker.withdraw() }

// Queued is for the store.
func (e *Engine) Queued(c *store.Commit) {
	e.metrics.events.Add(float64(c.Events))
	now := e.Now()
	for _, t := range c.Taken {
		from := t.Place.(place)
		from.worker.taken(t, from, now)
	}
	if len(c.Platforms) > 0 {
		e.announceSoon(c.Platforms)
		e.wake(c.Platforms)
	}
}
