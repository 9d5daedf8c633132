package service_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// TestFanOut changes the features of a product in all the ways there are. Each
// reaches every tenant with a live subscription to the product, once, and
// nobody else. A change that changes nothing reaches nobody.
func TestFanOut(t *testing.T) {
	each(t, func(w *world) {
		setBatches(w.Service, 2)
		other := w.otherProduct()
		var live []billing.TenantID
		for i := range 5 {
			live = append(live, *w.subscribe([]string{"basic-monthly", "pro-monthly"}[i%2], fmt.Sprintf("live%d", i)).TenantID)
		}
		w.subscribe("pro-monthly", "live0") // a second one of the same tenant
		later, over := w.subscribe("basic-monthly", "later", starting("2026-03-01")), w.subscribe("basic-monthly", "over")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(over), nil, false))
		outside := []billing.TenantID{*other.TenantID, *later.TenantID, *over.TenantID}
		count := func(ids []billing.TenantID) (counts []int) {
			for _, id := range ids {
				counts = append(counts, len(w.events(id)))
			}
			return counts
		}
		var api *catalog.Feature
		region := w.shop.features["region"]
		for _, c := range []struct {
			what, reason string
			do           func() error
		}{
			{"a new feature", "feature.added", func() (err error) {
				api, err = w.Catalog.FeatureCreate(w.ctx, w.product.ID, []billing.PlanID{w.pro.ID}, func(f *catalog.Feature) error {
					f.Code, f.Name, f.Kind = "api", "API", catalog.Boolean
					return nil
				})
				return err
			}},
			{"its name", "feature.changed", func() error { return w.editFeature(api.ID, func(f *catalog.Feature) { f.Name = "The API" }) }},
			{"the same name", "", func() error { return w.editFeature(api.ID, func(f *catalog.Feature) { f.Name = "The API" }) }},
			{"its kind", "feature.changed", func() error { return w.editFeature(api.ID, func(f *catalog.Feature) { f.Kind = catalog.Quantity }) }},
			{"another plan has it", "feature.added", func() error {
				return second(w.Catalog.PlanFeatureCreate(w.ctx, w.basic.ID, api.ID, func(pf *catalog.PlanFeature) error {
					pf.Value = "100"
					return nil
				}))
			}},
			{"a plan's value", "feature.changed", func() error { return w.moveRegion("us") }},
			{"the same value", "", func() error { return w.moveRegion("us") }},
			{"a plan has it no more", "feature.removed", func() error {
				return second(w.Catalog.PlanFeatureDelete(w.ctx, w.planFeature(w.basic.ID, api.ID).ID))
			}},
			{"what a plan has", "feature.changed", func() error {
				return second(w.Catalog.PlanUpdate(w.ctx, w.basic.ID, unchanged, []billing.FeatureID{api.ID, region.ID}))
			}},
			{"what it has already", "", func() error {
				return second(w.Catalog.PlanUpdate(w.ctx, w.basic.ID, unchanged, []billing.FeatureID{region.ID, api.ID}))
			}},
			{"no such feature", "feature.removed", func() error { return second(w.Catalog.FeatureDelete(w.ctx, api.ID)) }},
		} {
			before, untold := count(live), count(outside)
			w.ok(c.do())
			w.runJobs()
			w.same("others hear of "+c.what, count(outside), untold)
			for i, id := range live {
				reasons := w.reasons(id)
				w.inStep(id)
				if c.reason == "" {
					w.same(c.what+" is told", len(reasons), before[i])
				} else {
					w.same(c.what+" is told", reasons[before[i]:], []string{c.reason})
				}
			}
		}
	})
}

func unchanged(*catalog.Plan) error { return nil }

func (w *world) editFeature(id billing.FeatureID, edit func(*catalog.Feature)) error {
	return second(w.Catalog.FeatureUpdate(w.ctx, id, func(f *catalog.Feature) error {
		edit(f)
		return nil
	}))
}

// otherProduct is a product on the same platform, with a subscription.
func (w *world) otherProduct() *subscription.Subscription {
	w.t.Helper()
	product := must[*catalog.Product](w)(w.Catalog.ProductCreate(w.ctx, func(p *catalog.Product) error {
		p.Code, p.Name, p.PlatformID = "shop", "Shop", &w.platform.ID
		return nil
	}, nil))
	w.addPriceList(w.addPlan(product.ID, "shop").ID, "shop", 1, 0)
	return w.subscribe("shop", "shopper")
}

// TestFanOutCost adds a feature with three subscriptions and with forty more:
// the mutation runs the same statements.
func TestFanOutCost(t *testing.T) {
	each(t, func(w *world) {
		cost := func(code string) int64 {
			before := w.store.Statements()
			w.addFeature(w.product.ID, catalog.Feature{Code: code, Name: code, Kind: catalog.Boolean}, nil)
			return w.store.Statements() - before
		}
		w.crowd("basic-monthly", 3)
		few := cost("few")
		w.crowd("pro-monthly", 40)
		w.same("statements", cost("many"), few)
	})
}

// TestFanOutProgress shows how far a job has come. Several processes work on it
// and tell every tenant once.
func TestFanOutProgress(t *testing.T) {
	each(t, func(w *world) {
		setBatches(w.Service, 10)
		tenants := w.crowd("basic-monthly", 25)
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.same("before", w.job(1), "waiting 0/0")
		for _, want := range []string{"running 10/25", "running 20/25", "done 25/25"} {
			ran, err := w.Jobs.Run(w.ctx)
			w.ok(err)
			w.same("on the way", []any{ran, w.job(1)}, []any{true, want})
		}
		w.addFeature(w.product.ID, catalog.Feature{Code: "sms", Name: "SMS", Kind: catalog.Boolean}, nil)
		w.addFeature(w.product.ID, catalog.Feature{Code: "fax", Name: "Fax", Kind: catalog.Boolean}, nil)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := w.tryJobs(); err != nil {
					w.t.Error(err)
				}
			})
		}
		group.Wait()
		w.runJobs()
		w.same("in the end", []string{w.job(2), w.job(3)}, []string{"done 25/25", "done 25/25"})
		for _, id := range tenants {
			w.told(id, "subscription.created", "feature.added", "feature.added", "feature.added")
		}
	})
}

// job shows a job as "STATE DONE/TOTAL", with what failed.
func (w *world) job(id billing.JobID) string {
	w.t.Helper()
	job, err := store.Jobs.Get(w.ctx, w.Read(), id)
	w.ok(err)
	if job == nil {
		return "none"
	}
	text := fmt.Sprintf("%s %d/%d", job.State, job.Done, job.Total)
	if job.Failed > 0 {
		text += fmt.Sprintf(", %d failed", job.Failed)
	}
	return text
}

// TestFanOutPastBroken tells all tenants but the one that nothing right can be
// told of, and shows which that was.
func TestFanOutPastBroken(t *testing.T) {
	each(t, func(w *world) {
		setBatches(w.Service, 4)
		tenants := w.crowd("basic-monthly", 10)
		w.damage(`UPDATE subscription SET charges = '[{' WHERE tenant_id = $1`, int64(tenants[5]))
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.runJobs()
		w.same("the job", w.job(1), "failed 9/10, 1 failed")
		if reason := w.text(`SELECT error FROM job`); !strings.Contains(reason, "damaged") {
			w.t.Errorf("the job says %q", reason)
		}
		for i, id := range tenants {
			if i != 5 {
				w.told(id, "subscription.created", "feature.added")
			}
		}
		w.same("the broken one", w.reasons(tenants[5]), []string{"subscription.created"})
	})
}

// TestUnknownJob ends a job that nobody knows how to do, of a newer version
// perhaps, instead of trying it for ever.
func TestUnknownJob(t *testing.T) {
	each(t, func(w *world) {
		w.crowd("basic-monthly", 1)
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.damage(`UPDATE job SET kind = 'paint the shed'`)
		w.runJobs()
		w.same("the job", w.job(1), "failed 0/0")
		w.addFeature(w.product.ID, catalog.Feature{Code: "sms", Name: "SMS", Kind: catalog.Boolean}, nil)
		w.damage(`UPDATE job SET params = '[' WHERE id = 2`)
		w.runJobs()
		w.same("one about nothing", w.job(2), "failed 0/0")
	})
}
