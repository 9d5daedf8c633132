package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestPurchaseOrders has the number of a purchase order on an invoice if all
// subscriptions on it have the same, and that of the account otherwise.
func TestPurchaseOrders(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("month", 1, flat("31", catalog.Monthly))
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.PONumber = true, new("PO-1") })
		order := func(sub *subscription.Subscription, po string) {
			t.Helper()
			o.OK(servicetest.ErrorOf(o.Subscriptions.SubscriptionUpdate(o.Ctx, sub.ID, subscription.Update{PONumber: &po})))
		}
		last := func(what, want string) {
			t.Helper()
			o.run()
			o.Equal(what, o.QueryText(`SELECT po_number FROM invoice WHERE id = (SELECT MAX(id) FROM invoice)`), want)
		}
		first, second := o.Subscribe("month", "acme"), o.Subscribe("month", "acme")
		order(first, "PO-7")
		order(second, "PO-7")
		o.waits(a.ID, "5.00", "2026-01-15")
		last("one order for all", "PO-7")
		order(second, "PO-8")
		o.at("2026-02-15")
		last("two orders", "PO-1")
		order(second, "")
		o.at("2026-03-15")
		last("an order for one", "PO-1")
	})
}
