package oauth

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	tokens, verifications     *prometheus.CounterVec
	issued, cached, confirmed prometheus.Counter // the common ones, looked up once
}

func newMetrics() *metrics {
	m := &metrics{
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenantry_oauth_tokens_total",
			Help: "Answers of the token endpoint: issued, or the OAuth error code.",
		}, []string{"outcome"}),
		verifications: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tenantry_oauth_verifications_total",
			Help: "Checks of access tokens: cached and verified are good, the others refused.",
		}, []string{"outcome"}),
	}
	m.issued = m.tokens.WithLabelValues("issued")
	m.cached = m.verifications.WithLabelValues("cached")
	m.confirmed = m.verifications.WithLabelValues("verified")
	return m
}

// Collectors returns the server's metrics.
func (s *Server) Collectors() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.tokens, s.metrics.verifications}
}
