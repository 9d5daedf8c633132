package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// metrics is what Prometheus can read of a running server.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(st *store.Store, operations *service.Service, more []prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenantry_http_requests_total", Help: "Requests by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tenantry_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route"}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "tenantry_build_info", Help: "The version that runs."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(m.requests, m.seconds, build,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_sql_statements_total", Help: "SQL statements run.",
		}, func() float64 { return float64(st.Statements()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "tenantry_lifecycle_held", Help: "1 while nothing is renewed, ended or removed because the clock cannot be believed.",
		}, func() float64 {
			if operations.Subscriptions.Hold() != nil {
				return 1
			}
			return 0
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "tenantry_database_connections", Help: "Connections to the database that requests share at the most.",
		}, func() float64 { return float64(st.Connections()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_database_waits_total", Help: "How often somebody waited because all connections were taken.",
		}, func() float64 { times, _ := st.Waits(); return float64(times) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_database_wait_seconds_total", Help: "How long they waited in all.",
		}, func() float64 { _, waited := st.Waits(); return waited.Seconds() }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(more...)
	for _, a := range askedMetrics(st) {
		m.registry.MustRegister(a)
	}
	return m
}

func (m *metrics) request(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
