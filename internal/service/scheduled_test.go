package service_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// scheduled is what a subscription has scheduled, as it is read from the
// database.
func (w *world) scheduled(id billing.SubscriptionID) string {
	w.t.Helper()
	s := w.sub(store.Subscriptions.Get(w.ctx, w.Read(), id))
	var changes []string
	for _, c := range s.ScheduledChanges() {
		changes = append(changes, c.ID)
	}
	return strings.Join(changes, " ")
}

// What is scheduled is kept with all that was ordered, happens on its day, and
// can be taken back; the tenant is told of each.
func TestScheduledChanges(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", withSeats(10))
		quarter := subscription.PlanUpdate{AtTermEnd: true, Quantities: seats(12)}
		w.sub(w.Subscriptions.SubscriptionPlanChange(w.ctx, s.ID, byCode("pro-quarter"), quarter))
		w.sub(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(30), StartDate: on("2026-02-01")}))
		w.same("scheduled", w.scheduled(s.ID), "1-quantity-2026-02-01-d7d8d5e1 1-plan-2026-02-15-6f7b88d5")
		events := w.text(`SELECT count(*) FROM webhook_event`)
		w.sub(w.Subscriptions.SubscriptionPlanChange(w.ctx, s.ID, byCode("pro-quarter"), quarter))
		w.same("events after the same again", w.text(`SELECT count(*) FROM webhook_event`), events)
		w.untouched("another plan", func() {
			_, err := w.Subscriptions.SubscriptionPlanChange(w.ctx, s.ID, byCode("pro-monthly"), subscription.PlanUpdate{AtTermEnd: true})
			w.refused("another plan", err, "NOT_ALLOWED scheduled")
		})
		w.sub(w.Subscriptions.SubscriptionScheduledChangeCancel(w.ctx, "1-quantity-2026-02-01-d7d8d5e1"))
		w.same("reasons", w.text(`SELECT reason FROM webhook_event ORDER BY id DESC LIMIT 1`), subscription.KindQuantityUnscheduled)
		w.clock.Set(moment("2026-02-15 10:00"))
		w.subs(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(s), false)) // which does what is due first
		w.same("after the term", w.all()[0], "1 on 4 ACTIVE 2026-01-15..2026-05-14 trial -..- cancels - tenant 1 not renewed 1:seats=10 2026-01-15..2026-02-14 2:seats=12 2026-02-15..2026-05-14")
		for _, id := range []string{"1-plan-2026-02-15", "1-x", "77-plan-2026-02-15", "plan", ""} {
			_, err := w.Subscriptions.SubscriptionScheduledChangeCancel(w.ctx, id)
			w.refused("taking back "+id, err, "NOT_FOUND id")
		}
	})
}

// What the catalog becomes does not undo what was ordered: a charge stays what
// the order meant, and bounds that have changed refuse new orders alone.
func TestScheduledChangesAgainstTheCatalog(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", withSeats(10))
		w.sub(w.Subscriptions.SubscriptionPlanChange(w.ctx, s.ID, byCode("pro-monthly"), subscription.PlanUpdate{AtTermEnd: true}))
		charge := w.chargeOf("pro-monthly", "seats")
		edit := func(edit func(*catalog.Charge)) error {
			return second(w.Catalog.ChargeUpdate(w.ctx, charge.ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error { edit(c); return nil }}))
		}
		w.refused("another code", edit(func(c *catalog.Charge) { c.Code = "chairs" }), "IN_USE code")
		w.refused("no feature", edit(func(c *catalog.Charge) { c.FeatureID = nil }), "IN_USE featureId")
		w.refused("due once", edit(func(c *catalog.Charge) { c.ChargeType, c.BillingPeriod = catalog.OneTime, catalog.Once }), "IN_USE chargeType")
		w.ok(edit(func(c *catalog.Charge) { c.QuantityMax = ptr(5) }))

		// Neither what has nothing to do with it is refused, nor the change itself.
		w.sub(w.Subscriptions.SubscriptionUpdate(w.ctx, s.ID, subscription.Update{EndDate: on("2026-02-20")}))
		_, err := w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(11)})
		w.refused("a number that it does not sell", err, "NOT_ALLOWED quantities")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), on("2026-02-10"), false))
		w.sub(w.Subscriptions.SubscriptionScheduledChangeCancel(w.ctx, "1-cancellation-2026-02-10"))
		w.clock.Set(moment("2026-02-21 10:00"))
		w.subs(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(s), false))
		w.same("after the term", w.all()[0], "1 on 3 ACTIVE 2026-01-15..2026-03-20 trial -..- cancels - tenant 1 not renewed 1:seats=10 2026-01-15..2026-02-20 2:seats=10 2026-02-21..2026-03-20")
		w.ok(second(w.Catalog.ChargeDelete(w.ctx, charge.ID)))
	})
}

// A charge that somebody deletes at the same moment is missed before anything
// is scheduled that needs it.
func TestScheduledChangeMissesADeletedCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	s := w.subscribe("basic-monthly", "acme", withSeats(10))
	charge := w.chargeOf("pro-monthly", "seats")
	held, free, deleted, done := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		deleted <- w.store.Write(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			err := store.Charges.Delete(ctx, tx, charge)
			close(held)
			<-free
			return err
		})
	}()
	<-held
	go func() { done <- second(toPlan("pro-monthly", true)(w, s)) }()
	w.waiting(1)
	close(free)
	w.ok(<-deleted)
	w.refused("a change of plan", <-done, "CONFLICT")
}

// What nobody quotes is the minimum, or what the plan includes, or one, and
// never without a limit.
func TestQuantitiesThatNobodyQuoted(t *testing.T) {
	each(t, func(w *world) {
		seats := func(code string, least *int) catalog.ChargeEdit {
			return catalog.ChargeEdit{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
				c.Code, c.Name, c.Price, c.QuantityMin = code, code, price("10"), least
				return nil
			}}
		}
		w.addPriceList(w.basic.ID, "fifty", 1, 0, seats("seats", ptr(50)))
		w.addPriceList(w.basic.ID, "included", 1, 0, seats("seats", nil))
		open := w.addPlan(w.product.ID, "open")
		w.addPriceList(open.ID, "one", 1, 0, seats("seats", nil))
		w.addPriceList(open.ID, "unlimited", 1, 0)
		for list, want := range map[string]string{"fifty": "users=50", "included": "users=5", "one": "users=1", "unlimited": "users=-"} {
			s := w.subscribe(list, "acme-"+list)
			features, err := w.Subscriptions.SubscriptionFeatures(w.ctx, []subscription.Subscription{*s})
			w.ok(err)
			have := "none"
			for _, f := range features[s.ID] {
				if f.Code == "users" && f.Quantity == nil {
					have = "users=-"
				} else if f.Code == "users" {
					have = fmt.Sprintf("users=%d", *f.Quantity)
				}
			}
			w.same("unquoted on "+list, have, want)
		}
		none := []subscription.QuantityOrder{{Code: "seats"}}
		for list, want := range map[string]string{"fifty": "", "included": "", "one": "REQUIRED quantities.0.quantity"} {
			_, err := w.Subscriptions.SubscriptionCreate(w.ctx, w.order(list, "null-"+list, func(n *subscriptions.NewSubscription) { n.Draft.Quantities = none }))
			if want == "" {
				w.ok(err)
				continue
			}
			w.refused("null on "+list, err, want)
		}
	})
}

// An account tries a product once, unless somebody says otherwise, also when
// two ask at the same time.
func TestOneTrial(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("basic-monthly", "acme", withoutTenant)
		w.subscribe("basic-monthly", "acme", trial, withoutTenant)
		again := w.order("basic-half", "acme", trial, withoutTenant)
		w.untouched("a second trial", func() {
			_, err := w.Subscriptions.SubscriptionCreate(w.ctx, again)
			w.refused("a second trial", err, "NOT_ALLOWED trial")
			if !strings.Contains(err.Error(), "subscription 2, from 2026-01-15 to 2026-01-28") {
				w.t.Errorf("the message does not name the first one: %v", err)
			}
		})
		again.TrialAgain = true
		w.sub(w.Subscriptions.SubscriptionCreate(w.ctx, again))
		w.subscribe("basic-monthly", "another", trial, withoutTenant)

		w.subscribe("basic-monthly", "late", withoutTenant)
		errs := make([]error, 4)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				_, errs[i] = w.Subscriptions.SubscriptionCreate(w.ctx, w.order("basic-monthly", "late", trial, withoutTenant))
			})
		}
		group.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
				continue
			}
			w.refused("a trial at the same time", err, "NOT_ALLOWED trial")
		}
		w.same("trials made at the same time", made, 1)
	})
}

// A plan does not turn its number into no limit behind the back of those who
// count on it.
func TestPlanKeepsItsNumber(t *testing.T) {
	each(t, func(w *world) {
		users := w.planFeature(w.basic.ID, w.shop.features["users"].ID)
		set := func(value string) func(*catalog.PlanFeature) error {
			return func(pf *catalog.PlanFeature) error { pf.Value = value; return nil }
		}
		cell := []catalog.MatrixCell{{PlanID: w.basic.ID, FeatureID: users.FeatureID, Included: true}}
		anything := func([]catalog.PlanFeature) error { return nil }
		w.subscribe("basic-monthly", "acme")
		w.untouched("no limit", func() {
			_, err := w.Catalog.PlanFeatureUpdate(w.ctx, users.ID, set(""))
			w.refused("no limit", err, "NOT_ALLOWED value")
			err = w.Catalog.PlanMatrixUpdate(w.ctx, w.product.ID, anything, cell)
			w.refused("no limit in the matrix", err, fmt.Sprintf("NOT_ALLOWED %d.%d", w.basic.ID, users.FeatureID))
		})
		w.ok(second(w.Catalog.PlanFeatureUpdate(w.ctx, users.ID, set("9"))))
		pro := w.planFeature(w.pro.ID, users.FeatureID) // which nobody has
		w.ok(second(w.Catalog.PlanFeatureUpdate(w.ctx, pro.ID, set(""))))
		// Nor does it by a detour, or once those who count on it may come back.
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, []billing.SubscriptionID{1}, nil, false))
		_, err := w.Catalog.PlanFeatureUpdate(w.ctx, users.ID, set(""))
		w.refused("no limit for those who may come back", err, "NOT_ALLOWED value")
		_, err = w.Catalog.FeatureUpdate(w.ctx, users.FeatureID, func(f *catalog.Feature) error { f.Kind = catalog.Boolean; return nil })
		w.ok(err)
		_, err = w.Catalog.FeatureUpdate(w.ctx, users.FeatureID, func(f *catalog.Feature) error { f.Kind = catalog.Quantity; return nil })
		w.refused("a number that was forgotten", err, "NOT_ALLOWED value")
		w.ok(second(w.Catalog.PlanFeatureDelete(w.ctx, users.ID)))
	})
}
