package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"time"
)

const (
	backlogTenants = 5_000
	backlogEach    = 10
)

// measureDeliveries compares sending a backlog of webhooks with a bare client
// that posts the same bodies, as many at a time, without any database.
func measureDeliveries(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	w, err := newOutbox(ctx, e, "deliveries", backlogTenants)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.queue(ctx, backlogEach); err != nil {
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	var spent cpuUsed
	deliver := func(ctx context.Context, d time.Duration) (float64, error) {
		if err := w.refill(ctx); err != nil {
			return 0, err
		}
		before, watch := w.arrived.Load(), e.watchCPU()
		rate, err := w.deliver(ctx, d)
		used, cpuErr := watch.per1000(int(w.arrived.Load() - before))
		spent = used
		return rate, errors.Join(err, cpuErr)
	}
	c, err := compareIn(ctx, b.duration(), 8*slice, deliver, w.bareClient())
	if err != nil {
		return nil, err
	}
	say("CPU for 1,000 deliveries of the backlog, in the last turn: %s", spent)
	return []result{rates("deliveries", e.name, c).atLeast(0.25)}, nil
}

// refill keeps the backlog from coming to its end.
func (w *outbox) refill(ctx context.Context) error {
	if w.left >= backlogTenants*backlogEach/2 {
		return nil
	}
	return w.queue(ctx, backlogEach)
}

// deliver is a side: the engine at work on the backlog.
func (w *outbox) deliver(ctx context.Context, d time.Duration) (float64, error) {
	if err := w.refill(ctx); err != nil {
		return 0, err
	}
	before, start := w.arrived.Load(), now()
	var n int64
	var took time.Duration
	tagged(ctx, "server", func(ctx context.Context) {
		e := w.engine()
		e.Start()
		timer := time.NewTimer(d)
		<-timer.C
		n, took = w.arrived.Load()-before, now().Sub(start)
		patience, cancel := context.WithTimeout(ctx, time.Second) // for what hangs
		defer cancel()
		e.Stop(patience)
	})
	w.left -= w.arrived.Load() - before
	return float64(n) / took.Seconds(), ctx.Err()
}

// bareClient is a side: the same bodies posted by net/http and nothing else.
func (w *outbox) bareClient() side {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.Proxy = clients, nil
	client := &http.Client{Transport: transport}
	body := []byte(w.body)
	return func(ctx context.Context, d time.Duration) (rate float64, err error) {
		tagged(ctx, "bare", func(ctx context.Context) {
			rate, err = crew(ctx, d, func(int) error {
				answer, err := client.Post(w.receiver.URL, "application/json", bytes.NewReader(body))
				if err != nil {
					return err
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				return answer.Body.Close()
			})
		})
		return rate, err
	}
}
