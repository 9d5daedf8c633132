package impact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// rehearse returns what an operation would do. Nothing may be left of it.
func rehearse(w *servicetest.World, do func(context.Context) error) (found *impact.Impact) {
	w.T.Helper()
	w.Unchanged("a rehearsal", func() {
		var err error
		found, err = w.Impact.Foretell(w.Ctx, do)
		w.OK(err)
	})
	return found
}

// state is what every tenant has, and how often it was told so.
type state struct {
	features map[billing.TenantID][]subscription.ProvisionedFeature
	codes    map[billing.TenantID]string
	told     map[billing.TenantID]int
}

func stateOf(w *servicetest.World) state {
	w.T.Helper()
	s := state{map[billing.TenantID][]subscription.ProvisionedFeature{}, map[billing.TenantID]string{}, map[billing.TenantID]int{}}
	tenants, err := store.Tenants.List(w.Ctx, w.Read(), store.Page{Limit: 1000})
	w.OK(err)
	for _, t := range tenants {
		one, err := w.Provisioning.State(w.Ctx, t.ID)
		w.OK(err)
		s.features[t.ID], s.codes[t.ID], s.told[t.ID] = one.Features(), t.Code, len(w.Events(t.ID))
	}
	return s
}

// between counts what happened, tenant by tenant.
func between(before, after state) string {
	tenants, webhooks := 0, 0
	features := map[string]*[3]int{}
	note := func(code string, kind int) {
		if features[code] == nil {
			features[code] = &[3]int{}
		}
		features[code][kind]++
	}
	for id := range after.told {
		if n := after.told[id] - before.told[id]; n > 0 {
			tenants, webhooks = tenants+1, webhooks+n
		}
		had, has := map[string]string{}, map[string]string{}
		for _, f := range before.features[id] {
			had[f.Code] = fmt.Sprint(f.Value, f.Quantity == nil, value(f.Quantity))
		}
		for _, f := range after.features[id] {
			has[f.Code] = fmt.Sprint(f.Value, f.Quantity == nil, value(f.Quantity))
		}
		for code, text := range has {
			if was, there := had[code]; !there {
				note(code, 0)
			} else if was != text {
				note(code, 2)
			}
		}
		for code := range had {
			if _, there := has[code]; !there {
				note(code, 1)
			}
		}
	}
	var lines []string
	for _, code := range slices.Sorted(maps.Keys(features)) {
		lines = append(lines, fmt.Sprint(code, *features[code]))
	}
	return fmt.Sprintf("%d tenants, %d webhooks: %s", tenants, webhooks, strings.Join(lines, " "))
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// words are an impact as between writes it.
func words(i *impact.Impact) string {
	var lines []string
	for _, f := range i.Features {
		lines = append(lines, fmt.Sprint(f.Code, [3]int{f.Gain, f.Lose, f.Change}))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d tenants, %d webhooks: %s", i.Tenants, i.Webhooks, strings.Join(lines, " "))
}

// TestImpactIsWhatHappens rehearses changes of catalog and subscriptions, does them, and
// compares what was foretold with what every tenant has and was told then.
func TestImpactIsWhatHappens(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SubscribeMany("basic-monthly", 5)
		w.SubscribeMany("pro-monthly", 4)
		// One tenant has both plans, one is on a test clock, one has left.
		w.Account("acme")
		both := w.Subscribe("basic-monthly", "acme")
		w.Subscribe("pro-quarter", "acme", func(n *subscriptions.NewSubscription) {
			n.Tenant = &subscriptions.TenantRef{Code: tenantCode(w, *both.TenantID)}
		})
		w.AccountOn("tested", &w.NewClock("2026-01-15 12:00").ID)
		w.Subscribe("pro-monthly", "tested")
		w.Account("gone")
		gone := w.Subscribe("pro-monthly", "gone")
		w.OK(servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(gone), subscription.Cancellation{})))
		seats := func(n int) func(context.Context) error {
			return func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionQuantityUpdate(ctx, both.ID, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: &n}}}))
			}
		}
		planValue := func(plan *catalog.Plan, feature, text string) func(context.Context) error {
			return func(ctx context.Context) error {
				return planFeature(ctx, w, plan, feature, func(pf *catalog.PlanFeature) { pf.Value = text })
			}
		}
		feature := func(code string, kind catalog.FeatureKind, plans ...*catalog.Plan) func(context.Context) error {
			return func(ctx context.Context) error {
				var ids []billing.PlanID
				for _, p := range plans {
					ids = append(ids, p.ID)
				}
				return servicetest.ErrorOf(w.Catalog.FeatureCreate(ctx, w.Product.ID, ids, func(f *catalog.Feature) error {
					f.Code, f.Name, f.Kind = code, code, kind
					return nil
				}))
			}
		}
		renamed := func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Catalog.FeatureUpdate(ctx, w.Shop.Features["region"].ID, func(f *catalog.Feature) error { f.Code = "place"; return nil }))
		}
		for _, c := range []struct {
			what string
			do   func(context.Context) error
			want string
		}{
			{"a feature for one plan", feature("ai", catalog.Boolean, w.Pro), "11 tenants, 11 webhooks: ai[6 0 0]"},
			{"a feature for no plan", feature("later", catalog.Boolean), ""},
			{"a quantity for both", feature("files", catalog.Quantity, w.Basic, w.Pro), ""},
			{"what a tenant has by another plan too", planValue(w.Basic, "sso", "true"), "11 tenants, 11 webhooks: sso[5 0 0]"},
			{"another value", planValue(w.Basic, "region", "us"), ""},
			{"another included quantity", planValue(w.Pro, "users", "30"), ""},
			{"more seats", seats(9), "1 tenants, 1 webhooks: users[0 0 1]"},
			{"as many", seats(9), "0 tenants, 0 webhooks: "},
			{"another code", renamed, ""},
			{"cancelled", func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(both), subscription.Cancellation{}))
			}, ""},
			{"another customer", func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionCreate(ctx, w.Order("pro-monthly", "acme")))
			}, ""},
			{"provisioning off", func(ctx context.Context) error { return provision(ctx, w, false) }, ""},
			{"a change that nobody is told of", planValue(w.Pro, "region", "asia"), "0 tenants, 0 webhooks: "},
			{"a feature deleted while nobody is told", func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Catalog.FeatureDelete(ctx, w.Shop.Features["sso"].ID))
			}, "0 tenants, 0 webhooks: "},
			{"provisioning on", func(ctx context.Context) error { return provision(ctx, w, true) }, ""},
		} {
			before := stateOf(w)
			foretold := rehearse(w, c.do)
			w.OK(c.do(w.Ctx))
			w.RunJobs()
			happened := between(before, stateOf(w))
			if c.want == "0 tenants, 0 webhooks: " {
				happened = c.want // what nobody is told is not counted
			}
			w.Equal(c.what, words(foretold), happened)
			if c.want != "" {
				w.Equal(c.what+", as it should be", happened, c.want)
			}
		}
	})
}

func provision(ctx context.Context, w *servicetest.World, on bool) error {
	return servicetest.ErrorOf(w.Delivery.PlatformUpdate(ctx, w.Platform.ID, func(p *webhook.Platform) error { p.ProvisioningEnabled = on; return nil }, delivery.PlatformSecrets{}))
}

func tenantCode(w *servicetest.World, id billing.TenantID) string {
	w.T.Helper()
	t, err := store.Tenants.Get(w.Ctx, w.Read(), id)
	w.OK(err)
	return t.Code
}

// TestImpactSaysFromWhatToWhat has tenants with the same plan and what they bought, one of
// them suspended.
func TestImpactSaysFromWhatToWhat(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SubscribeMany("pro-monthly", 3)
		w.Account("late")
		suspend(w, w.Subscribe("pro-monthly", "late"))
		said := func(do func(context.Context) error) string {
			var texts []string
			for _, s := range rehearse(w, do).Sentences() {
				texts = append(texts, s.Text)
			}
			return strings.Join(texts, " ")
		}
		value := func(feature, text string) func(context.Context) error {
			return func(ctx context.Context) error {
				return planFeature(ctx, w, w.Pro, feature, func(pf *catalog.PlanFeature) { pf.Value = text })
			}
		}
		const rest = ": pro-monthly-0, pro-monthly-1 and pro-monthly-2. For 1 tenant nothing changes yet: suspended until its invoices are paid. 4 webhooks are sent, also to tenants for which nothing changes."
		w.Equal("a value", said(value("region", "asia")), "For 3 tenants Region changes from “eu” to “asia”"+rest)
		w.Equal("a feature", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Catalog.FeatureCreate(ctx, w.Product.ID, []billing.PlanID{w.Pro.ID}, func(f *catalog.Feature) error { f.Code, f.Name = "ai", "AI"; return nil }))
		}), "3 tenants gain AI"+rest)

		// One has by another subscription what the suspended one would give.
		w.Account("both")
		both := w.Subscribe("basic-monthly", "both")
		w.Subscribe("pro-quarter", "both", servicetest.InTenant(tenantCode(w, *both.TenantID)))
		suspend(w, both)
		for what, do := range map[string]func(context.Context) error{
			"what it has anyway": func(ctx context.Context) error {
				return planFeature(ctx, w, w.Basic, "sso", func(pf *catalog.PlanFeature) { pf.Value = "true" })
			},
			"what restricted subscriptions keep": func(ctx context.Context) error {
				return planFeature(ctx, w, w.Pro, "region", func(pf *catalog.PlanFeature) { pf.WhenRestricted = catalog.RemoveWhenRestricted })
			},
			"the order": func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Catalog.FeatureUpdate(ctx, w.Shop.Features["region"].ID, func(f *catalog.Feature) error { f.Position = 9; return nil }))
			},
			"a feature that nobody is told of": func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Catalog.FeatureCreate(ctx, w.Product.ID, []billing.PlanID{w.Pro.ID}, func(f *catalog.Feature) error {
					f.Code, f.Name, f.IsProvisioned = "inner", "Inner", false
					return nil
				}))
			},
		} {
			w.Equal(what+", suspended", rehearse(w, do).Suspended, 0)
		}
		w.Equal("what the older one decides, suspended", rehearse(w, func(ctx context.Context) error {
			return planFeature(ctx, w, w.Basic, "region", func(pf *catalog.PlanFeature) { pf.Value = "us" })
		}).Suspended, 1)
	})
}

// suspend suspends a subscription, as dunning does.
func suspend(w *servicetest.World, of *subscription.Subscription) {
	w.T.Helper()
	w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
		s, err := store.LockSubscription(ctx, tx, of.ID)
		if err != nil {
			return err
		}
		s.Standing = billing.Suspended
		return store.Subscriptions.Update(ctx, tx, s)
	}))
}

// planFeature changes what a plan has of a feature.
func planFeature(ctx context.Context, w *servicetest.World, plan *catalog.Plan, feature string, edit func(*catalog.PlanFeature)) error {
	pf := w.PlanFeature(plan.ID, w.Shop.Features[feature].ID)
	return servicetest.ErrorOf(w.Catalog.PlanFeatureUpdate(ctx, pf.ID, func(pf *catalog.PlanFeature) error { edit(pf); return nil }))
}

// TestNamedTenants names the tenants with most users first: as data ten at most, and to people
// as many as they may want to look at.
func TestNamedTenants(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ids := w.SubscribeMany("basic-monthly", 14)
		for n, id := range ids {
			w.OK(servicetest.ErrorOf(w.Subscriptions.TenantUpdate(w.Ctx, id, func(t *billing.Tenant) error { t.UserCount = new(n * 7 % 14); return nil })))
		}
		found := rehearse(w, func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Catalog.FeatureCreate(ctx, w.Product.ID, []billing.PlanID{w.Basic.ID}, func(f *catalog.Feature) error {
				f.Code, f.Name = "ai", "AI"
				return nil
			}))
		})
		w.Equal("features", len(found.Features), 1)
		w.Equal("gain", found.Features[0].Gain, 14)
		w.Equal("named", len(found.Features[0].Tenants), 14)
		said := found.Sentences()[0]
		w.Equal("said", fmt.Sprint(said.Text, len(said.Tenants), said.Others), "14 tenants gain AI: basic-monthly-1, basic-monthly-11, basic-monthly-13 and 11 others.14 0")
		text, err := json.Marshal(found)
		w.OK(err)
		var data struct{ Features []struct{ Tenants []string } }
		w.OK(json.Unmarshal(text, &data))
		w.Equal("named as data", data.Features[0].Tenants, found.Features[0].Tenants[:10])
		w.Equal("subscriptions", found.Subscriptions, 14)
		w.Equal("webhooks and seconds", []int{found.Webhooks, found.Seconds}, []int{14, 1})
		w.Equal("the first", found.Features[0].Tenants[0], "basic-monthly-1")
	})
}
