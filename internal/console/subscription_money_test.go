package console_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// TestMoneyOfSubscriptions looks for amounts wherever something is sold: before
// invoices are issued, and with them.
func TestMoneyOfSubscriptions(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	active := fmt.Sprintf("/subscriptions/%d", s.subs[string(subscription.StateActive)].ID)
	v.wants(v.get("/subscriptions"), 200, "EUR 760.00 a month")
	v.wants(v.get(active), 200, "EUR 760.00 a month", "Together EUR 760.00 a month, before tax.", "EUR 250.00 once")
	v.wants(v.submit(v.get(active+"/quantities"), "quantity:seats", "50", "when", "now"), 200, "EUR 950.00 a month, +EUR 190.00 from today.")

	s.bill()
	v.wants(v.get(active), 200, active+"/billing")
	v.wants(v.get(active+"/billing"), 200, "Accrued", "Next invoice", "On 1 Feb 2026 if nobody acts", "Invoice items", s.office.number)
	more := v.submit(v.get(active+"/quantities"), "quantity:seats", "50", "when", "now")
	v.wants(more, 200, "EUR 950.00 a month, +EUR 190.00 from today, nothing now.", "Next invoice, on 1 Feb 2026", "50 × EUR 19.00", "EUR 104.20")
	v.wants(v.submit(more), 200, "Acme Inc now has 50 seats.")
	v.wants(v.get(active+"/billing"), 200, "EUR 104.20")
	v.wants(v.submit(v.get(active+"/quantities"), "quantity:seats", "40", "when", "end"), 200, "EUR 760.00 a month, −EUR 190.00 from 1 Jun 2026, nothing now.")
	v.wants(v.submit(v.get(active+"/cancel"), "when", "now"), 200, "No longer EUR 950.00 a month from today, EUR", "credited now with tax.")
	v.wants(v.submit(v.get(active+"/plan?priceListId=1"), "priceListId", "1", "when", "now", "quantity:seats", "40"), 200, "EUR 360.00 a month, −EUR 590.00 from today")
	fresh := v.submit(v.get("/subscriptions/new?priceListId=1"), "accountId", "c-1", "tenantCode", "more", "quantity:seats", "10", "evergreen", "on")
	v.wants(fresh, 200, "EUR 90.00 a month, EUR 528.60 now with tax.", "Billed today", "Set-up", "EUR 250.00")
	trial := v.submit(v.get("/subscriptions/new?priceListId=1"), "accountId", "c-1", "tenantCode", "try", "quantity:seats", "10", "trial", "on", "evergreen", "on")
	v.wants(trial, 200, "EUR 90.00 a month from 29 Jan 2026", "nothing now.")
	viewer := s.as(billing.Viewer)
	viewer.wants(viewer.get(active+"/billing"), 200, "Invoice items")
}
