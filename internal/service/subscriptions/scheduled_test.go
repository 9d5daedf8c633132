package subscriptions_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// scheduled is what a subscription has scheduled, as it is read from the
// database.
func scheduled(w *servicetest.World, id billing.SubscriptionID) string {
	w.T.Helper()
	s := w.Sub(store.Subscriptions.Get(w.Ctx, w.Read(), id))
	var changes []string
	for _, c := range s.ScheduledChanges() {
		changes = append(changes, c.ID)
	}
	return strings.Join(changes, " ")
}

// What is scheduled is kept with all that was ordered, happens on its day, and
// can be taken back; the tenant is told of each.
func TestScheduledChanges(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(10))
		quarter := subscription.PlanUpdate{AtTermEnd: true, Quantities: servicetest.Seats(12)}
		w.Sub(w.Subscriptions.SubscriptionPlanChange(w.Ctx, s.ID, servicetest.ByCode("pro-quarter"), quarter))
		w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(30), StartDate: servicetest.On("2026-02-01")}))
		w.Equal("scheduled", scheduled(w, s.ID), "1-quantity-2026-02-01-d7d8d5e1 1-plan-2026-02-15-6f7b88d5")
		events := w.QueryText(`SELECT count(*) FROM webhook_event`)
		w.Sub(w.Subscriptions.SubscriptionPlanChange(w.Ctx, s.ID, servicetest.ByCode("pro-quarter"), quarter))
		w.Equal("events after the same again", w.QueryText(`SELECT count(*) FROM webhook_event`), events)
		w.Unchanged("another plan", func() {
			_, err := w.Subscriptions.SubscriptionPlanChange(w.Ctx, s.ID, servicetest.ByCode("pro-monthly"), subscription.PlanUpdate{AtTermEnd: true})
			w.Refused("another plan", err, "NOT_ALLOWED scheduled")
		})
		w.Sub(w.Subscriptions.SubscriptionScheduledChangeCancel(w.Ctx, "1-quantity-2026-02-01-d7d8d5e1"))
		w.Equal("reasons", w.QueryText(`SELECT reason FROM webhook_event ORDER BY id DESC LIMIT 1`), subscription.KindQuantityUnscheduled)
		w.Clock.Set(servicetest.Moment("2026-02-15 10:00"))
		w.Subs(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(s), false)) // which does what is due first
		w.Equal("after the term", w.All()[0], "1 on 4 ACTIVE 2026-01-15..2026-05-14 trial -..- cancels - tenant 1 not renewed 1:seats=10 2026-01-15..2026-02-14 2:seats=12 2026-02-15..2026-05-14")
		for _, id := range []string{"1-plan-2026-02-15", "1-x", "77-plan-2026-02-15", "plan", ""} {
			_, err := w.Subscriptions.SubscriptionScheduledChangeCancel(w.Ctx, id)
			w.Refused("taking back "+id, err, "NOT_FOUND id")
		}
	})
}

// What the catalog becomes does not undo what was ordered: a charge stays what
// the order meant, and bounds that have changed refuse new orders alone.
func TestScheduledChangesAgainstTheCatalog(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(10))
		w.Sub(w.Subscriptions.SubscriptionPlanChange(w.Ctx, s.ID, servicetest.ByCode("pro-monthly"), subscription.PlanUpdate{AtTermEnd: true}))
		charge := w.ChargeOf("pro-monthly", "seats")
		edit := func(edit func(*catalog.Charge)) error {
			return servicetest.ErrorOf(w.Catalog.ChargeUpdate(w.Ctx, charge.ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error { edit(c); return nil }}))
		}
		w.Refused("another code", edit(func(c *catalog.Charge) { c.Code = "chairs" }), "IN_USE code")
		w.Refused("no feature", edit(func(c *catalog.Charge) { c.FeatureID = nil }), "IN_USE featureId")
		w.Refused("due once", edit(func(c *catalog.Charge) { c.ChargeType, c.BillingPeriod = catalog.OneTime, catalog.Once }), "IN_USE chargeType")
		w.OK(edit(func(c *catalog.Charge) { c.QuantityMax = new(5) }))

		// Neither what has nothing to do with it is refused, nor the change itself.
		w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{EndDate: servicetest.On("2026-02-20")}))
		_, err := w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(11)})
		w.Refused("a number that it does not sell", err, "NOT_ALLOWED quantities")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{On: servicetest.On("2026-02-10")}))
		w.Sub(w.Subscriptions.SubscriptionScheduledChangeCancel(w.Ctx, "1-cancellation-2026-02-10"))
		w.Clock.Set(servicetest.Moment("2026-02-21 10:00"))
		w.Subs(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(s), false))
		w.Equal("after the term", w.All()[0], "1 on 3 ACTIVE 2026-01-15..2026-03-20 trial -..- cancels - tenant 1 not renewed 1:seats=10 2026-01-15..2026-02-20 2:seats=10 2026-02-21..2026-03-20")
		w.OK(servicetest.ErrorOf(w.Catalog.ChargeDelete(w.Ctx, charge.ID)))
	})
}

// A charge that somebody deletes at the same moment is missed before anything
// is scheduled that needs it.
func TestScheduledChangeMissesADeletedCharge(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	s := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(10))
	charge := w.ChargeOf("pro-monthly", "seats")
	held, free, deleted, done := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		deleted <- w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
			err := store.Charges.Delete(ctx, tx, charge)
			close(held)
			<-free
			return err
		})
	}()
	<-held
	go func() { done <- servicetest.ErrorOf(servicetest.ToPlan("pro-monthly", true)(w, s)) }()
	w.AwaitBlocked(1)
	close(free)
	w.OK(<-deleted)
	w.Refused("a change of plan", <-done, "CONFLICT")
}

// What nobody quotes is the minimum, or what the plan includes, or one, and
// never without a limit.
func TestQuantitiesThatNobodyQuoted(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		seats := func(code string, least *int) catalog.ChargeEdit {
			return catalog.ChargeEdit{FeatureCode: new("users"), Edit: func(c *catalog.Charge) error {
				c.Code, c.Name, c.Price, c.QuantityMin = code, code, servicetest.Price("10"), least
				return nil
			}}
		}
		w.AddPriceList(w.Basic.ID, "fifty", 1, 0, seats("seats", new(50)))
		w.AddPriceList(w.Basic.ID, "included", 1, 0, seats("seats", nil))
		open := w.AddPlan(w.Product.ID, "open")
		w.AddPriceList(open.ID, "one", 1, 0, seats("seats", nil))
		w.AddPriceList(open.ID, "unlimited", 1, 0)
		for list, want := range map[string]string{"fifty": "users=50", "included": "users=5", "one": "users=1", "unlimited": "users=-"} {
			s := w.Subscribe(list, "acme-"+list)
			features, err := w.Subscriptions.SubscriptionFeatures(w.Ctx, []subscription.Subscription{*s})
			w.OK(err)
			have := "none"
			for _, f := range features[s.ID] {
				if f.Code == "users" && f.Quantity == nil {
					have = "users=-"
				} else if f.Code == "users" {
					have = fmt.Sprintf("users=%d", *f.Quantity)
				}
			}
			w.Equal("unquoted on "+list, have, want)
		}
		none := []subscription.QuantityOrder{{Code: "seats"}}
		for list, want := range map[string]string{"fifty": "", "included": "", "one": "REQUIRED quantities.0.quantity"} {
			_, err := w.Subscriptions.SubscriptionCreate(w.Ctx, w.Order(list, "null-"+list, func(n *subscriptions.NewSubscription) { n.Draft.Quantities = none }))
			if want == "" {
				w.OK(err)
				continue
			}
			w.Refused("null on "+list, err, want)
		}
	})
}

// An account tries a product once, unless somebody says otherwise, also when
// two ask at the same time.
func TestOneTrial(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Subscribe("basic-monthly", "acme", servicetest.WithoutTenant)
		w.Subscribe("basic-monthly", "acme", servicetest.Trial, servicetest.WithoutTenant)
		again := w.Order("basic-half", "acme", servicetest.Trial, servicetest.WithoutTenant)
		w.Unchanged("a second trial", func() {
			_, err := w.Subscriptions.SubscriptionCreate(w.Ctx, again)
			w.Refused("a second trial", err, "NOT_ALLOWED trial")
			if !strings.Contains(err.Error(), "subscription 2, from 2026-01-15 to 2026-01-28") {
				w.T.Errorf("the message does not name the first one: %v", err)
			}
		})
		again.TrialAgain = true
		w.Sub(w.Subscriptions.SubscriptionCreate(w.Ctx, again))
		w.Subscribe("basic-monthly", "another", servicetest.Trial, servicetest.WithoutTenant)

		w.Subscribe("basic-monthly", "late", servicetest.WithoutTenant)
		errs := make([]error, 4)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				_, errs[i] = w.Subscriptions.SubscriptionCreate(w.Ctx, w.Order("basic-monthly", "late", servicetest.Trial, servicetest.WithoutTenant))
			})
		}
		group.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			w.Refused("a trial at the same time", err, "NOT_ALLOWED trial")
		}
		w.Equal("trials made at the same time", made, 1)
	})
}

// A plan does not turn its number into no limit behind the back of those who
// count on it.
func TestPlanKeepsItsNumber(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		users := w.PlanFeature(w.Basic.ID, w.Shop.Features["users"].ID)
		set := func(value string) func(*catalog.PlanFeature) error {
			return func(pf *catalog.PlanFeature) error { pf.Value = value; return nil }
		}
		cell := []catalog.MatrixCell{{PlanID: w.Basic.ID, FeatureID: users.FeatureID, Included: true}}
		anything := func([]catalog.PlanFeature) error { return nil }
		w.Subscribe("basic-monthly", "acme")
		w.Unchanged("no limit", func() {
			_, err := w.Catalog.PlanFeatureUpdate(w.Ctx, users.ID, set(""))
			w.Refused("no limit", err, "NOT_ALLOWED value")
			err = w.Catalog.PlanMatrixUpdate(w.Ctx, w.Product.ID, anything, cell)
			w.Refused("no limit in the matrix", err, fmt.Sprintf("NOT_ALLOWED %d.%d", w.Basic.ID, users.FeatureID))
		})
		w.OK(servicetest.ErrorOf(w.Catalog.PlanFeatureUpdate(w.Ctx, users.ID, set("9"))))
		pro := w.PlanFeature(w.Pro.ID, users.FeatureID) // which nobody has
		w.OK(servicetest.ErrorOf(w.Catalog.PlanFeatureUpdate(w.Ctx, pro.ID, set(""))))
		// Nor does it by a detour, or once those who count on it may come back.
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, []billing.SubscriptionID{1}, subscription.Cancellation{}))
		_, err := w.Catalog.PlanFeatureUpdate(w.Ctx, users.ID, set(""))
		w.Refused("no limit for those who may come back", err, "NOT_ALLOWED value")
		_, err = w.Catalog.FeatureUpdate(w.Ctx, users.FeatureID, func(f *catalog.Feature) error { f.Kind = catalog.Boolean; return nil })
		w.OK(err)
		_, err = w.Catalog.FeatureUpdate(w.Ctx, users.FeatureID, func(f *catalog.Feature) error { f.Kind = catalog.Quantity; return nil })
		w.Refused("a number that was forgotten", err, "NOT_ALLOWED value")
		w.OK(servicetest.ErrorOf(w.Catalog.PlanFeatureDelete(w.Ctx, users.ID)))
	})
}
