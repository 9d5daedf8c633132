package provisioning_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestFanOut changes the features of a product in all the ways there are. Each
// reaches every tenant with a live subscription to the product, once, and
// nobody else. A change that changes nothing reaches nobody.
func TestFanOut(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		servicetest.SetBatches(w.Service, 2)
		other := otherProduct(w)
		var live []billing.TenantID
		for i := range 5 {
			live = append(live, *w.Subscribe([]string{"basic-monthly", "pro-monthly"}[i%2], fmt.Sprintf("live%d", i)).TenantID)
		}
		w.Subscribe("pro-monthly", "live0") // a second one of the same tenant
		later, over := w.Subscribe("basic-monthly", "later", servicetest.Starting("2026-03-01")), w.Subscribe("basic-monthly", "over")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		outside := []billing.TenantID{*other.TenantID, *later.TenantID, *over.TenantID}
		count := func(ids []billing.TenantID) (counts []int) {
			for _, id := range ids {
				counts = append(counts, len(w.Events(id)))
			}
			return counts
		}
		var api *catalog.Feature
		region := w.Shop.Features["region"]
		for _, c := range []struct {
			what, reason string
			do           func() error
		}{
			{"a new feature", "feature.added", func() (err error) {
				api, err = w.Catalog.FeatureCreate(w.Ctx, w.Product.ID, []billing.PlanID{w.Pro.ID}, func(f *catalog.Feature) error {
					f.Code, f.Name, f.Kind = "api", "API", catalog.Boolean
					return nil
				})
				return err
			}},
			{"its name", "feature.changed", func() error { return editFeature(w, api.ID, func(f *catalog.Feature) { f.Name = "The API" }) }},
			{"the same name", "", func() error { return editFeature(w, api.ID, func(f *catalog.Feature) { f.Name = "The API" }) }},
			{"its kind", "feature.changed", func() error { return editFeature(w, api.ID, func(f *catalog.Feature) { f.Kind = catalog.Quantity }) }},
			{"another plan has it", "feature.added", func() error {
				return servicetest.ErrorOf(w.Catalog.PlanFeatureCreate(w.Ctx, w.Basic.ID, api.ID, func(pf *catalog.PlanFeature) error {
					pf.Value = "100"
					return nil
				}))
			}},
			{"a plan's value", "feature.changed", func() error { return w.ChangeRegion("us") }},
			{"the same value", "", func() error { return w.ChangeRegion("us") }},
			{"a plan has it no more", "feature.removed", func() error {
				return servicetest.ErrorOf(w.Catalog.PlanFeatureDelete(w.Ctx, w.PlanFeature(w.Basic.ID, api.ID).ID))
			}},
			{"what a plan has", "feature.changed", func() error {
				return servicetest.ErrorOf(w.Catalog.PlanUpdate(w.Ctx, w.Basic.ID, unchanged, []billing.FeatureID{api.ID, region.ID}))
			}},
			{"what it has already", "", func() error {
				return servicetest.ErrorOf(w.Catalog.PlanUpdate(w.Ctx, w.Basic.ID, unchanged, []billing.FeatureID{region.ID, api.ID}))
			}},
			{"no such feature", "feature.removed", func() error { return servicetest.ErrorOf(w.Catalog.FeatureDelete(w.Ctx, api.ID)) }},
		} {
			before, untold := count(live), count(outside)
			w.OK(c.do())
			w.RunJobs()
			w.Equal("others hear of "+c.what, count(outside), untold)
			for i, id := range live {
				reasons := w.Reasons(id)
				w.InSync(id)
				if c.reason == "" {
					w.Equal(c.what+" is told", len(reasons), before[i])
				} else {
					w.Equal(c.what+" is told", reasons[before[i]:], []string{c.reason})
				}
			}
		}
	})
}

func unchanged(*catalog.Plan) error { return nil }

func editFeature(w *servicetest.World, id billing.FeatureID, edit func(*catalog.Feature)) error {
	return servicetest.ErrorOf(w.Catalog.FeatureUpdate(w.Ctx, id, func(f *catalog.Feature) error {
		edit(f)
		return nil
	}))
}

// otherProduct is a product on the same platform, with a subscription.
func otherProduct(w *servicetest.World) *subscription.Subscription {
	w.T.Helper()
	product := servicetest.Must[*catalog.Product](w)(w.Catalog.ProductCreate(w.Ctx, func(p *catalog.Product) error {
		p.Code, p.Name, p.PlatformID = "shop", "Shop", &w.Platform.ID
		return nil
	}, nil))
	w.AddPriceList(w.AddPlan(product.ID, "shop").ID, "shop", 1, 0)
	return w.Subscribe("shop", "shopper")
}

// TestFanOutCost adds a feature with three subscriptions and with forty more:
// the mutation runs the same statements.
func TestFanOutCost(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		cost := func(code string) int64 {
			before := w.Store.Statements()
			w.AddFeature(w.Product.ID, catalog.Feature{Code: code, Name: code, Kind: catalog.Boolean}, nil)
			return w.Store.Statements() - before
		}
		w.SubscribeMany("basic-monthly", 3)
		few := cost("few")
		w.SubscribeMany("pro-monthly", 40)
		w.Equal("statements", cost("many"), few)
	})
}

// TestFanOutProgress shows how far a job has come. Several processes work on it
// and tell every tenant once.
func TestFanOutProgress(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		servicetest.SetBatches(w.Service, 10)
		tenants := w.SubscribeMany("basic-monthly", 25)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.Equal("before", w.Job(1), "waiting 0/0")
		for _, want := range []string{"running 10/25", "running 20/25", "done 25/25"} {
			ran, err := w.Jobs.Run(w.Ctx)
			w.OK(err)
			w.Equal("on the way", []any{ran, w.Job(1)}, []any{true, want})
		}
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "sms", Name: "SMS", Kind: catalog.Boolean}, nil)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "fax", Name: "Fax", Kind: catalog.Boolean}, nil)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := w.TryJobs(); err != nil {
					w.T.Error(err)
				}
			})
		}
		group.Wait()
		w.RunJobs()
		w.Equal("in the end", []string{w.Job(2), w.Job(3)}, []string{"done 25/25", "done 25/25"})
		for _, id := range tenants {
			w.WasTold(id, "subscription.created", "feature.added", "feature.added", "feature.added")
		}
	})
}

// TestFanOutPastBroken tells all tenants but the one that nothing right can be
// told of, and shows which that was.
func TestFanOutPastBroken(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		servicetest.SetBatches(w.Service, 4)
		tenants := w.SubscribeMany("basic-monthly", 10)
		w.Damage(`UPDATE subscription SET charges = '[{' WHERE tenant_id = $1`, int64(tenants[5]))
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.RunJobs()
		w.Equal("the job", w.Job(1), "failed 9/10, 1 failed")
		if reason := w.QueryText(`SELECT error FROM job`); !strings.Contains(reason, "damaged") {
			w.T.Errorf("the job says %q", reason)
		}
		for i, id := range tenants {
			if i != 5 {
				w.WasTold(id, "subscription.created", "feature.added")
			}
		}
		w.Equal("the broken one", w.Reasons(tenants[5]), []string{"subscription.created"})
	})
}

// TestUnknownJob ends a job that nobody knows how to do, of a newer version
// perhaps, instead of trying it for ever.
func TestUnknownJob(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SubscribeMany("basic-monthly", 1)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.Damage(`UPDATE job SET kind = 'paint the shed'`)
		w.RunJobs()
		w.Equal("the job", w.Job(1), "failed 0/0")
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "sms", Name: "SMS", Kind: catalog.Boolean}, nil)
		w.Damage(`UPDATE job SET params = '[' WHERE id = 2`)
		w.RunJobs()
		w.Equal("one about nothing", w.Job(2), "failed 0/0")
	})
}
