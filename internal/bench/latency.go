package main

import (
	"cmp"
	"context"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	changesPerSecond = 200
	latencyTenants   = 2_000
	// What to aim for; a result fails only when it is five times that.
	medianAim, p99Aim, cpuAim = 5, 25, 0.2
	aimTolerance              = 5
	// latencyRounds are made, and of what they cost the one in the middle counts.
	latencyRounds = 5
)

// measureLatency makes changes at a steady pace and measures how long each takes
// from its commit to the receiver, and what the deliveries cost in CPU time: the
// sender's, the receiver's and that of the database.
func measureLatency(r *run) []result {
	w := r.newShipper("latency", latencyTenants)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	t := &stopwatch{shipper: w, arrived: map[int64]time.Time{}}
	w.onArrival = t.arrival
	var took []time.Duration
	var costs []cost
	for range latencyRounds {
		c, times := t.round(r.duration() / latencyRounds)
		took, costs = append(took, times...), append(costs, c)
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(a.deliveries(), b.deliveries()) })
	middle := costs[len(costs)/2]
	say("CPU for 1,000 deliveries with their changes: %s; for 1,000 changes alone: %s", middle.sending, middle.changing)
	slices.Sort(took)
	median, p99 := milliseconds(took[len(took)/2]), milliseconds(took[len(took)*99/100])
	return []result{
		r.result("latency, median", "ms", median, medianAim).atMost(aimTolerance),
		r.result("latency, p99", "ms", p99, p99Aim).atMost(aimTolerance),
		r.result("CPU, 1,000 deliveries", "s", max(0.001, middle.deliveries()), cpuAim).atMost(aimTolerance),
	}
}

// cost is what 1,000 changes take in CPU time, with their deliveries and alone.
type cost struct{ sending, changing cpuUsed }

// deliveries is the deliveries' share of it.
func (c cost) deliveries() float64 { return c.sending.total() - c.changing.total() }

// stopwatch knows when events of a shipper arrived.
type stopwatch struct {
	*shipper
	mu      sync.Mutex
	arrived map[int64]time.Time
}

// round makes changes for a while, at first with a sender at work and then
// without, so that whatever else the machine does meets both.
func (t *stopwatch) round(d time.Duration) (c cost, took []time.Duration) {
	e := t.run.engine
	t.sending(func() {
		t.await(t.changes(time.Second / 2)) // to warm up
		before := e.cpu()
		took = t.await(t.changes(d))
		c.sending = e.per1000(before, len(took))
	})
	before := e.cpu()
	alone := t.changes(d)
	c.changing = e.per1000(before, len(alone))
	t.sending(func() { t.await(alone) }) // not to be in the way of the next round
	return c, took
}

// sending runs a sender meanwhile.
func (t *stopwatch) sending(do func()) {
	sender := t.engine()
	sender.Start()
	defer sender.Stop(t.run.Context())
	do()
}

func (t *stopwatch) arrival(r *http.Request) {
	at := now()
	id, err := strconv.ParseInt(r.Header.Get("Webhook-Id"), 10, 64)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arrived[id] = at
}

// await waits until all of those have arrived and returns how long each took.
func (t *stopwatch) await(committed map[int64]time.Time) []time.Duration {
	ticker := time.NewTicker(time.Second / changesPerSecond)
	defer ticker.Stop()
	for start := now(); ; <-ticker.C {
		if took := t.times(committed); len(took) == len(committed) {
			return took
		}
		check(t.run.Context().Err())
		if now().Sub(start) > time.Minute {
			t.run.Fatal("not everything arrived")
		}
	}
}

// changes makes changes at a steady pace for a while and returns when each was
// committed.
func (w *shipper) changes(d time.Duration) map[int64]time.Time {
	committed := map[int64]time.Time{}
	ticker := time.NewTicker(time.Second / changesPerSecond)
	defer ticker.Stop()
	for end := now().Add(d); now().Before(end); {
		<-ticker.C
		id := w.change(billing.TenantID(len(committed)%latencyTenants + 1))
		committed[int64(id)] = now()
	}
	return committed
}

// times returns how long what has arrived took. A request may well arrive
// before its committer hears that the commit is done.
func (t *stopwatch) times(committed map[int64]time.Time) []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var took []time.Duration
	for id, at := range committed {
		if arrived, ok := t.arrived[id]; ok {
			took = append(took, max(0, arrived.Sub(at)))
		}
	}
	return took
}

// change records one event, as an operation does.
func (w *shipper) change(tenant billing.TenantID) (id billing.EventID) {
	check(w.store.Write(w.run.Context(), func(ctx context.Context, tx *store.Tx) error {
		position, err := outbox.NextPosition(ctx, tx, tenant)
		if err != nil {
			return err
		}
		event := webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant), PlatformID: 1, Sequence: position.Sequence, Reason: "bench", Body: w.body}
		err = outbox.InsertEvent(ctx, tx, &event, position)
		id = event.ID
		return err
	}))
	return id
}
