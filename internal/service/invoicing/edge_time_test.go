package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestTimeAloneTakesNothingBack sets the clock and the operator's zone: what was
// billed stays, and days begin where the zone says.
func TestTimeAloneTakesNothingBack(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		o.Subscribe("month", "acme")
		o.expect("the first month", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+0.00")
		o.at("2026-02-20")
		o.expect("the clock is set back", "")
		_, err := o.Invoicing.AccountInvoice(o.Ctx, a.ID, nil)
		o.OK(err)
		o.expect("and somebody bills", "")
		o.at("2026-03-31")
		o.expect("noon of the last day", "")
		o.OK(o.Calendar.SetTimeZone(o.Ctx, "Pacific/Auckland"))
		o.expect("it is tomorrow in Auckland", "INV-2026-000002 2026-04-01: Fee of month ×1 2026-04-01–2026-04-30 31.00 = 31.00+0.00")
		o.OK(o.Calendar.SetTimeZone(o.Ctx, "UTC"))
		o.expect("it is today again", "")
		o.at("2026-04-30")
		o.expect("no day is billed twice", "")
		_, err = o.Customers.AccountDelete(o.Ctx, a.ID)
		o.Refused("an account with documents is not deleted", err, "IN_USE id")
	})
}

// TestChangesOfOneDay does several things on one day in different orders: if they end
// in the same state, the documents are the same.
func TestChangesOfOneDay(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		on := "2026-03-11"
		ways := [][]edgeStep{
			{orders(on, credit, 8)},
			{orders(on, credit, 9, 3, 8)},
			{orders(on, credit, 2), moves(on, subscription.PlanUpdate{}, "pro-monthly", "seats-31"), orders(on, credit, 8)},
			{orders(on, credit, 8), moves(on, subscription.PlanUpdate{}, "pro-monthly", "seats-31")},
			{orders(on, credit, 8), cancels(on, subscription.Cancellation{AtTermEnd: true}), reinstates(on, "")},
			{cancels(on, subscription.Cancellation{AtTermEnd: true}), reinstates(on, ""), orders(on, credit, 8)},
		}
		names := []string{"a", "b", "c", "d", "e", "f"}
		customers := make([]*customer, len(ways))
		o.at("2026-03-01")
		for n := range ways {
			customers[n] = &customer{office: o, code: names[n]}
			o.customer(names[n])
			starts("2026-03-01", "seats-31", servicetest.WithSeats(5)).do(customers[n])
		}
		o.days(on)
		for n, steps := range ways {
			for _, s := range steps {
				s.do(customers[n])
			}
		}
		o.days("2026-05-02")
		for n := range ways {
			if have, want := o.billed(names[n], "2026-05-02"), "2026-03-01 155.00+29.45; 2026-04-01 63.00 248.00+59.09; 2026-05-01 248.00+47.12"; have != want {
				t.Errorf("way %d:\nhave %s\nwant %s", n, have, want)
			}
		}
	})
}
