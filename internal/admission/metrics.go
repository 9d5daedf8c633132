package admission

import "github.com/prometheus/client_golang/prometheus"

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
	look := func(value func() float64) func() float64 {
		return func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return value()
		}
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tenantry_connections", Help: "Connections that are open."}, look(func() float64 { return float64(c.open) })),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_connections_refused_total", Help: "Connections refused because there were too many.",
		}, look(func() float64 { return float64(c.refused) })),
	}
}

// Collectors returns the metrics of the gate of a door.
func (g *Gate) Collectors(door string) []prometheus.Collector {
	labels := prometheus.Labels{"door": door}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
	}
	return []prometheus.Collector{
		gauge("tenantry_requests_running", "Requests that run, by door.", func() float64 { n, _, _ := g.state(); return float64(n) }),
		gauge("tenantry_requests_waiting", "Requests that wait for their turn, by door.", func() float64 { _, n, _ := g.state(); return float64(n) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_overload_refused_total", Help: "Requests refused with 503 because too many wait, by door.", ConstLabels: labels,
		}, func() float64 { _, _, n := g.state(); return float64(n) }),
	}
}
