package service_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// TestOverdueFirst acts on a subscription that the engine has not come to yet.
// What was due happens first, in the same transaction, each step on its day.
func TestOverdueFirst(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", trial)
		w.clock.Set(moment("2026-04-03 10:00"))
		after := w.sub(quantity(8, nil)(w, s))
		w.same("the subscription", describe(after)[:39], "1 on 1 ACTIVE 2026-01-29..2026-04-28 tr")
		w.same("the history", w.history(s.ID), []string{
			actor + " subscription.created >TRIAL 2026-01-15 12:00",
			"lifecycle state.changed TRIAL>ACTIVE 2026-01-29 00:00",
			"lifecycle subscription.renewed ACTIVE>ACTIVE 2026-02-28 00:00",
			"lifecycle subscription.renewed ACTIVE>ACTIVE 2026-03-29 00:00",
			actor + " quantity.changed ACTIVE>ACTIVE 2026-04-03 10:00",
		})
		w.told(*s.TenantID, "subscription.created", "state.changed", "subscription.renewed", "subscription.renewed", "quantity.changed")
	})
}

// TestOverdueRefuses lets what was due decide: a subscription that ended
// yesterday cannot be canceled today. The refusal takes the steps back with it;
// the engine does them in its turn.
func TestOverdueRefuses(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", withoutRenewal)
		w.clock.Set(moment("2026-02-15 00:00"))
		w.untouched("a refusal", func() { w.refused("too late", second(cancel(nil, false)(w, s)), "NOT_ALLOWED ids") })
		w.runDue()
		w.same("the state", w.now(s).State, subscription.StateExpired)
		w.told(*s.TenantID, "subscription.created", "state.changed")
	})
}

// TestMovedStartIsDue lets an action make something due at once.
func TestMovedStartIsDue(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", starting("2026-03-01"))
		after := w.sub(w.Subscriptions.SubscriptionUpdate(w.ctx, s.ID, subscription.Update{StartDate: on("2026-01-15")}))
		w.same("the state", after.State, subscription.StateActive)
		w.same("the history", w.history(s.ID)[1:], []string{
			actor + " subscription.updated PENDING>PENDING 2026-01-15 12:00",
			"lifecycle state.changed PENDING>ACTIVE 2026-01-15 00:00",
		})
		w.told(*s.TenantID, "subscription.created", "subscription.updated", "state.changed")
	})
}

// TestSeveralAtOnce changes several subscriptions in one transaction and
// returns them in the order of the call, each once.
func TestSeveralAtOnce(t *testing.T) {
	each(t, func(w *world) {
		a, b, c := w.subscribe("basic-monthly", "a"), w.subscribe("basic-monthly", "b"), w.subscribe("basic-monthly", "c", inTenant("c2"))
		subs := w.subs(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(c, a, c, b), false))
		w.same("the order", []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[2].ID}, ids(c, a, b))
		for _, s := range []*subscription.Subscription{a, b, c} {
			w.told(*s.TenantID, "subscription.created", "autorenew.changed")
		}
	})
}
