package graphql

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// newRefused counts requests that are over a limit: of what they ask for, or of
// the answer.
func newRefused() *prometheus.CounterVec {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tenantry_graphql_limit_exceeded_total", Help: "Requests of the API that were over a limit, of the request or of its answer.",
	}, []string{"of"})
	for _, of := range []string{"request", "answer"} {
		refused.WithLabelValues(of)
	}
	return refused
}

// Collectors are the metrics of the door.
func (h *Handler) Collectors() []prometheus.Collector { return []prometheus.Collector{h.refused} }

// countRefused counts a request that is refused before it is executed.
func (h *Handler) countRefused(errs gqlerror.List) {
	for _, e := range errs {
		if e.Extensions["code"] == codeLimit {
			h.refused.WithLabelValues("request").Inc()
			return
		}
	}
}
