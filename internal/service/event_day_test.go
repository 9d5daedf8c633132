package service_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
)

// TestCountEventDays follows events over days: their ends come later, two
// processes count, and what is removed from the log stays counted.
func TestCountEventDays(t *testing.T) {
	each(t, func(w *world) {
		const day, kept = 24 * time.Hour, 3 * 24 * time.Hour
		other := join(w.t, w.db)
		count := func() {
			w.t.Helper()
			w.ok(w.Delivery.CountEventDays(w.ctx, kept))
			w.ok(other.Delivery.CountEventDays(w.ctx, kept))
		}
		today := func() billing.Date { return billing.DateOf(w.clock.Now(), time.UTC) }
		check := func(when string, want ...log.EventCounts) {
			w.t.Helper()
			days, err := log.EventDays(w.ctx, w.Read(), today().AddDays(1-len(want)))
			w.ok(err)
			var found []log.EventCounts
			for _, d := range days {
				found = append(found, d.EventCounts)
			}
			w.same(when, found, want)
		}
		count()
		check("nothing yet", log.EventCounts{})
		tenant := *w.subscribe("basic-monthly", "acme").TenantID
		w.sync(tenant)
		w.sync(tenant)
		count()
		check("not looked at again so soon", log.EventCounts{})
		w.clock.Advance(time.Minute)
		count()
		check("three wait", log.EventCounts{Waiting: 3})

		w.clock.Advance(day)
		w.sync(tenant)
		w.deliver(tenant, webhook.DeliveryDelivered)
		w.deliver(tenant, webhook.DeliveryExhausted)
		w.deliver(tenant, webhook.DeliverySuperseded)
		count()
		yesterday := log.EventCounts{Delivered: 1, Failed: 1, Replaced: 1}
		check("their ends belong to the day they were recorded on", yesterday, log.EventCounts{Waiting: 1})

		w.deliver(tenant, webhook.DeliveryDelivered)
		w.clock.Advance(time.Minute)
		count()
		w.clock.Advance(3*day + time.Hour)
		for more := true; more; {
			var err error
			more, err = w.Delivery.ForgetOldEvents(w.ctx, kept, kept)
			w.ok(err)
		}
		if n := len(w.numbers(tenant)); n != 1 {
			w.t.Fatalf("%d events are left", n)
		}
		count()
		check("what was removed stays counted", yesterday, log.EventCounts{Delivered: 1}, log.EventCounts{}, log.EventCounts{}, log.EventCounts{})
	})
}
