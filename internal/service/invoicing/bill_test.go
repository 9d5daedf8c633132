package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestSeats bills a month with more and fewer seats, as money.md works it out.
func TestSeats(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		o.expect("nothing is sold", "")
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.Starting("2026-01-01"))
		o.expect("5 seats", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-01–2026-01-31 50.00 = 50.00+9.50")
		o.at("2026-01-16")
		o.seats(sub, 8)
		o.expect("a difference waits", "")
		o.at("2026-01-25")
		o.seats(sub, 4)
		o.expect("a difference waits", "")
		o.at("2026-02-01")
		o.expect("the next month",
			"INV-2026-000002 2026-02-01: Seats ×5→4 2026-01-16–2026-01-31 6.45, Seats ×4 2026-02-01–2026-02-28 40.00 = 46.45+8.83")
	})
}

func (o *office) seats(sub *subscription.Subscription, n int) {
	o.T.Helper()
	_, err := o.Subscriptions.SubscriptionQuantityUpdate(o.Ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(n)})
	o.OK(err)
}
