package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestAccountMovesBetweenStarts gives an account another entity that starts invoicing
// later or earlier: days that were billed are neither credited nor billed again, and
// days before the first that was billed are not claimed.
func TestAccountMovesBetweenStarts(t *testing.T) {
	for _, c := range []struct{ name, here, there, first string }{
		{"later", "2026-01-01", "2026-06-01", "INV-2026-000001 2026-06-10: Fee of year ×1 2026-01-15–2027-01-14 1200.00 = 1200.00+0.00"},
		{"earlier", "2026-06-01", "2026-01-01", "INV-2026-000001 2026-06-10: Fee of year ×1 2026-06-01–2027-01-14 749.59 = 749.59+0.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				_, err := invoicing.Entities.Update(o.Ctx, o.Runner, o.entity.ID, func(e *billing.Entity) error { e.InvoicingStartsOn = servicetest.On(c.here); return nil })
				o.OK(err)
				o.list("year", 12, flat("1200", catalog.Annual))
				a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
				o.at("2026-01-15")
				o.Subscribe("year", "acme")
				o.at("2026-06-10")
				o.expect("the first", c.first)
				there := o.branchFrom(c.there)
				_, err = o.Customers.AccountUpdate(o.Ctx, a.ID, func(a *billing.Account) error { a.EntityID = &there; return nil }, nil)
				o.OK(err)
				o.at("2026-07-02")
				_, err = o.Invoicing.AccountInvoice(o.Ctx, a.ID, nil)
				o.OK(err)
				o.expect("after the move", "")
				o.at("2027-01-15")
				o.expect("the next year", "B-0001 2027-01-15: Fee of year ×1 2027-01-15–2028-01-14 1200.00 = 1200.00+0.00")
			})
		})
	}
}
