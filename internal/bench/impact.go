package main

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// impactTime is how many milliseconds the impact of a feature on very many tenants may take.
const impactTime = 1000

// measureImpact finds out what a feature would do to the tenants of a product, with very
// many and with few of them, and compares a preview of more seats with the change itself.
func measureImpact(r *run) []result {
	many, few := r.newCrowd("impact_many", r.subs), r.newCrowd("impact_few", max(1, r.subs/100))
	result := []result{}
	for _, kind := range []catalog.FeatureKind{catalog.Boolean, catalog.Quantity} {
		var times [2][]float64
		for range 5 {
			times[0], times[1] = append(times[0], many.featureImpact(r, kind, r.subs)), append(times[1], few.featureImpact(r, kind, max(1, r.subs/100)))
		}
		name := "impact of a " + map[catalog.FeatureKind]string{catalog.Boolean: "feature", catalog.Quantity: "quantity"}[kind]
		each := func(n int) float64 { return 1000 * median(times[n]) / float64([]int{r.subs, max(1, r.subs/100)}[n]) }
		result = append(result,
			r.result(name, "ms", median(times[0]), impactTime).atMost(1),
			r.result(name+", each", "µs", each(0), each(1)).atMost(1.3))
	}
	var previews, changes []float64
	for n := range 200 {
		seats := 4 + n
		change := func(ctx context.Context) error {
			_, err := few.Subscriptions.SubscriptionQuantityUpdate(ctx, billing.SubscriptionID(1+n%10), subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}})
			return err
		}
		start := now()
		few.impact(r, change)
		previews = append(previews, milliseconds(now().Sub(start)))
		start = now()
		check(change(asClient(r.Context())))
		changes = append(changes, milliseconds(now().Sub(start)))
	}
	return append(result, r.result("preview of a change", "ms", median(previews), median(changes)).atMost(2))
}

// featureImpact finds out what a new feature would do to a number of tenants, and returns
// how many milliseconds that took.
func (c *crowd) featureImpact(r *run, kind catalog.FeatureKind, tenants int) float64 {
	plan := must(store.Plans.Get(r.Context(), c.store.Queries(), 1))
	start := now()
	gained := c.impact(r, func(ctx context.Context) error {
		_, err := c.Catalog.FeatureCreate(ctx, plan.ProductID, []billing.PlanID{plan.ID}, func(f *catalog.Feature) error {
			f.Code, f.Name, f.Kind = "new", "New", kind
			return nil
		})
		return err
	})
	took := milliseconds(now().Sub(start))
	if gained != tenants {
		r.Fatalf("%d of %d tenants would gain the feature", gained, tenants)
	}
	return took
}

// impact rehearses an operation and returns how many tenants would gain a feature.
func (c *crowd) impact(r *run, do func(context.Context) error) (gained int) {
	found, err := c.Impact.Foretell(asClient(r.Context()), do)
	check(err)
	if len(found.Features) > 0 {
		gained = found.Features[0].Gain
	}
	return gained
}
