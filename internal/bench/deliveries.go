package main

import (
	"bytes"
	"context"
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
func measureDeliveries(r *run) []result {
	w := r.newShipper("deliveries", backlogTenants)
	w.queue(backlogEach)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	var spent cpuUsed
	deliver := func(ctx context.Context, d time.Duration) (float64, error) {
		w.refill()
		before, cpu := w.arrived.Load(), r.engine.cpu()
		rate, err := w.deliver(ctx, d)
		spent = r.engine.per1000(cpu, int(w.arrived.Load()-before))
		return rate, err
	}
	found := r.compareIn("deliveries", 8*turnTime, deliver, w.bareClient()).atLeast(0.25)
	say("CPU for 1,000 deliveries of the backlog, in the last turn: %s", spent)
	return []result{found}
}

// refill keeps the backlog from coming to its end.
func (w *shipper) refill() {
	if w.left < backlogTenants*backlogEach/2 {
		w.queue(backlogEach)
	}
}

// deliver is a side: the engine at work on the backlog.
func (w *shipper) deliver(ctx context.Context, d time.Duration) (float64, error) {
	w.refill()
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
func (w *shipper) bareClient() side {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.Proxy = clients, nil
	client := &http.Client{Transport: transport}
	body := []byte(w.body)
	return crewSide("bare", func(context.Context, int) error {
		answer, err := client.Post(w.receiver.URL, "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.Body.Close()
	})
}
