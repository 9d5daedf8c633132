package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestLeapDay bills a year with a leap day: it has 366 days.
func TestLeapDay(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2028-01-01")
		sub := o.Subscribe("year", "acme")
		o.expect("the year", "INV-2028-000001 2028-01-01: Fee of year ×1 2028-01-01–2028-12-31 1200.00 = 1200.00+0.00")
		o.at("2028-07-01")
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, []billing.SubscriptionID{sub.ID}, subscription.Cancellation{})
		o.OK(err)
		o.expect("184 of 366 days", "CN-2028-000001 2028-07-01: INV-2028-000001/1 603.28 = 603.28+0.00")
	})
}

// TestTenantMoved has the tenant of the moment on each item.
func TestTenantMoved(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		o.customer("acme")
		o.at("2026-03-01")
		sub := o.Subscribe("month", "acme")
		o.run()
		_, err := o.Subscriptions.SubscriptionTenantUpdate(o.Ctx, sub.ID, subscriptions.TenantRef{Code: "moved"})
		o.OK(err)
		o.at("2026-04-01")
		o.run()
		_, err = o.Subscriptions.TenantUpdate(o.Ctx, *o.Now(sub).TenantID, func(t *billing.Tenant) error { t.Name = "Renamed"; return nil })
		o.OK(err)
		o.at("2026-05-01")
		o.run()
		items, err := store.InvoiceItems.List(o.Ctx, o.Read(), store.Page{Limit: 10})
		o.OK(err)
		var codes []string
		for n := range items {
			codes = append(codes, items[n].TenantCode)
		}
		o.Equal("tenants", codes, []string{"acme", "moved", "moved"})
	})
}

// TestSubscriptionSetAside bills an account without a subscription that is broken, says
// so, and bills what was left out once it is mended.
func TestSubscriptionSetAside(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		account := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		broken := o.Subscribe("month", "acme")
		o.Subscribe("month-49", "acme")
		o.run()
		o.news()
		o.Damage(`UPDATE subscription SET problem = 'It is broken.' WHERE id = $1`, int64(broken.ID))
		o.at("2026-04-01")
		o.expect("without it", "INV-2026-000002 2026-04-01: Fee of month-49 ×1 2026-04-01–2026-04-30 49.00 = 49.00+0.00")
		problem := func() string {
			return o.QueryText(`SELECT COALESCE(billing_problem, '') FROM account WHERE id = $1`, int64(account.ID))
		}
		o.Equal("the problem", problem(), "Subscription 1 was left out, because it was set aside: It is broken.")
		o.at("2026-04-11")
		_, err := o.Subscriptions.SubscriptionUpdate(o.Ctx, broken.ID, subscription.Update{PONumber: new("mended")})
		o.OK(err)
		o.expect("mended", "INV-2026-000003 2026-04-11: Fee of month ×1 2026-04-01–2026-04-30 31.00 = 31.00+0.00")
		o.Equal("no problem any more", problem(), "")
	})
}

// TestVoidAfterTaxNumber corrects an invoice that was taxed for want of a tax number. A
// number that was checked says nothing about another one.
func TestVoidAfterTaxNumber(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		account := o.customer("acme", func(a *billing.Account) { a.BillingCountry = new("FR") })
		o.at("2026-03-01")
		o.Subscribe("month", "acme")
		o.expect("taxed", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+5.89")
		number := func(number string, state billing.TaxNumberState) {
			t.Helper()
			_, err := o.Customers.AccountUpdate(o.Ctx, account.ID, func(a *billing.Account) error {
				if a.TaxNumber = &number; state != "" {
					a.TaxNumberState = state
				}
				return nil
			}, nil)
			o.OK(err)
		}
		state := func() string {
			return o.QueryText(`SELECT tax_number_state FROM account WHERE id = $1`, int64(account.ID))
		}
		number("FR23334175221", billing.TaxNumberValid)
		_, err := o.Invoicing.InvoiceVoid(o.Ctx, 1, "The tax number was missing.", true)
		o.OK(err)
		o.expect("billed again", "CN-2026-000001 2026-03-01: INV-2026-000001/1 31.00 = 31.00+5.89; "+
			"INV-2026-000002 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+0.00")
		number("FR23334175221", "")
		o.Equal("the same number", state(), "VALID")
		number("FR40303265045", "")
		o.Equal("another number", state(), "UNCHECKED")
		number("FR23334175221", billing.TaxNumberValid)
		number("FR40303265045", billing.TaxNumberValid)
		o.Equal("another number that was checked", state(), "VALID")
	})
}

// TestNoReverseChargeForNoNumber refuses a tax number that cannot be one. An account that
// has one since before can be changed, and is taxed.
func TestNoReverseChargeForNoNumber(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		account := o.customer("acme", func(a *billing.Account) { a.BillingCountry = new("FR") })
		for _, number := range []string{"FR1", "FRXX", "rubbish"} {
			_, err := o.Customers.AccountUpdate(o.Ctx, account.ID, func(a *billing.Account) error {
				a.TaxNumber, a.TaxNumberState = &number, billing.TaxNumberValid
				return nil
			}, nil)
			o.Refused(number, err, "INVALID taxNumber")
		}
		o.Damage(`UPDATE account SET tax_number = 'FR1', tax_number_state = 'VALID' WHERE id = $1`, int64(account.ID))
		o.change(account.ID, func(a *billing.Account) { a.BillingCity = new("Paris") })
		o.at("2026-03-01")
		o.Subscribe("month", "acme")
		o.expect("taxed", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+5.89")
	})
}
