package impact

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
		ids, err := store.TenantsToTell(ctx, s.Read(), params.PlatformID, 0, store.NoLimit)
		if err != nil {
			return err
		}
		for _, id := range ids {
			c.tenants[id] = true
		}
		c.webhooks += len(ids)
	}
	for id, times := range products {
		if err := s.countProduct(ctx, c, id, times, len(products) == 1, subscriptions); err != nil {
			return err
		}
	}
	return nil
}

// countProduct compares what the live subscriptions of the tenants of a product give.
func (s *Service) countProduct(ctx context.Context, c *count, id billing.ProductID, times int, only bool, subscriptions map[billing.SubscriptionID]bool) error {
	product, err := store.Products.Get(ctx, s.Read(), id)
	if err != nil || product == nil || product.PlatformID == nil {
		return err
	}
	platform, err := store.Platforms.Get(ctx, s.Read(), *product.PlatformID)
	if err != nil || platform == nil || !platform.ProvisioningEnabled {
		return err
	}
	shapes, err := store.LiveShapes(ctx, s.Read(), id)
	if err != nil {
		return err
	}
	g, err := s.giving(ctx, shapes)
	if err != nil {
		return err
	}
	if g.byLines || len(c.tenants) > 0 || !only {
		return s.countEach(ctx, c, g, id, times, subscriptions)
	}
	return s.countShapes(ctx, c, g, shapes, times)
}

// countShapes counts the tenants of a product by the price lists they are on: with the
// same ones, the same happens to all.
func (s *Service) countShapes(ctx context.Context, c *count, g *giving, shapes []store.LiveShape, times int) error {
	lists := map[string][]billing.PriceListID{}
	for n := range shapes {
		shape := &shapes[n]
		c.others += shape.Tenants
		c.webhooks += times * shape.Tenants
		c.otherSubscriptions += shape.ToProduct
		found := g.compare(shape.Subscriptions, billing.Date{})
		if len(found) == 0 && g.withheld(shape.Subscriptions, billing.Date{}) {
			c.suspended += shape.Tenants
		}
		for _, d := range found {
			c.tally(d, shape.Tenants)
			for m := range shape.Subscriptions {
				lists[d.code] = append(lists[d.code], shape.Subscriptions[m].PriceListID)
			}
		}
	}
	known := map[string][]had{}
	for code, of := range lists {
		slices.Sort(of)
		of = slices.Compact(of)
		key := fmt.Sprint(of)
		if known[key] == nil {
			var err error
			if known[key], err = s.largest(ctx, of); err != nil {
				return err
			}
		}
		c.byFeature[code].nameOf(code, known[key])
	}
	return nil
}

// candidates is how many of the largest tenants are looked at to name some.
const candidates = 2 * mostKnown

// largest returns what the largest tenants on price lists have before and after, the
// largest first.
func (s *Service) largest(ctx context.Context, lists []billing.PriceListID) ([]had, error) {
	rows, err := store.LargestTenants(ctx, s.Read(), lists, candidates)
	if err != nil {
		return nil, err
	}
	ids := make([]billing.TenantID, len(rows))
	for n := range rows {
		ids[n] = rows[n].ID
	}
	states, err := s.compared(ctx, ids, nil)
	found := make([]had, 0, len(rows))
	for n := range rows {
		if h := states[ids[n]]; h != nil {
			found = append(found, had{tenant{rows[n].Code, valueOf(rows[n].UserCount)}, h.before, h.after})
		}
	}
	return found, err
}

// nameOf names the tenants to which something happens, out of some.
func (t *tally) nameOf(code string, some []had) {
	for n := range some {
		h := &some[n]
		if slices.ContainsFunc(differences(h.before, h.after), func(d difference) bool { return d.code == code }) {
			t.named = append(t.named, h.tenant)
		}
	}
}

// countEach compares the tenants of a product one after another: by the quantities that
// each has bought, and leaving out those that were counted before.
func (s *Service) countEach(ctx context.Context, c *count, g *giving, id billing.ProductID, times int, subscriptions map[billing.SubscriptionID]bool) error {
	today := map[billing.TestClockID]billing.Date{} // 0 is real time
	var of tenant
	var tenantID billing.TenantID
	var day billing.Date
	var some []subscription.Subscription
	flush := func() {
		if len(some) == 0 {
			return
		}
		c.webhooks += times
		if !c.tenants[tenantID] {
			c.tenants[tenantID] = true
			found := g.compare(some, day)
			if len(found) == 0 && g.withheld(some, day) {
				c.suspended++
			}
			for _, d := range found {
				c.note(d, of)
			}
		}
		some = some[:0]
	}
	if err := s.readDays(ctx, today); err != nil {
		return err
	}
	err := store.EachLive(ctx, s.Read(), id, func(l *store.LiveSubscription) error {
		if *l.Subscription.TenantID != tenantID {
			flush()
			tenantID, of, day = *l.Subscription.TenantID, tenant{l.TenantCode, l.Users}, today[clockOf(l)]
		}
		if l.Subscription.ProductID == id {
			subscriptions[l.Subscription.ID] = true
		}
		some = append(some, l.Subscription)
		return nil
	})
	flush()
	return err
}

// readDays finds out what day it is in real time, and on all test clocks.
func (s *Service) readDays(ctx context.Context, today map[billing.TestClockID]billing.Date) error {
	clocks, err := store.TestClocks.List(ctx, s.Read(), store.Page{Limit: store.NoLimit})
	if err != nil {
		return err
	}
	ids := make([]*billing.TestClockID, len(clocks))
	for n := range clocks {
		ids[n] = &clocks[n].ID
	}
	days, err := provisioning.DaysOn(ctx, s.Store.Snapshot(), ids)
	if err != nil {
		return err
	}
	today[0] = days.On(nil)
	for _, id := range ids {
		today[*id] = days.On(id)
	}
	return nil
}

func clockOf(l *store.LiveSubscription) billing.TestClockID {
	if l.TestClockID == nil {
		return 0
	}
	return *l.TestClockID
}

// giving is what plans give of the features that a change is about, before and after it.
type giving struct {
	before, after map[billing.PriceListID]*catalog.PlanContents
	// byLines says that a quantity depends on what a customer has bought.
	byLines bool
}

// giving reads what the plans give that tenants are on, of the features that have changed.
func (s *Service) giving(ctx context.Context, shapes []store.LiveShape) (*giving, error) {
	var lists []billing.PriceListID
	for n := range shapes {
		for m := range shapes[n].Subscriptions {
			lists = append(lists, shapes[n].Subscriptions[m].PriceListID)
		}
	}
	slices.Sort(lists)
	lists = slices.Compact(lists)
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
	g := &giving{before: contentsOf(before, codes), after: contentsOf(after, codes)}
	// Nobody has bought anything of a new feature.
	g.byLines, err = s.isSold(ctx, g)
	return g, err
}

// isSold says whether lines of subscriptions may have quantities of the features.
func (s *Service) isSold(ctx context.Context, g *giving) (bool, error) {
	var ids []billing.FeatureID
	for _, contents := range []map[billing.PriceListID]*catalog.PlanContents{g.before, g.after} {
		for _, one := range contents {
			for _, f := range one.Features {
				if f.Kind == catalog.Quantity {
					ids = append(ids, f.ID)
				}
			}
		}
	}
	slices.Sort(ids)
	known, err := store.Features.ByIDs(store.WithoutRehearsal(ctx), s.Read(), slices.Compact(ids))
	return len(known) > 0, err
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

// withheld says that something would happen to the features of a tenant if none of its
// subscriptions were suspended.
func (g *giving) withheld(some []subscription.Subscription, today billing.Date) bool {
	if !slices.ContainsFunc(some, func(s subscription.Subscription) bool { return s.Standing == billing.Suspended }) {
		return false
	}
	paid := slices.Clone(some)
	for n := range paid {
		if paid[n].Standing == billing.Suspended {
			paid[n].Standing = billing.Good
		}
	}
	return len(g.compare(paid, today)) > 0
}

// compare is what happens to the features of a tenant with these subscriptions.
func (g *giving) compare(some []subscription.Subscription, today billing.Date) []difference {
	slices.SortFunc(some, func(a, b subscription.Subscription) int { return cmp.Compare(a.ID, b.ID) })
	merged := func(contents map[billing.PriceListID]*catalog.PlanContents) []subscription.ProvisionedFeature {
		var all [][]subscription.ProvisionedFeature
		for n := range some {
			if of := contents[some[n].PriceListID]; of != nil {
				all = append(all, some[n].FeaturesOn(today, of))
			}
		}
		return subscription.MergeFeatures(all)
	}
	return differences(merged(g.before), merged(g.after))
}
