package delivery_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestCountEventDays follows events over days: their ends come later, two
// processes count, and what is removed from the log stays counted.
func TestCountEventDays(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		const day, kept = 24 * time.Hour, 3 * 24 * time.Hour
		other := servicetest.Join(w.T, w.DB)
		count := func() {
			w.T.Helper()
			w.OK(w.Delivery.CountEventDays(w.Ctx, kept))
			w.OK(other.Delivery.CountEventDays(w.Ctx, kept))
		}
		today := func() billing.Date { return billing.DateOf(w.Clock.Now(), time.UTC) }
		check := func(when string, want ...log.EventCounts) {
			w.T.Helper()
			days, err := log.EventDays(w.Ctx, w.Read(), today().AddDays(1-len(want)))
			w.OK(err)
			var found []log.EventCounts
			for _, d := range days {
				found = append(found, d.EventCounts)
			}
			w.Equal(when, found, want)
		}
		count()
		check("nothing yet", log.EventCounts{})
		tenant := *w.Subscribe("basic-monthly", "acme").TenantID
		syncTenant(w, tenant)
		syncTenant(w, tenant)
		count()
		check("not looked at again so soon", log.EventCounts{})
		w.Clock.Advance(time.Minute)
		count()
		check("three wait", log.EventCounts{Waiting: 3})

		w.Clock.Advance(day)
		syncTenant(w, tenant)
		deliver(w, tenant, webhook.DeliveryDelivered)
		deliver(w, tenant, webhook.DeliveryExhausted)
		deliver(w, tenant, webhook.DeliverySuperseded)
		count()
		yesterday := log.EventCounts{Delivered: 1, Failed: 1, Replaced: 1}
		check("their ends belong to the day they were recorded on", yesterday, log.EventCounts{Waiting: 1})

		deliver(w, tenant, webhook.DeliveryDelivered)
		w.Clock.Advance(time.Minute)
		count()
		w.Clock.Advance(3*day + time.Hour)
		for more := true; more; {
			var err error
			more, err = w.Delivery.ForgetOldEvents(w.Ctx, kept, kept)
			w.OK(err)
		}
		if n := len(numbers(w, tenant)); n != 1 {
			w.T.Fatalf("%d events are left", n)
		}
		count()
		check("what was removed stays counted", yesterday, log.EventCounts{Delivered: 1}, log.EventCounts{}, log.EventCounts{}, log.EventCounts{})
	})
}
