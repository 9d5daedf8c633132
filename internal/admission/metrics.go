package admission

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// locked reads a value that a mutex guards.
func locked[N int | int64](mu *sync.Mutex, value *N) func() float64 {
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return float64(*value)
	}
}

func (b *Budgets) register() {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	b.refused = counter("tenantry_client_refused_total", "Requests refused with 429, by API client and limit.", "client", "limit")
	b.cpu = counter("tenantry_client_cpu_seconds_total", "CPU time charged, by API client.", "client")
	b.bytes = counter("tenantry_client_bytes_total", "Bytes of requests and answers, by API client.", "client")
}

// Collectors returns the metrics of the budgets.
func (b *Budgets) Collectors() []prometheus.Collector {
	return []prometheus.Collector{b.refused, b.cpu, b.bytes}
}

// Collectors returns the metrics of the connections.
func (c *Connections) Collectors() []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tenantry_connections", Help: "Connections that are open."}, locked(&c.mu, &c.open)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_connections_refused_total", Help: "Connections refused because there were too many.",
		}, locked(&c.mu, &c.refused)),
	}
}

// Collectors returns the metrics of the gate with that name.
func (g *Gate) Collectors(name string) []prometheus.Collector {
	labels := prometheus.Labels{"gate": name}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tenantry_requests_running", Help: "Requests that run, by gate.", ConstLabels: labels}, locked(&g.mu, &g.running)),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tenantry_requests_waiting", Help: "Requests that wait for their turn, by gate.", ConstLabels: labels}, locked(&g.mu, &g.waiting)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_overload_refused_total", Help: "Requests refused with 503 because too many wait, by gate.", ConstLabels: labels,
		}, locked(&g.mu, &g.refused)),
	}
}
