package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestRemovedMethodIsReminded removes the payment method before the reminder that only those
// get who pay by themselves.
func TestRemovedMethodIsReminded(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "-3 REMIND", "0 COLLECT", "5 SUSPEND"))
		sub, i := o.overdue("acme") // due on 29 January
		m := o.method(sub.AccountID, "ok")
		o.days("2026-01-20")
		_, err := o.Invoicing.PaymentMethodDelete(o.Ctx, m.ID)
		o.OK(err)
		o.days("2026-01-28")
		o.stands("without a method", sub, i, billing.Good, "all", "2026-01-26 -3 REMIND")
	})
}
