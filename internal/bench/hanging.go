package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"time"
)

// measureHanging compares sending while the endpoint of another platform hangs
// with sending while it has nothing to do.
func measureHanging(r *run) []result {
	w := r.newShipper("hanging", backlogTenants)
	over := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(over)
	w.addPlatform("slow", hangs.URL)
	w.queue(backlogEach)
	// A tenth of the tenants, with all that they wait for, are on the other platform.
	r.execute(w.raw, `UPDATE tenant SET platform_id = 2 WHERE id % 10 = 0`, `UPDATE webhook_event SET platform_id = 2 WHERE stream_id IN (SELECT id FROM webhook_stream WHERE subject_id % 10 = 0)`,
		`UPDATE webhook_delivery SET platform_id = 2 WHERE stream_id IN (SELECT id FROM webhook_stream WHERE subject_id % 10 = 0)`, `UPDATE webhook_stream SET platform_id = 2 WHERE subject_id % 10 = 0`)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	with := func(enabled string) side {
		return func(ctx context.Context, d time.Duration) (float64, error) {
			r.execute(w.raw, `UPDATE workflow SET enabled = `+enabled+` WHERE platform_id = 2`)
			return w.deliver(ctx, d)
		}
	}
	return []result{r.compareIn("one endpoint hangs", 4*turnTime, with("1 > 0"), with("1 < 0")).atLeast(0.75)}
}
