package app

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/store"
)

// unsettledHolds is how long a count is good: whoever reads metrics often does not ask the
// database each time.
const unsettledHolds = 10 * time.Second

// unsettled counts the collections that wait for a person. An index has those alone, and
// usually there are none.
type unsettled struct {
	store *store.Store
	desc  *prometheus.Desc

	mu    sync.Mutex
	count int
	until time.Time
}

func newUnsettled(st *store.Store) *unsettled {
	return &unsettled{store: st, desc: prometheus.NewDesc("tenantry_collections_unsettled", "Collections whose outcome is unknown for a day, and that wait for a person.", nil, nil)}
}

// Describe is for Prometheus.
func (u *unsettled) Describe(to chan<- *prometheus.Desc) { to <- u.desc }

// Collect is for Prometheus. Without an answer there is no value: 0 would end an alert.
func (u *unsettled) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); !now.Before(u.until) {
		n, err := store.CountCollectionsForPerson(ctx, u.store.Queries())
		if err != nil {
			return
		}
		u.count, u.until = n, now.Add(unsettledHolds)
	}
	to <- prometheus.MustNewConstMetric(u.desc, prometheus.GaugeValue, float64(u.count))
}
