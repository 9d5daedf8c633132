package worker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
)

// metrics is what Prometheus can read of the engine.
type metrics struct {
	events, unknown, superseded, refused prometheus.Counter
	attempts                             *prometheus.CounterVec
	seconds, latency                     prometheus.Histogram
	backlog                              *backlog
}

func newMetrics(st *store.Store, now func() time.Time) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "tenantry_webhook_" + name, Help: help})
	}
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tenantry_webhook_" + name, Help: help,
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600, 3600},
		})
	}
	m := &metrics{
		events:     counter("events_total", "Events recorded by this process."),
		unknown:    counter("unknown_outcomes_total", "Requests of which nobody can tell whether they arrived."),
		superseded: counter("superseded_total", "Deliveries that gave way to a newer event."),
		refused:    counter("refused_addresses_total", "Requests that were not made because of where they would have gone."),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenantry_webhook_attempts_total", Help: "Requests by outcome.",
		}, []string{"outcome"}),
		seconds: histogram("attempt_seconds", "How long requests took."),
		latency: histogram("latency_seconds", "From the commit of a change to its acceptance by the endpoint."),
		backlog: newBacklog(st, now),
	}
	for _, outcome := range []string{webhook.AttemptDelivered, webhook.AttemptFailed, webhook.AttemptUnknown} {
		m.attempts.WithLabelValues(outcome) // so that it is there before it happens
	}
	return m
}

// Collectors are the engine's metrics.
func (e *Engine) Collectors() []prometheus.Collector {
	m := e.metrics
	return []prometheus.Collector{m.events, m.unknown, m.superseded, m.refused, m.attempts, m.seconds, m.latency, m.backlog}
}

// report counts and logs a request whose outcome was recorded.
func (e *Engine) report(w *worker, j *job, outcome string) {
	m, a := e.metrics, j.attempt
	if outcome == lost {
		if a.Outcome == webhook.AttemptUnsent {
			return // nobody knew whether its transaction was committed
		}
		e.Log.Warn("the answer to a webhook came after its lease ran out; it is sent again", "platform", w.platform, "event", j.queued.Delivery.EventID, "attempt", a.Number)
		return
	}
	if outcome == webhook.AttemptUnsent {
		return
	}
	m.attempts.WithLabelValues(outcome).Inc()
	if j.refused {
		m.refused.Inc()
	}
	level := slog.LevelInfo
	switch outcome {
	case webhook.AttemptUnknown:
		m.unknown.Inc()
		level = slog.LevelWarn
	case webhook.AttemptFailed:
		level = slog.LevelWarn
	}
	attributes := []slog.Attr{
		slog.Int64("platform", int64(w.platform)), slog.Int64(strings.ToLower(string(j.subject.Kind)), j.subject.ID), slog.Int64("event", int64(j.queued.Delivery.EventID)),
		slog.Int("sequence", j.sequence), slog.Int("attempt", a.Number), slog.String("outcome", outcome),
	}
	if a.Status != nil {
		attributes = append(attributes, slog.Int("status", *a.Status))
	}
	if a.FinishedAt != nil {
		took := a.FinishedAt.Sub(a.StartedAt)
		m.seconds.Observe(took.Seconds())
		attributes = append(attributes, slog.Float64("ms", float64(took.Microseconds())/1000))
		if outcome == webhook.AttemptDelivered && j.queued.Delivery.Cause == webhook.CauseChange {
			m.latency.Observe(a.FinishedAt.Sub(j.queued.CreatedAt).Seconds())
		}
	}
	if a.Error != nil {
		attributes = append(attributes, slog.String("error", *a.Error))
	}
	e.Log.LogAttrs(context.Background(), level, "webhook", attributes...)
}

// backlog reads what waits from the database, when somebody wants to know and
// not more often than every few seconds.
type backlog struct {
	store *store.Store
	now   func() time.Time

	deliveries, oldest, blocked, open, secrets *prometheus.Desc

	mu   sync.Mutex
	at   time.Time
	last *log.Backlog
}

func newBacklog(st *store.Store, now func() time.Time) *backlog {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("tenantry_webhook_"+name, help, labels, nil)
	}
	return &backlog{
		store: st, now: now,
		deliveries: describe("deliveries", "Deliveries that are not finished, or were given up, by state.", "state"),
		oldest:     describe("oldest_pending_seconds", "How long the oldest delivery has waited."),
		blocked:    describe("blocked_streams", "Tenants whose next delivery has failed."),
		open:       describe("breaker_open", "Whether the breaker of a platform's endpoint is open.", "platform"),
		secrets:    describe("secrets_needed", "Whether webhooks of a platform wait for secrets to be set again for its address.", "platform"),
	}
}

// Describe is for Prometheus.
func (b *backlog) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{b.deliveries, b.oldest, b.blocked, b.open, b.secrets} {
		to <- d
	}
}

// Collect is for Prometheus.
func (b *backlog) Collect(to chan<- prometheus.Metric) {
	s := b.read()
	if s == nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(b.deliveries, float64(s.Waiting-s.InFlight), "waiting")
	gauge(b.deliveries, float64(s.InFlight), "in_flight")
	gauge(b.deliveries, float64(s.Exhausted), "exhausted")
	gauge(b.blocked, float64(s.Failing))
	age := 0.0
	if s.Oldest != nil {
		age = max(0, b.now().Sub(*s.Oldest).Seconds())
	}
	gauge(b.oldest, age)
	each := func(d *prometheus.Desc, platforms map[string]bool) {
		for code, is := range platforms {
			value := 0.0
			if is {
				value = 1
			}
			gauge(d, value, code)
		}
	}
	each(b.open, s.Breakers)
	each(b.secrets, s.SecretsNeeded)
}

func (b *backlog) read() *log.Backlog {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last != nil && b.now().Sub(b.at).Abs() < 5*time.Second {
		return b.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s, err := log.ReadBacklog(ctx, b.store.Queries()); err == nil {
		b.last, b.at = s, b.now()
	}
	return b.last
}
