package subscriptions_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestCrossing stops a change right before its commit and lets another one
// overtake it, if it can, with all its work in the background. Whichever comes
// first, the tenant ends up knowing of both. SQLite has one writer: nobody
// overtakes there.
func TestCrossing(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		prepare func(w *servicetest.World) *subscription.Subscription
		slow    func(w *servicetest.World, ctx context.Context, s *subscription.Subscription) (*subscription.Subscription, error)
		quick   func(w *servicetest.World) error
		told    []string
	}{
		"one comes to life while a feature changes": {
			prepare: canceled(nil), slow: reinstate,
			quick: func(w *servicetest.World) error { return w.ChangeRegion("us") },
			told:  []string{"subscription.created", "state.changed", "state.changed", "feature.changed"},
		},
		"one is made while a feature changes": {
			slow: func(w *servicetest.World, ctx context.Context, _ *subscription.Subscription) (*subscription.Subscription, error) {
				return w.Subscriptions.SubscriptionCreate(ctx, w.Order("basic-monthly", "acme"))
			},
			quick: func(w *servicetest.World) error { return w.ChangeRegion("us") },
			told:  []string{"subscription.created", "feature.changed"},
		},
		"one comes to life while an import changes a plan": {
			prepare: canceled(nil), slow: reinstate,
			quick: func(w *servicetest.World) error {
				return imports(w, func(ctx context.Context, to *catalogs.Import) error {
					pf := w.PlanFeature(w.Basic.ID, w.Shop.Features["region"].ID)
					return servicetest.ErrorOf(catalogs.ImportPlanFeature(ctx, to, pf, catalog.PlanFeature{}, func(pf *catalog.PlanFeature) error {
						pf.Value = "us"
						return nil
					}))
				})
			},
			told: []string{"subscription.created", "state.changed", "state.changed", "feature.changed"},
		},
		"one is made while an import changes a feature": {
			slow: func(w *servicetest.World, ctx context.Context, _ *subscription.Subscription) (*subscription.Subscription, error) {
				return w.Subscriptions.SubscriptionCreate(ctx, w.Order("basic-monthly", "acme"))
			},
			quick: func(w *servicetest.World) error {
				return imports(w, func(ctx context.Context, to *catalogs.Import) error {
					f := *w.Shop.Features["region"]
					return servicetest.ErrorOf(catalogs.ImportFeature(ctx, to, &f, catalog.Feature{}, func(f *catalog.Feature) error {
						f.Name = "Where it runs"
						return nil
					}))
				})
			},
			told: []string{"subscription.created", "feature.changed"},
		},
		"one comes to life while provisioning is enabled": {
			prepare: canceled(func(w *servicetest.World) {
				w.Subscribe("basic-monthly", "other")
				w.SetProvisioning(false)
			}),
			slow: reinstate,
			quick: func(w *servicetest.World) error {
				return servicetest.ErrorOf(w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
					p.ProvisioningEnabled = true
					return nil
				}, delivery.PlatformSecrets{}))
			},
			told: []string{"subscription.created", "state.changed", "provisioning.enabled"},
		},
		"one comes to life while its clock moves on": {
			prepare: func(w *servicetest.World) *subscription.Subscription {
				w.AccountOn("acme", &w.NewClock("2026-01-15 12:00").ID)
				return canceled(nil)(w)
			},
			slow: reinstate,
			quick: func(w *servicetest.World) error {
				_, _, err := w.Subscriptions.TestClockAdvance(w.Ctx, 1, servicetest.Moment("2026-02-20 00:00"))
				return err
			},
			told: []string{"subscription.created", "state.changed", "state.changed", "subscription.renewed"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := servicetest.NewWorld(t, storetest.New(t, "postgres"))
			var s *subscription.Subscription
			if c.prepare != nil {
				s = c.prepare(w)
			}
			w.Order("basic-monthly", "acme") // makes the account
			release := w.StopBeforeCommit()
			var slow, quick chan error = make(chan error, 1), make(chan error, 1)
			go func() {
				after, err := c.slow(w, w.WithKey("slow"), s)
				s = after
				slow <- err
			}()
			w.AwaitBlocked(1)
			go func() { quick <- c.quick(w) }()
			if done, err := w.AwaitBlockedOr(2, quick); done {
				w.OK(err)
				w.RunJobs()
				release()
			} else {
				release()
				w.OK(<-quick)
			}
			w.OK(<-slow)
			w.RunJobs()
			w.WasTold(*s.TenantID, c.told...)
		})
	}
}

// imports imports parts of the catalog and tells tenants of it.
func imports(w *servicetest.World, do func(context.Context, *catalogs.Import) error) error {
	return w.Catalog.ImportCatalog(w.Ctx, true, do)
}

// canceled is a subscription that is over, and then something else.
func canceled(then func(*servicetest.World)) func(*servicetest.World) *subscription.Subscription {
	return func(w *servicetest.World) *subscription.Subscription {
		s := w.Subscribe("basic-monthly", "acme")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{}))
		if then != nil {
			then(w)
		}
		return s
	}
}

func reinstate(w *servicetest.World, ctx context.Context, s *subscription.Subscription) (*subscription.Subscription, error) {
	return first(w.Subscriptions.SubscriptionReinstate(ctx, servicetest.IDs(s), nil))
}
