package app

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/store"
)

// askedHolds is how long an answer is good: whoever reads metrics often does not ask the
// database each time.
const askedHolds = 10 * time.Second

// asked is a metric that the database is asked for. What it asks must be cheap however
// much there is.
type asked struct {
	desc *prometheus.Desc
	ask  func(context.Context) (float64, error)

	mu    sync.Mutex
	value float64
	until time.Time
}

// askedMetrics are the metrics that the database is asked for.
func askedMetrics(st *store.Store) []*asked {
	return []*asked{
		{
			desc: prometheus.NewDesc("tenantry_collections_unsettled", "Collections whose outcome is unknown for a day, and that wait for a person.", nil, nil),
			ask: func(ctx context.Context) (float64, error) { // an index has those alone
				n, err := store.CountCollectionsForPerson(ctx, st.Queries())
				return float64(n), err
			},
		},
		{
			desc: prometheus.NewDesc("tenantry_drift_persistent_tenants", "Tenants that still differ in their application after they were told their state again, up to 1,001.", nil, nil),
			ask: func(ctx context.Context) (float64, error) { // an index has those alone
				n, err := store.CountPersistentDrift(ctx, st.Queries())
				return float64(n), err
			},
		},
		{
			desc: prometheus.NewDesc("tenantry_email_late_seconds", "For how long the oldest e-mail has been due to be sent; 0 if none is.", nil, nil),
			ask: func(ctx context.Context) (float64, error) {
				due, waits, err := store.NextEmail(ctx, st.Queries())
				if !waits {
					return 0, err
				}
				return max(0, st.Now().Sub(due).Seconds()), err
			},
		},
	}
}

// Describe is for Prometheus.
func (a *asked) Describe(to chan<- *prometheus.Desc) { to <- a.desc }

// Collect is for Prometheus. Without an answer there is no value: 0 would end an alert.
func (a *asked) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); !now.Before(a.until) {
		value, err := a.ask(ctx)
		if err != nil {
			return
		}
		a.value, a.until = value, now.Add(askedHolds)
	}
	to <- prometheus.MustNewConstMetric(a.desc, prometheus.GaugeValue, a.value)
}
