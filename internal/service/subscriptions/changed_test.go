package subscriptions_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestChangesAreNoted follows what the next billing will find: a new subscription
// and every action are noted, and stay so until the subscription was billed. What
// time brings is not: it was counted with.
func TestChangesAreNoted(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(3))
		noted := func(what, want string) {
			w.T.Helper()
			w.Equal(what, w.QueryText(`SELECT COALESCE(bill_on, '-') || ' ' || COALESCE(dirty_from, '-') || ' ' || COALESCE(changed_on, '-') FROM subscription WHERE id = $1`, int64(s.ID)), want)
		}
		billed := func() {
			w.Damage(`UPDATE subscription SET bill_on = '2030-01-01', dirty_from = NULL, changed_on = NULL WHERE id = $1`, int64(s.ID))
		}
		noted("a new one", "2026-01-15 2026-01-15 2026-01-15")
		billed()
		w.Clock.Set(servicetest.Moment("2026-02-15 03:00"))
		w.RunDue()
		noted("a renewal", "2030-01-01 - -")
		w.Sub(servicetest.Quantity(6, servicetest.On("2026-03-01"))(w, s))
		noted("a quantity", "2026-02-15 2026-03-01 2026-02-15")
		w.Clock.Set(servicetest.Moment("2026-02-20 03:00"))
		w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{
			Orders: servicetest.Seats(5), StartDate: servicetest.On("2026-02-25"), Scheduled: subscription.KeepScheduled,
		}))
		noted("an earlier one", "2026-02-15 2026-02-25 2026-02-15")
		billed()
		w.Clock.Set(servicetest.Moment("2026-03-01 03:00"))
		w.RunDue()
		noted("quantities that take effect", "2030-01-01 - -")
		w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{PONumber: new("PO-7")}))
		noted("a purchase order", "2026-03-01 - -") // a draft may have to say so
		billed()
		w.Damage(`UPDATE subscription SET problem = 'broken' WHERE id = $1`, int64(s.ID))
		w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{PONumber: new("PO-8")}))
		noted("one that was set aside", "2026-03-01 - -")
	})
}

// TestUnusedDaysAreKept cancels and reduces subscriptions on the database, and
// looks at what is left of it.
func TestUnusedDaysAreKept(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		keptTo := func(s *subscription.Subscription) string {
			for _, line := range w.Now(s).Charges {
				if line.KeptTo != nil {
					return line.KeptTo.String()
				}
			}
			return ""
		}
		reduced, over, later := w.Subscribe("basic-monthly", "reduced", servicetest.WithSeats(5)), w.Subscribe("basic-monthly", "over"), w.Subscribe("basic-monthly", "later")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(later), subscription.Cancellation{On: servicetest.On("2026-02-01"), Unused: subscription.KeepUnused}))
		w.Clock.Set(servicetest.Moment("2026-01-20 12:00"))
		w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, reduced.ID, subscription.QuantityUpdate{
			Orders: servicetest.Seats(2), Unused: subscription.KeepUnused,
		}))
		w.Equal("kept of a reduction", keptTo(reduced), "2026-02-14")
		w.Equal("what the application gets", w.Features(*reduced.TenantID), "users=2 region:eu")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{Unused: subscription.KeepUnused}))
		w.Equal("kept of a cancellation", keptTo(over), "2026-02-14")
		w.Equal("kept of one that is to come", keptTo(later), "")
		w.Equal("how it is canceled", w.Now(later).UnusedAtCancellation(), subscription.KeepUnused)
		w.Clock.Set(servicetest.Moment("2026-02-01 12:00"))
		w.RunDue()
		w.Equal("kept of one that has come", keptTo(later), "2026-02-14")
		w.Subs(w.Subscriptions.SubscriptionReinstate(w.Ctx, servicetest.IDs(later), nil))
		w.Equal("kept after a reinstatement on the day", keptTo(later), "")
		audit := w.QueryText(`SELECT detail FROM audit_entry WHERE action = 'subscriptionQuantityUpdate'`)
		w.Equal("the audit entry", audit, `{"keptTo.seats":{"from":null,"to":"2026-02-14"},"quantity.seats":{"from":5,"to":2}}`)
	})
}

// TestAlignedToBillingDay lets terms begin on the billing day of an account.
func TestAlignedToBillingDay(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Account("acme")
		w.Damage(`UPDATE account SET billing_day = 31`)
		s := w.Subscribe("basic-monthly", "acme", func(n *subscriptions.NewSubscription) { n.Draft.AlignTo = subscription.AlignToBillingDay })
		w.Equal("the first term", s.EndDate, billing.Date{Year: 2026, Month: 1, Day: 30})
		w.Clock.Set(servicetest.Moment("2026-03-01 12:00"))
		w.RunDue()
		w.Equal("a later term", w.Now(s).EndDate, billing.Date{Year: 2026, Month: 3, Day: 30})
		n := w.Order("basic-monthly", "acme")
		n.Draft.AlignTo, n.Draft.EndDate = subscription.AlignToBillingDay, servicetest.On("2026-06-01")
		_, err := w.Subscriptions.SubscriptionCreate(w.Ctx, n)
		w.Refused("with an end", err, "INVALID alignTo")
	})
}
