package impact

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// countFanOuts counts whom jobs would tell of changes to products and platforms.
func (s *Service) countFanOuts(ctx context.Context, c *count, begun []billing.Job, subscriptions map[billing.SubscriptionID]bool) error {
	products := map[billing.ProductID]int{}
	for n := range begun {
		if begun[n].Kind != billing.JobFanOut && begun[n].Kind != billing.JobProvisioning {
			continue
		}
		params, err := jobs.Params[provisioning.FanOut](&begun[n])
		if err != nil {
			return err
		}
		if params.PlatformID == 0 {
			products[params.ProductID]++
			continue
		}
		// They are told what they have.
		ids, err := store.LiveTenantsOnPlatform(ctx, s.Read(), params.PlatformID, 0, store.NoLimit)
		if err != nil {
			return err
		}
		for _, id := range ids {
			c.tenants[id] = true
		}
		c.webhooks += len(ids)
	}
	for id, times := range products {
		if err := s.countProduct(ctx, c, id, times, subscriptions); err != nil {
			return err
		}
	}
	return nil
}

// countProduct compares what the live subscriptions of the tenants of a product give.
func (s *Service) countProduct(ctx context.Context, c *count, id billing.ProductID, times int, subscriptions map[billing.SubscriptionID]bool) error {
	product, err := store.Products.Get(ctx, s.Read(), id)
	if err != nil || product == nil || product.PlatformID == nil {
		return err
	}
	platform, err := store.Platforms.Get(ctx, s.Read(), *product.PlatformID)
	if err != nil || platform == nil || !platform.ProvisioningEnabled {
		return err
	}
	g, err := s.giving(ctx, id)
	if err != nil {
		return err
	}
	days, err := provisioning.DaysOn(ctx, s.Store.Snapshot(), g.clocks)
	if err != nil {
		return err
	}
	var of billing.TenantID
	var some []store.LiveSubscription
	known := map[string][]difference{}
	flush := func() {
		if len(some) == 0 {
			return
		}
		c.webhooks += times
		if !c.tenants[of] {
			c.tenants[of] = true
			first := tenant{some[0].TenantCode, some[0].Users}
			for _, d := range g.compare(some, days.On(some[0].TestClockID), known) {
				c.note(d, first)
			}
		}
		some = some[:0]
	}
	err = store.EachLive(ctx, s.Read(), id, g.byLines, func(l *store.LiveSubscription) error {
		if *l.Subscription.TenantID != of {
			flush()
			of = *l.Subscription.TenantID
		}
		if l.Subscription.ProductID == id {
			subscriptions[l.Subscription.ID] = true
		}
		some = append(some, *l)
		return nil
	})
	flush()
	return err
}

// giving is what plans give of the features that a change is about, before and after it.
type giving struct {
	before, after map[billing.PriceListID]*catalog.PlanContents
	// byLines says that a quantity depends on what a customer has bought.
	byLines bool
	clocks  []*billing.TestClockID
}

// giving reads what the plans give that tenants of a product are on, of the features that
// have changed.
func (s *Service) giving(ctx context.Context, product billing.ProductID) (*giving, error) {
	lists, clocks, err := store.ListsAndClocksOf(ctx, s.Read(), product)
	if err != nil {
		return nil, err
	}
	before, err := store.LoadCatalog(store.WithoutRehearsal(ctx), s.Read(), lists)
	if err != nil {
		return nil, err
	}
	after, err := store.LoadCatalog(ctx, s.Read(), lists)
	if err != nil {
		return nil, err
	}
	codes := map[string]bool{}
	for plan := range after.Contents {
		changedCodes(codes, before.Contents[plan], after.Contents[plan])
	}
	g := &giving{before: contentsOf(before, codes), after: contentsOf(after, codes), clocks: clocks}
	for _, contents := range []map[billing.PriceListID]*catalog.PlanContents{g.before, g.after} {
		for _, one := range contents {
			g.byLines = g.byLines || slices.ContainsFunc(one.Features, func(f catalog.IncludedFeature) bool { return f.Kind == catalog.Quantity })
		}
	}
	return g, nil
}

// changedCodes adds the codes of features that a plan has differently, by either name.
func changedCodes(codes map[string]bool, before, after *catalog.PlanContents) {
	of := func(c *catalog.PlanContents) map[billing.FeatureID]string {
		found := map[billing.FeatureID]string{}
		if c != nil {
			for n := range c.Features {
				f := &c.Features[n]
				found[f.ID] = fmt.Sprintln(f.Code, f.Kind, f.Position, f.IsProvisioned, f.PlanValue, f.WhenRestricted, valueOf(f.RestrictedQuantity), f.RestrictedQuantity == nil)
			}
		}
		return found
	}
	was, is := of(before), of(after)
	note := func(c *catalog.PlanContents, others map[billing.FeatureID]string, mine map[billing.FeatureID]string) {
		if c == nil {
			return
		}
		for n := range c.Features {
			if f := &c.Features[n]; mine[f.ID] != others[f.ID] {
				codes[f.Code] = true
			}
		}
	}
	note(before, is, was)
	note(after, was, is)
}

// contentsOf are the contents of plans with features of these codes alone, by price list.
func contentsOf(c *store.Catalog, codes map[string]bool) map[billing.PriceListID]*catalog.PlanContents {
	found := map[billing.PriceListID]*catalog.PlanContents{}
	for id, list := range c.PriceLists {
		some := &catalog.PlanContents{}
		if all := c.Contents[list.PlanID]; all != nil {
			for _, f := range all.Features {
				if codes[f.Code] {
					some.Features = append(some.Features, f)
				}
			}
		}
		found[id] = some
	}
	return found
}

// compare is what happens to the features of a tenant. Unless quantities are bought, that
// is the same for all tenants on the same price lists, and known has it.
func (g *giving) compare(some []store.LiveSubscription, today billing.Date, known map[string][]difference) []difference {
	slices.SortFunc(some, func(a, b store.LiveSubscription) int { return cmp.Compare(a.Subscription.ID, b.Subscription.ID) })
	var key strings.Builder
	if !g.byLines {
		for n := range some {
			fmt.Fprintf(&key, "%d %s ", some[n].Subscription.PriceListID, some[n].Subscription.Standing)
		}
		if found, is := known[key.String()]; is {
			return found
		}
	}
	merged := func(contents map[billing.PriceListID]*catalog.PlanContents) []subscription.ProvisionedFeature {
		var all [][]subscription.ProvisionedFeature
		for n := range some {
			if sub := &some[n].Subscription; contents[sub.PriceListID] != nil {
				all = append(all, sub.FeaturesOn(today, contents[sub.PriceListID]))
			}
		}
		return subscription.MergeFeatures(all)
	}
	found := differences(merged(g.before), merged(g.after))
	if !g.byLines {
		known[key.String()] = found
	}
	return found
}
