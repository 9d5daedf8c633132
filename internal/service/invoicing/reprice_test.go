package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestRatesAreNotJoined leaves a price list and comes back to it on one day, after its price
// has doubled: the days before cost what was agreed for them, and those after the new price.
func TestRatesAreNotJoined(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		sub := o.Subscribe("month", "acme")
		o.expect("the first month", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+0.00")
		_, err := o.Catalog.ChargeUpdate(o.Ctx, o.ChargeOf("month", "month").ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Price = servicetest.Price("62")
			return nil
		}})
		o.OK(err)
		o.at("2026-03-11")
		for _, list := range []string{"double", "month"} {
			_, err = o.Subscriptions.SubscriptionPlanChange(o.Ctx, sub.ID, servicetest.ByCode(list), subscription.PlanUpdate{})
			o.OK(err)
		}
		o.at("2026-04-01")
		o.expect("the rest of March, and April", "INV-2026-000002 2026-04-01: Fee of month ×1→1 2026-03-11–2026-03-31 21.00, Fee of month ×1 2026-04-01–2026-04-30 62.00 = 83.00+0.00")
	})
}
