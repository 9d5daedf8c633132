package service_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// TestForgetOldEvents keeps what was delivered for a month and what failed for
// three, and always a tenant's newest event.
func TestForgetOldEvents(t *testing.T) {
	each(t, func(w *world) {
		const day = 24 * time.Hour
		forget := func() {
			w.t.Helper()
			for more := true; more; {
				var err error
				more, err = w.Delivery.ForgetOldEvents(w.ctx, 30*day, 90*day)
				w.ok(err)
			}
		}
		tenant := *w.subscribe("basic-monthly", "acme").TenantID
		for range 3 {
			w.sync(tenant)
		}
		w.deliver(tenant, webhook.DeliveryDelivered)
		w.deliver(tenant, webhook.DeliveryExhausted)
		w.clock.Advance(30 * day)
		forget()
		w.same("after 30 days", w.numbers(tenant), []int{1, 2, 3, 4})
		w.clock.Advance(time.Millisecond)
		forget()
		w.same("a moment later", w.numbers(tenant), []int{2, 3, 4})
		w.clock.Advance(60 * day)
		forget()
		w.same("after 90 days", w.numbers(tenant), []int{3, 4})
		w.deliver(tenant, webhook.DeliverySuperseded)
		w.deliver(tenant, webhook.DeliveryDelivered)
		w.clock.Advance(200 * day)
		forget()
		w.same("long after", w.numbers(tenant), []int{4})
		w.sync(tenant)
		w.same("the numbers go on", w.numbers(tenant), []int{4, 5})
	})
}

// numbers are those of a tenant's events that are still there.
func (w *world) numbers(id billing.TenantID) (numbers []int) {
	w.t.Helper()
	events, err := outbox.EventsOfTenant(w.ctx, w.Read(), id, 0, 100)
	w.ok(err)
	for _, e := range events {
		numbers = append(numbers, e.Sequence)
	}
	return numbers
}
