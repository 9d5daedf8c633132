package subscriptions_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// subscriptionOperation is one of those that change a subscription.
type subscriptionOperation struct {
	name string // of the mutation
	with []func(*subscriptions.NewSubscription)
	do   func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error)
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
		name: "subscriptionCancel", do: cancel(servicetest.On("2026-01-20"), false), kind: "cancellation.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels 2026-01-20 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionCancel", do: cancel(nil, true), kind: "cancellation.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels 2026-02-15 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionCancel", with: with(servicetest.Trial), do: cancel(nil, true), kind: "cancellation.scheduled", to: "TRIAL",
		want: "on 1 TRIAL 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28 cancels 2026-01-29 1:seats=1 2026-01-15..2026-02-27",
	}, {
		name: "subscriptionQuantityUpdate", do: servicetest.Quantity(9, nil), kind: "quantity.changed", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=9 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionQuantityUpdate", do: servicetest.Quantity(9, servicetest.On("2026-02-01")), kind: "quantity.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=1 2026-01-15..2026-01-31 2:seats=9 2026-02-01..2026-02-14",
	}, {
		name: "subscriptionPlanChange", do: servicetest.ToPlan("pro-monthly", false), kind: "plan.changed", to: "ACTIVE",
		want: "on 3 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionPlanChange", do: servicetest.ToPlan("pro-quarter", true), kind: "plan.scheduled", to: "ACTIVE",
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - then 4 on 2026-02-15 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionSetAutoRenew", kind: "autorenew.changed", to: "ACTIVE",
		do: func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error) {
			return first(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(s), false))
		},
		want: "on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - not renewed 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionTrialExtend", with: with(servicetest.Trial), kind: "trial.extended", to: "TRIAL",
		do: func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionTrialExtend(w.Ctx, s.ID, servicetest.Day("2026-02-10"))
		},
		want: "on 1 TRIAL 2026-02-11..2026-03-10 trial 2026-01-15..2026-02-10 cancels - 1:seats=1 2026-01-15..2026-03-10",
	}, {
		name: "subscriptionTrialConvert", with: with(servicetest.Trial), kind: "state.changed", to: "ACTIVE", again: "NOT_ALLOWED subscriptionId",
		do: func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionTrialConvert(w.Ctx, s.ID, servicetest.ByCode("pro-monthly"), nil)
		},
		want: "on 3 ACTIVE 2026-01-15..2026-02-14 trial 2026-01-15..2026-01-15 cancels - 1:seats=1 2026-01-15..2026-02-14",
	}, {
		name: "subscriptionUpdate", with: with(servicetest.Starting("2026-02-01")), kind: "subscription.updated", to: "PENDING",
		do: func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error) {
			return w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{RenewalTermMonths: new(12), StartDate: servicetest.On("2026-03-01")})
		},
		want: "on 1 PENDING 2026-03-01..2027-02-28 trial -..- cancels - 1:seats=1 2026-03-01..2027-02-28",
	},
}

func cancel(date *billing.Date, atTermEnd bool) func(*servicetest.World, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *servicetest.World, s *subscription.Subscription) (*subscription.Subscription, error) {
		return first(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{On: date, AtTermEnd: atTermEnd}))
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
	servicetest.Each(t, func(w *servicetest.World) {
		for i, o := range operations {
			s := w.Subscribe("basic-monthly", "acme"+servicetest.Itoa(billing.AccountID(i)), o.with...)
			was := s.State
			after := w.Sub(o.do(w, s))
			// A canceled one is described without its lines.
			have := strings.Replace(servicetest.Describe(w.Now(s)), " tenant "+servicetest.Itoa(*s.TenantID), "", 1)
			if want := servicetest.Itoa(s.ID) + " " + o.want; !strings.HasPrefix(have, want) {
				w.T.Errorf("%s:\nhave %s\nwant %s", o.name, have, want)
			}
			w.Equal(o.name+" as returned", servicetest.Describe(after), servicetest.Describe(w.Now(s)))
			w.Equal("the history of "+o.name, w.LastHistory(s.ID), servicetest.Actor+" "+o.kind+" "+string(was)+">"+string(o.to)+" 2026-01-15 12:00")
			w.Equal("the audit entry of "+o.name, w.LastAudit(), servicetest.Actor+" "+o.name+" Subscription "+servicetest.Itoa(s.ID))
			w.WasTold(*s.TenantID, "subscription.created", o.kind)

			_, err := o.do(w, after)
			if o.again != "" {
				w.Refused(o.name+" again", err, o.again)
			} else {
				w.OK(err)
			}
			w.WasTold(*s.TenantID, "subscription.created", o.kind)
			w.Equal("the history after "+o.name+" again", len(w.History(s.ID)), 2)
		}
	})
}

// TestReinstate takes a schedule back, and brings back what is over.
func TestReinstate(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		scheduled, over := w.Subscribe("basic-monthly", "scheduled"), w.Subscribe("basic-monthly", "over", servicetest.WithSeats(3))
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(scheduled), subscription.Cancellation{AtTermEnd: true}))
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		w.Equal("without it", w.Features(*over.TenantID), "")
		w.Subs(w.Subscriptions.SubscriptionReinstate(w.Ctx, servicetest.IDs(over, scheduled), nil))
		w.WasTold(*scheduled.TenantID, "subscription.created", "cancellation.scheduled", "cancellation.unscheduled")
		w.WasTold(*over.TenantID, "subscription.created", "state.changed", "state.changed")
		w.Equal("with it again", w.Features(*over.TenantID), "users=3 region:eu")
		w.Equal("the history", w.LastHistory(over.ID), servicetest.Actor+" state.changed CANCELED>ACTIVE 2026-01-15 12:00")
	})
}
