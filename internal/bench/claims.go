package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const pendingLimit = 200 // MiB

// measureClaims compares leasing streams that are due with a long log of finished
// events against doing so with none.
func measureClaims(r *run) []result {
	long, short := r.newShipper("claims_long", backlogTenants), r.newShipper("claims_short", backlogTenants)
	long.body, short.body = "{}", "{}"
	say("filling %s with %s finished events", r.engine.name, thousands(r.events))
	long.finish(r.events / backlogTenants)
	shippers := []*shipper{long, short}
	for _, w := range shippers {
		w.queue(1)
	}
	times := [2][]time.Duration{}
	for end := now().Add(2 * r.duration()); now().Before(end); {
		for i, w := range shippers {
			times[i] = append(times[i], w.claim())
		}
	}
	return []result{r.result("claim, long log", "ms", milliseconds(median(times[0])), milliseconds(median(times[1]))).atMost(1.5)}
}

// finish gives every tenant so many events that were delivered.
func (w *shipper) finish(each int) {
	w.queue(each)
	w.run.execute(w.raw,
		`INSERT INTO webhook_attempt (delivery_id, number, outcome, url, request_headers, truncated, started_at) SELECT id, 1, 'delivered', 'http://bench/', '{}', 1 < 0, 0 FROM webhook_delivery`,
		`UPDATE webhook_delivery SET state = 'delivered'`,
		`UPDATE webhook_stream SET done_position = last_position, delivered_sequence = last_sequence, highest_sequence = last_sequence, due_at = NULL`)
}

var errUndo = errors.New("undone")

// claim leases streams as a batch does, and gives them back.
func (w *shipper) claim() (took time.Duration) {
	err := w.store.Write(w.run.Context(), func(ctx context.Context, tx *store.Tx) error {
		start := now()
		claims, err := outbox.DueStreams(ctx, tx, 1, now(), 64)
		took = now().Sub(start)
		if err == nil && len(claims) != 64 {
			err = fmt.Errorf("%d streams instead of 64", len(claims))
		}
		if err == nil {
			err = errUndo
		}
		return err
	})
	if !errors.Is(err, errUndo) {
		check(err)
	}
	return took
}

// measurePending runs the sender on a very long backlog and looks at the most
// memory it uses.
func measurePending(r *run) []result {
	w := r.newShipper("pending", backlogTenants)
	say("filling %s with %s pending events", r.engine.name, thousands(r.events/2))
	w.queue(r.events / 2 / backlogTenants)
	sender := w.engine()
	sender.Start()
	defer sender.Stop(r.Context())
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	var most uint64
	for end := now().Add(r.duration()); now().Before(end) || w.arrived.Load() == 0; <-ticker.C {
		check(r.Context().Err())
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse+m.StackInuse)
	}
	return []result{r.result("memory, long backlog", "MiB", float64(most)/(1<<20), pendingLimit).atMost(1)}
}
