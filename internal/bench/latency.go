package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
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
func measureLatency(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	w, err := newOutbox(ctx, e, "latency", latencyTenants)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	t := &stopwatch{arrived: map[int64]time.Time{}}
	w.onArrival = t.arrival
	var took []time.Duration
	var costs []cost
	for range latencyRounds {
		c, times, err := t.round(ctx, w, e, b.duration()/latencyRounds)
		if err != nil {
			return nil, err
		}
		took, costs = append(took, times...), append(costs, c)
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(a.deliveries(), b.deliveries()) })
	middle := costs[len(costs)/2]
	say("CPU for 1,000 deliveries with their changes: %s; for 1,000 changes alone: %s", middle.sending, middle.changing)
	cpu := max(0.001, middle.deliveries())
	slices.Sort(took)
	median, p99 := milliseconds(took[len(took)/2]), milliseconds(took[len(took)*99/100])
	return []result{
		newResult("latency, median", e.name, "ms", median, medianAim).atMost(aimTolerance),
		newResult("latency, p99", e.name, "ms", p99, p99Aim).atMost(aimTolerance),
		newResult("CPU, 1,000 deliveries", e.name, "s", cpu, cpuAim).atMost(aimTolerance),
	}, nil
}

// cost is what 1,000 changes take in CPU time, with their deliveries and alone.
type cost struct{ sending, changing cpuUsed }

// deliveries is the deliveries' share of it.
func (c cost) deliveries() float64 { return c.sending.total() - c.changing.total() }

// round makes changes for a while, at first with a sender at work and then
// without, so that whatever else the machine does meets both.
func (t *stopwatch) round(ctx context.Context, w *outbox, e *engine, d time.Duration) (c cost, took []time.Duration, err error) {
	sender := w.engine()
	sender.Start()
	if _, err := t.pace(ctx, w, time.Second/2); err != nil { // to warm up
		return c, nil, err
	}
	watch := e.watchCPU()
	took, err = t.pace(ctx, w, d)
	var cpuErr error
	c.sending, cpuErr = watch.per1000(len(took))
	sender.Stop(ctx)
	if err = errors.Join(err, cpuErr); err != nil {
		return c, nil, err
	}
	watch = e.watchCPU()
	alone, err := w.changes(ctx, d)
	if err != nil {
		return c, nil, err
	}
	if c.changing, err = watch.per1000(len(alone)); err != nil {
		return c, nil, err
	}
	sender = w.engine() // what waits now is not to be in the way of the next round
	sender.Start()
	_, err = t.await(ctx, alone)
	sender.Stop(ctx)
	return c, took, err
}

// stopwatch knows when events arrived.
type stopwatch struct {
	mu      sync.Mutex
	arrived map[int64]time.Time
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

// pace makes changes for a while and waits until all have arrived. It returns
// how long each took.
func (t *stopwatch) pace(ctx context.Context, w *outbox, d time.Duration) ([]time.Duration, error) {
	committed, err := w.changes(ctx, d)
	if err != nil {
		return nil, err
	}
	return t.await(ctx, committed)
}

// await waits until all of those have arrived and returns how long each took.
func (t *stopwatch) await(ctx context.Context, committed map[int64]time.Time) ([]time.Duration, error) {
	ticker := time.NewTicker(time.Second / changesPerSecond)
	defer ticker.Stop()
	for start := now(); ; <-ticker.C {
		if took := t.times(committed); len(took) == len(committed) {
			return took, nil
		}
		if now().Sub(start) > time.Minute || ctx.Err() != nil {
			return nil, errors.Join(errors.New("not everything arrived"), ctx.Err())
		}
	}
}

// changes makes changes at a steady pace for a while and returns when each was
// committed.
func (w *outbox) changes(ctx context.Context, d time.Duration) (map[int64]time.Time, error) {
	committed := map[int64]time.Time{}
	ticker := time.NewTicker(time.Second / changesPerSecond)
	defer ticker.Stop()
	for end := now().Add(d); now().Before(end); {
		<-ticker.C
		id, err := w.change(ctx, billing.TenantID(len(committed)%latencyTenants+1))
		if err != nil {
			return nil, err
		}
		committed[int64(id)] = now()
	}
	return committed, nil
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
func (w *outbox) change(ctx context.Context, tenant billing.TenantID) (id billing.EventID, err error) {
	err = w.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		position, err := store.NextPosition(ctx, tx, tenant)
		if err != nil {
			return err
		}
		event := billing.Event{Type: billing.EventType, TenantID: tenant, PlatformID: 1, Sequence: position.Sequence, Reason: "bench", Body: w.body}
		err = store.InsertEvent(ctx, tx, &event, position)
		id = event.ID
		return err
	})
	return id, err
}
