package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// imports takes a file with a subscription of acme from 15 January on, with a purchase order.
func (o *office) imports(order string, pauses ...ledger.Pause) *subscription.Subscription {
	o.T.Helper()
	tenant := "acme"
	servicetest.Must[[]operation.ImportResult](o.World)(o.Subscriptions.ImportSubscriptions(o.Ctx, []subscriptions.SubscriptionImport{{
		Code: "s-1", AccountCode: "acme", PriceListID: o.Lists["fee"].ID, TenantCode: &tenant,
		Record: subscription.Record{StartDate: servicetest.On("2026-01-15"), PONumber: &order, Pauses: ledger.Pauses(pauses)},
	}}, true))
	all, err := store.Subscriptions.List(o.Ctx, o.Read(), store.Page{Limit: 1})
	o.OK(err)
	return &all[0]
}

// imported is a subscription from a file, with its first invoice.
func (o *office) imported() *subscription.Subscription {
	o.list("fee", 1, flat("100", catalog.Monthly))
	a := o.customer("acme")
	_, err := o.Subscriptions.TenantCreate(o.Ctx, func(t *billing.Tenant) error {
		t.Code, t.AccountID, t.PlatformID = "acme", a.ID, o.Platform.ID
		return nil
	}, nil, nil)
	o.OK(err)
	sub := o.imports("PO-1")
	o.run()
	return sub
}

// TestImportedAgainStaysSuspended imports a suspended subscription again, with another
// purchase order: nothing is paid by that.
func TestImportedAgainStaysSuspended(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "5 SUSPEND"))
		sub := o.imported()
		i := o.lastInvoice()
		o.days("2026-02-10")
		o.stands("suspended", sub, i, billing.Suspended, "none", "2026-02-03 5 SUSPEND")
		o.imports("PO-2")
		o.days("2026-02-12")
		o.stands("imported again", sub, i, billing.Suspended, "none", "2026-02-03 5 SUSPEND")
		o.judgeAnew()
	})
}

// TestImportedAgainIsBilledAsBefore imports a subscription again whose account another
// entity bills by now: what was billed before stays so.
func TestImportedAgainIsBilledAsBefore(t *testing.T) {
	eachOffice(t, func(o *office) {
		sub := o.imported()
		branch := o.branchFrom("2026-02-01")
		o.at("2026-02-05")
		o.change(sub.AccountID, func(a *billing.Account) { a.EntityID = &branch })
		o.run()
		o.news()
		o.imports("PO-2")
		o.run()
		o.expect("nothing else is owed", "")
		o.days("2026-02-15")
		o.verify()
	})
}

// TestImportedAgainKeepsItsRate imports the same file again after the price was raised in
// the catalog: what was agreed stays so.
func TestImportedAgainKeepsItsRate(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.imported()
		o.news()
		o.at("2026-01-20")
		_, err := o.Catalog.ChargeUpdate(o.Ctx, o.ChargeOf("fee", "fee").ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Price = servicetest.Price("200")
			return nil
		}})
		o.OK(err)
		o.imports("PO-1")
		o.days("2026-02-15")
		o.expect("the next month at the price that was agreed", "INV-2026-000002 2026-02-15: Fee of fee ×1 2026-02-15–2026-03-14 100.00 = 100.00+19.00")
	})
}

// TestImportedAgainHasNoNewCharge imports the same file again after a charge was added to
// the price list: nobody has ordered it.
func TestImportedAgainHasNoNewCharge(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.imported()
		o.news()
		o.at("2026-01-20")
		_, err := o.Catalog.ChargeCreate(o.Ctx, o.Lists["fee"].ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.ChargeType, c.BillingPeriod, c.Price = "more", "More", catalog.Recurring, catalog.Monthly, servicetest.Price("10")
			return nil
		}})
		o.OK(err)
		o.imports("PO-1")
		o.days("2026-02-15")
		o.expect("the next month of what was agreed", "INV-2026-000002 2026-02-15: Fee of fee ×1 2026-02-15–2026-03-14 100.00 = 100.00+19.00")
	})
}

// TestImportedAgainStaysPaused imports the same file while a policy suspends and does not
// bill such days: ten of 31 days are credited when it is paid.
func TestImportedAgainStaysPaused(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunnedFree("5 SUSPEND")
		sub := o.imported()
		i := o.lastInvoice()
		o.days("2026-02-05")
		o.Equal("suspended", o.Now(sub).Standing, billing.Suspended)
		o.news()
		o.imports("PO-1")
		o.imports("PO-2", o.Now(sub).Pauses...) // as an export has it
		o.days("2026-02-13")
		o.pays(i, "119.00")
		o.days("2026-02-15")
		o.Equal("credited", o.QueryText(`SELECT COALESCE(SUM(subtotal), 0) FROM credit_note`), "3226")
		o.Equal("standing", o.Now(sub).Standing, billing.Good)
	})
}
