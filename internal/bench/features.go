package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// featureRounds is how many features are added to each product.
	featureRounds = 30
	// toldAtOnce is how many events the bare side records in a transaction: as
	// many as a batch of a job has.
	toldAtOnce = 200
)

// measureFeatures compares how long it takes to add a feature to a product with
// many live subscriptions and to one with few, and then how fast the tenants
// are told with how fast the same events can be recorded.
func measureFeatures(r *run) []result {
	many, few := r.newCrowd("features_many", r.subs/10), r.newCrowd("features_few", r.subs/1000)
	var times [2][]float64
	for round := range warmUpRounds + featureRounds {
		for i, c := range []*crowd{many, few} {
			took := c.addFeature(r.Context(), round)
			if round >= warmUpRounds {
				times[i] = append(times[i], milliseconds(took))
			}
		}
	}
	return []result{
		r.result("feature added", "ms", median(times[0]), median(times[1])).atMost(1.5),
		r.compareEvents(many),
	}
}

// addFeature adds one more feature to the product and returns how long the
// caller waits for it.
func (c *crowd) addFeature(ctx context.Context, round int) time.Duration {
	start := now()
	must(c.Catalog.FeatureCreate(asClient(ctx), c.shop.product, nil, func(f *catalog.Feature) error {
		f.Code, f.Name = fmt.Sprintf("more-%d", round), "More"
		return nil
	}))
	return now().Sub(start)
}

// tell is a side: it works on the jobs that tell the tenants, and returns how
// many events that recorded per second.
func (c *crowd) tell(ctx context.Context, d time.Duration) (rate float64, err error) {
	before := c.recorded(ctx)
	start, more := now(), true
	tagged(ctx, "server", func(ctx context.Context) {
		for more && err == nil && now().Sub(start) < d {
			more, err = c.Jobs.Run(ctx)
		}
	})
	took := now().Sub(start)
	return float64(c.recorded(ctx)-before) / took.Seconds(), err
}

// recorded is how many events the jobs have recorded.
func (c *crowd) recorded(ctx context.Context) (n int) {
	for _, job := range must(store.Jobs.List(ctx, c.Read(), store.Page{Limit: 1000})) {
		n += job.Done
	}
	return n
}

// compareEvents lets jobs that tell tenants take turns with the bare side: the
// events that they told some of them last, and nothing else, a batch in a
// transaction.
func (r *run) compareEvents(c *crowd) result {
	must(c.tell(r.Context(), time.Millisecond))
	ids := must(store.LiveTenants(r.Context(), c.Read(), c.shop.product, 0, toldAtOnce))
	latest := must(outbox.LatestEvents(r.Context(), c.Read(), ids))
	if len(latest) != toldAtOnce {
		r.Fatalf("a batch told %d tenants, want %d", len(latest), toldAtOnce)
	}
	record := func(ctx context.Context, d time.Duration) (rate float64, err error) {
		n, start := 0, now()
		tagged(ctx, "bare", func(ctx context.Context) {
			for err == nil && now().Sub(start) < d {
				err = c.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error { return recordAll(ctx, tx, ids, latest) })
				n += len(ids)
			}
		})
		return float64(n) / now().Sub(start).Seconds(), err
	}
	return r.compare("feature, events", c.tell, record)
}

func recordAll(ctx context.Context, tx *store.Tx, ids []billing.TenantID, latest map[billing.TenantID]webhook.Event) error {
	for _, id := range ids {
		position, err := outbox.NextPosition(ctx, tx, id)
		if err != nil {
			return err
		}
		event := latest[id]
		event.Sequence = position.Sequence
		if err := outbox.InsertEvent(ctx, tx, &event, position); err != nil {
			return err
		}
	}
	return nil
}
