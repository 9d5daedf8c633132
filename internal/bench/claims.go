package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

const pendingLimit = 200 // MiB

// measureClaims compares taking streams that are due with a long log of finished
// events against doing so with none.
func measureClaims(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	var boxes [2]*outbox
	for i, name := range []string{"claims_long", "claims_short"} {
		if boxes[i], err = newOutbox(ctx, e, name, backlogTenants); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, boxes[i].close()) }()
		boxes[i].body = "{}"
		if i == 0 {
			say("filling %s with %s finished events", e.name, thousands(b.events))
			if err := boxes[i].finished(ctx, b.events/backlogTenants); err != nil {
				return nil, err
			}
		}
		if err := boxes[i].queue(ctx, 1); err != nil {
			return nil, err
		}
	}
	times := [2][]time.Duration{}
	for end := now().Add(2 * b.duration()); now().Before(end); {
		for i, w := range boxes {
			took, err := w.claim(ctx)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	long, short := milliseconds(median(times[0])), milliseconds(median(times[1]))
	return []result{newResult("claim, long log", e.name, "ms", long, short).atMost(1.5)}, nil
}

// finished gives every tenant so many events that were delivered.
func (w *outbox) finished(ctx context.Context, each int) error {
	if err := w.queue(ctx, each); err != nil {
		return err
	}
	return w.exec(ctx,
		`INSERT INTO webhook_attempt (delivery_id, number, outcome, url, request_headers, truncated, started_at) SELECT id, 1, 'delivered', 'http://bench/', '{}', 1 < 0, 0 FROM webhook_delivery`,
		`UPDATE webhook_delivery SET state = 'delivered'`,
		`UPDATE webhook_stream SET done_position = last_position, delivered_sequence = last_sequence, highest_sequence = last_sequence, due_at = NULL`)
}

var errUndo = errors.New("undone")

// claim takes streams as a turn does, and gives them back.
func (w *outbox) claim(ctx context.Context) (took time.Duration, err error) {
	err = w.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		start := now()
		claims, err := store.DueStreams(ctx, tx, 1, now(), 64)
		took = now().Sub(start)
		if err == nil && len(claims) != 64 {
			err = fmt.Errorf("%d streams instead of 64", len(claims))
		}
		return errors.Join(err, errUndo)
	})
	if errors.Is(err, errUndo) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
			return took, nil
		}
	}
	return took, err
}

// measurePending runs the sender on a very long backlog and looks at the most
// memory it uses.
func measurePending(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	w, err := newOutbox(ctx, e, "pending", backlogTenants)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	say("filling %s with %s pending events", e.name, thousands(b.events/2))
	if err := w.queue(ctx, b.events/2/backlogTenants); err != nil {
		return nil, err
	}
	sender := w.engine()
	sender.Start()
	defer sender.Stop(ctx)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	var most uint64
	for end := now().Add(b.duration()); (now().Before(end) || w.arrived.Load() == 0) && ctx.Err() == nil; <-ticker.C {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse+m.StackInuse)
	}
	return []result{newResult("memory, long backlog", e.name, "MiB", float64(most)/(1<<20), pendingLimit).atMost(1)}, ctx.Err()
}
