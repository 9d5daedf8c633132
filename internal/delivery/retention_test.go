package delivery_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestForgetOldEvents keeps what was delivered for a month and what failed for
// three, and always a tenant's newest event.
func TestForgetOldEvents(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		const day = 24 * time.Hour
		forget := func() {
			w.T.Helper()
			for more := true; more; {
				var err error
				more, err = w.Delivery.ForgetOldEvents(w.Ctx, 30*day, 90*day)
				w.OK(err)
			}
		}
		tenant := *w.Subscribe("basic-monthly", "acme").TenantID
		for range 3 {
			syncTenant(w, tenant)
		}
		deliver(w, tenant, webhook.DeliveryDelivered)
		deliver(w, tenant, webhook.DeliveryExhausted)
		w.Clock.Advance(30 * day)
		forget()
		w.Equal("after 30 days", numbers(w, tenant), []int{1, 2, 3, 4})
		w.Clock.Advance(time.Millisecond)
		forget()
		w.Equal("a moment later", numbers(w, tenant), []int{2, 3, 4})
		w.Clock.Advance(60 * day)
		forget()
		w.Equal("after 90 days", numbers(w, tenant), []int{3, 4})
		deliver(w, tenant, webhook.DeliverySuperseded)
		deliver(w, tenant, webhook.DeliveryDelivered)
		w.Clock.Advance(200 * day)
		forget()
		w.Equal("long after", numbers(w, tenant), []int{4})
		syncTenant(w, tenant)
		w.Equal("the numbers go on", numbers(w, tenant), []int{4, 5})
	})
}

// numbers are those of a tenant's events that are still there.
func numbers(w *servicetest.World, id billing.TenantID) (numbers []int) {
	w.T.Helper()
	events, err := outbox.EventsOfTenant(w.Ctx, w.Read(), id, 0, 100)
	w.OK(err)
	for _, e := range events {
		numbers = append(numbers, e.Sequence)
	}
	return numbers
}
