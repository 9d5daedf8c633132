package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// metricsOf reads an engine's metrics, without their common prefix: the value of
// each, and of histograms how many values they have and their sum.
func metricsOf(t *testing.T, e *worker.Engine) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(e.Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()[len("tenantry_webhook_"):]
			for _, label := range m.GetLabel() {
				name += " " + label.GetValue()
			}
			switch {
			case m.Counter != nil:
				values[name] = m.Counter.GetValue()
			case m.Gauge != nil:
				values[name] = m.Gauge.GetValue()
			case m.Histogram != nil:
				values[name], values[name+" sum"] = float64(m.Histogram.GetSampleCount()), m.Histogram.GetSampleSum()
			}
		}
	}
	return values
}

// counted compares some metrics, as soon as they are what they should be: they
// are counted when the outcome is in the database, and what waits is read from
// there every few seconds.
func (w *world) counted(e *worker.Engine, want map[string]float64) {
	w.t.Helper()
	var have map[string]float64
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the metrics are %v", have)
		}
	}()
	w.await(fmt.Sprintf("the metrics are %v", want), func() bool {
		have = metricsOf(w.t, e)
		for name, value := range want {
			if v, ok := have[name]; !ok || v != value {
				return false
			}
		}
		return true
	})
}

// attemptsIn returns what a log says of each attempt, in order.
func attemptsIn(t *testing.T, log *bytes.Buffer) (said []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(log.Bytes()) {
		var entry map[string]any
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if entry["msg"] == "webhook" {
			said = append(said, entry)
		}
	}
	return said
}

// logged has an engine log to a buffer, which is read when it has stopped.
func logged(to *bytes.Buffer) func(*worker.Options) {
	return func(o *worker.Options) { o.Log = slog.New(slog.NewJSONHandler(to, nil)) }
}

// TestEveryAttemptIsCountedAndLogged: one delivered, one that failed first, one
// refused, one cut off, and one of a process that died.
func TestEveryAttemptIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 4)
		fine, slow, cut, dead := w.tenants[0], w.tenants[1], w.tenants[2], w.tenants[3]
		hangs := hang(t)
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			switch {
			case r.tenant == slow && r.attempt == 1:
				rw.WriteHeader(http.StatusServiceUnavailable)
			case r.tenant == cut:
				hangs(rw, r)
			}
		})
		w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = 300 })
		var log bytes.Buffer
		e := w.engine(w.store, logged(&log))
		e.Start()
		events := map[billing.TenantID]webhook.Event{fine: w.tell(fine), slow: w.tell(slow)}
		w.counted(e, map[string]float64{"attempts_total delivered": 2, "attempts_total failed": 1})
		events[cut] = w.tell(cut)
		w.await("the request is there", func() bool { return len(w.receiver.sequences()[cut]) == 1 })
		w.counted(e, map[string]float64{"deliveries in_flight": 1, "deliveries waiting": 0})
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		e.Stop(stopped)
		w.counted(e, map[string]float64{
			"events_total": 3, "attempts_total delivered": 2, "attempts_total failed": 1, "attempts_total unknown": 1,
			"unknown_outcomes_total": 1, "superseded_total": 0, "refused_addresses_total": 0,
			"attempt_seconds": 3, "latency_seconds": 2, "blocked_streams": 0, "deliveries exhausted": 0, "breaker_open cloud": 0,
		})
		if m := metricsOf(t, e); m["attempt_seconds sum"] <= 0 || m["latency_seconds sum"] <= 4 {
			t.Errorf("a retry comes after four fifths of five seconds at the earliest: %v", m)
		}

		events[dead] = w.tell(dead)
		w.diesWhileSending(dead)
		w.receiver.answers(status(200))
		next := w.engine(w.store, logged(&log))
		next.Start()
		w.settled()
		next.Stop(t.Context())
		w.counted(next, map[string]float64{
			"events_total": 0, "attempts_total delivered": 2, "attempts_total unknown": 1, "unknown_outcomes_total": 1, "attempt_seconds": 2,
			"deliveries in_flight": 0, "oldest_pending_seconds": 0,
		})

		said := attemptsIn(t, &log)
		same(t, "lines", len(said), 7)
		for tenant, want := range map[billing.TenantID][]string{
			fine: {"INFO 1 delivered 200"},
			slow: {"WARN 1 failed 503", "INFO 2 delivered 200"},
			cut:  {"WARN 1 unknown <nil>", "INFO 2 delivered 200"},
			dead: {"WARN 1 unknown <nil>", "INFO 2 delivered 200"},
		} {
			var have []string
			for _, said := range said {
				if said["tenant"] != float64(tenant) {
					continue
				}
				have = append(have, fmt.Sprint(said["level"], " ", said["attempt"], " ", said["outcome"], " ", said["status"]))
				same(t, "which", []any{said["platform"], said["event"], said["sequence"]}, []any{w.platform, events[tenant].ID, events[tenant].Sequence})
				_, took := said["ms"].(float64)
				same(t, "whether it says how long it took", took, said["outcome"] != "unknown")
				_, why := said["error"].(string)
				same(t, "whether it says what went wrong", why, said["outcome"] != "delivered")
			}
			same(t, fmt.Sprintf("what the log says of tenant %d", tenant), have, want)
		}
	})
}

// TestBacklogIsCounted: what waits, what has failed, what gave way, what was
// given up, and endpoints that are down.
func TestBacklogIsCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 12)
		w.recipe(func(f *webhook.Workflow) { f.RetryDelays = []int{320, 120} })
		w.receiver.answers(status(http.StatusServiceUnavailable))
		e := w.start()
		first := w.tenants[0]
		for range 3 {
			w.tell(first)
		}
		w.counted(e, map[string]float64{"events_total": 3, "attempts_total failed": 1, "deliveries waiting": 3, "blocked_streams": 1, "breaker_open cloud": 0})
		w.await("the oldest has waited for a minute", func() bool { return metricsOf(t, e)["oldest_pending_seconds"] >= 60 })
		w.counted(e, map[string]float64{"superseded_total": 2})
		w.counted(e, map[string]float64{"deliveries exhausted": 1, "deliveries waiting": 0, "blocked_streams": 0, "oldest_pending_seconds": 0})
		for _, tenant := range w.tenants[1:] {
			w.tell(tenant)
		}
		w.counted(e, map[string]float64{"breaker_open cloud": 1, "deliveries waiting": 11})
		w.receiver.answers(status(200))
		w.settled()
		w.counted(e, map[string]float64{"breaker_open cloud": 0, "deliveries waiting": 0, "attempts_total delivered": 11, "deliveries exhausted": 1})
	})
}

// TestRefusedAddressesAreCounted: a request that is not made, because of where
// it would go, is an attempt that failed.
func TestRefusedAddressesAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"), 1)
	e := w.start(func(o *worker.Options) { o.Sender = send.New(target.New(false, nil), send.Options{Now: w.clock.Now}) })
	w.tell(w.tenants[0])
	w.await("it was refused twice", func() bool { return metricsOf(t, e)["refused_addresses_total"] >= 2 })
	m := metricsOf(t, e)
	if m["attempts_total failed"] < 2 || m["attempts_total delivered"]+m["attempts_total unknown"] != 0 {
		t.Errorf("the metrics are %v", m)
	}
	same(t, "requests", len(w.receiver.got()), 0)
}
