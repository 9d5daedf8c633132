package subscriptions_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestOverdueFirst acts on a subscription that the engine has not come to yet.
// What was due happens first, in the same transaction, each step on its day.
func TestOverdueFirst(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.Trial)
		w.Clock.Set(servicetest.Moment("2026-04-03 10:00"))
		after := w.Sub(servicetest.Quantity(8, nil)(w, s))
		w.Equal("the subscription", servicetest.Describe(after)[:39], "1 on 1 ACTIVE 2026-01-29..2026-04-28 tr")
		w.Equal("the history", w.History(s.ID), []string{
			servicetest.Actor + " subscription.created >TRIAL 2026-01-15 12:00",
			"lifecycle state.changed TRIAL>ACTIVE 2026-01-29 00:00",
			"lifecycle subscription.renewed ACTIVE>ACTIVE 2026-02-28 00:00",
			"lifecycle subscription.renewed ACTIVE>ACTIVE 2026-03-29 00:00",
			servicetest.Actor + " quantity.changed ACTIVE>ACTIVE 2026-04-03 10:00",
		})
		w.WasTold(*s.TenantID, "subscription.created", "state.changed", "subscription.renewed", "subscription.renewed", "quantity.changed")
	})
}

// TestOverdueRefuses lets what was due decide: a subscription that ended
// yesterday cannot be canceled today. The refusal takes the steps back with it;
// the engine does them in its turn.
func TestOverdueRefuses(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.WithoutRenewal)
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		w.Unchanged("a refusal", func() { w.Refused("too late", servicetest.ErrorOf(cancel(nil, false)(w, s)), "NOT_ALLOWED ids") })
		w.RunDue()
		w.Equal("the state", w.Now(s).State, subscription.StateExpired)
		w.WasTold(*s.TenantID, "subscription.created", "state.changed")
	})
}

// TestMovedStartIsDue lets an action make something due at once.
func TestMovedStartIsDue(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.Starting("2026-03-01"))
		after := w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{StartDate: servicetest.On("2026-01-15")}))
		w.Equal("the state", after.State, subscription.StateActive)
		w.Equal("the history", w.History(s.ID)[1:], []string{
			servicetest.Actor + " subscription.updated PENDING>PENDING 2026-01-15 12:00",
			"lifecycle state.changed PENDING>ACTIVE 2026-01-15 00:00",
		})
		w.WasTold(*s.TenantID, "subscription.created", "subscription.updated", "state.changed")
	})
}

// TestSeveralAtOnce changes several subscriptions in one transaction and
// returns them in the order of the call, each once.
func TestSeveralAtOnce(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		a, b, c := w.Subscribe("basic-monthly", "a"), w.Subscribe("basic-monthly", "b"), w.Subscribe("basic-monthly", "c", servicetest.InTenant("c2"))
		subs := w.Subs(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(c, a, c, b), false))
		w.Equal("the order", []billing.SubscriptionID{subs[0].ID, subs[1].ID, subs[2].ID}, servicetest.IDs(c, a, b))
		for _, s := range []*subscription.Subscription{a, b, c} {
			w.WasTold(*s.TenantID, "subscription.created", "autorenew.changed")
		}
	})
}
