package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/store"
)

// unsettled counts the collections that wait for a person. It asks the database whenever
// somebody wants to know: an index has those alone, and usually there are none.
type unsettled struct {
	store *store.Store
	desc  *prometheus.Desc
}

func newUnsettled(st *store.Store) *unsettled {
	return &unsettled{st, prometheus.NewDesc("tenantry_collections_unsettled", "Collections whose outcome is unknown for a day, and that wait for a person.", nil, nil)}
}

// Describe is for Prometheus.
func (u *unsettled) Describe(to chan<- *prometheus.Desc) { to <- u.desc }

// Collect is for Prometheus. Without an answer there is no value: 0 would end an alert.
func (u *unsettled) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if n, err := store.CountCollectionsForPerson(ctx, u.store.Queries()); err == nil {
		to <- prometheus.MustNewConstMetric(u.desc, prometheus.GaugeValue, float64(n))
	}
}
