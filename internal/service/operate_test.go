package service_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// subscriptionOperation is one of those that change a subscription.
type subscriptionOperation struct {
	name string // of the mutation
	with []func(*subscriptions.NewSubscription)
	do   func(w *world, s *subscription.Subscription) (*subscription.Subscription, error)
	want string // how the subscription is described, without its id and tenant
	kind string // of the change, and the reason of the event
	to   subscription.State
	// again is set where doing it a second time is refused.
	again string
}

var operations = []subscriptionOperation{
	{
		name: "subscriptionCancel", do: cancel(nil, false), kind: "state.changed", to: "CANCELED", again: "NOT_ALLOWED ids",
		want: "on 1 CANCELED 2026-01-15..2026-02-14 trial -..- cancels 2026-01-15",
	}, {
		name: "subscriptionCancel", do: cancel(on("2026-01-20"), false), kind: "cancellation.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels 2026-01-20 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionCancel", do: cancel(nil, true), kind: "cancellation.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels 2026-02-15 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionCancel", with: with(trial), do: cancel(nil, true), kind: "cancellation.scheduled", to: "TRIAL",
		want: "on 1 TRIAL 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28 cancels 2026-01-29 1:seats=1 2026-01-15..2026-02-27",
	}, {
		name: "subscriptionQuantityUpdate", do: quantity(9, nil), kind: "quantity.changed", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=9 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionQuantityUpdate", do: quantity(9, on("2026-02-01")), kind: "quantity.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=1 2026-01-15..2026-01-31 2:seats=9 2026-02-01..2026-02-14",
	}, {
		name: "subscriptionPlanChange", do: toPlan("pro-monthly", false), kind: "plan.changed", to: "ACTIVE",
		want: "on 3 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionPlanChange", do: toPlan("pro-quarter", true), kind: "plan.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - then 4 on 2026-02-15 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionSetAutoRenew", kind: "autorenew.changed", to: "ACTIVE",
		do: func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
			return first(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(s), false))
		},
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - not renewed 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionTrialExtend", with: with(trial), kind: "trial.extended", to: "TRIAL",
		do: func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionTrialExtend(w.ctx, s.ID, day("2026-02-10"))
		},
		want: "on 1 TRIAL 2026-02-11..2026-03-10 trial 2026-01-15..2026-02-10 cancels - 1:seats=1 2026-01-15..2026-03-10",
	}, {
		name: "subscriptionTrialConvert", with: with(trial), kind: "state.changed", to: "ACTIVE", again: "NOT_ALLOWED subscriptionId",
		do: func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionTrialConvert(w.ctx, s.ID, byCode("pro-monthly"), nil)
		},
		want: "on 3 ACTIVE 2026-01-15..2026-02-14 trial 2026-01-15..2026-01-15 cancels - 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionUpdate", with: with(starting("2026-02-01")), kind: "subscription.updated", to: "PENDING",
		do: func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionUpdate(w.ctx, s.ID, subscription.Update{RenewalTermMonths: ptr(12), StartDate: on("2026-03-01")})
		},
		want: "on 1 PENDING 2026-03-01..2027-02-28 trial -..- cancels - 1:seats=1 2026-03-01..2027-02-28",
	},
}

func cancel(date *billing.Date, atTermEnd bool) func(*world, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
		return first(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), date, atTermEnd))
	}
}

func quantity(n int, from *billing.Date) func(*world, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
		return w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(n), StartDate: from})
	}
}

func toPlan(list string, atTermEnd bool) func(*world, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *world, s *subscription.Subscription) (*subscription.Subscription, error) {
		return w.Subscriptions.SubscriptionPlanChange(w.ctx, s.ID, byCode(list), subscription.PlanUpdate{AtTermEnd: atTermEnd})
	}
}

func first(subs []subscription.Subscription, err error) (*subscription.Subscription, error) {
	if err != nil {
		return nil, err
	}
	return &subs[0], nil
}

// TestOperations does each operation to a subscription of its own and looks at
// all the traces. Done a second time, it is refused or changes nothing, and
// then tells nobody.
func TestOperations(t *testing.T) {
	each(t, func(w *world) {
		for i, o := range operations {
			s := w.subscribe("basic-monthly", "acme"+itoa(billing.AccountID(i)), o.with...)
			was := s.State
			after := w.sub(o.do(w, s))
			// A canceled one is described without its lines.
			have := strings.Replace(describe(w.now(s)), " tenant "+itoa(*s.TenantID), "", 1)
			if want := itoa(s.ID) + " " + o.want; !strings.HasPrefix(have, want) {
				w.t.Errorf("%s:\nhave %s\nwant %s", o.name, have, want)
			}
			w.same(o.name+" as returned", describe(after), describe(w.now(s)))
			w.same("the history of "+o.name, w.lastHistory(s.ID), actor+" "+o.kind+" "+string(was)+">"+string(o.to)+" 2026-01-15 12:00")
			w.same("the audit entry of "+o.name, w.lastAudit(), actor+" "+o.name+" Subscription "+itoa(s.ID))
			w.told(*s.TenantID, "subscription.created", o.kind)

			_, err := o.do(w, after)
			if o.again != "" {
				w.refused(o.name+" again", err, o.again)
			} else {
				w.ok(err)
			}
			w.told(*s.TenantID, "subscription.created", o.kind)
			w.same("the history after "+o.name+" again", len(w.history(s.ID)), 2)
		}
	})
}

// TestReinstate takes a schedule back, and brings back what is over.
func TestReinstate(t *testing.T) {
	each(t, func(w *world) {
		scheduled, over := w.subscribe("basic-monthly", "scheduled"), w.subscribe("basic-monthly", "over", withSeats(3))
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(scheduled), nil, true))
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(over), nil, false))
		w.same("without it", w.features(*over.TenantID), "")
		w.subs(w.Subscriptions.SubscriptionReinstate(w.ctx, ids(over, scheduled), nil))
		w.told(*scheduled.TenantID, "subscription.created", "cancellation.scheduled", "cancellation.unscheduled")
		w.told(*over.TenantID, "subscription.created", "state.changed", "state.changed")
		w.same("with it again", w.features(*over.TenantID), "users=3 region:eu")
		w.same("the history", w.lastHistory(over.ID), actor+" state.changed CANCELED>ACTIVE 2026-01-15 12:00")
	})
}
