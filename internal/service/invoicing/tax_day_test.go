package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestTaxOfItemsByHandIsOfTheIssueDate bills what was due by a day before the rate
// changed: an item made by hand has the rate of the day on which it is issued.
func TestTaxOfItemsByHandIsOfTheIssueDate(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme")
		o.raiseTax()
		o.waits(a.ID, "100.00", "2026-02-20")
		o.at("2026-03-01")
		_, err := o.Invoicing.AccountInvoice(o.Ctx, a.ID, servicetest.On("2026-02-25"))
		o.OK(err)
		o.Equal("the invoice", o.news(), "INV-2026-000001 2026-03-01: Work ×1 2026-02-20–2026-02-20 100.00 = 100.00+25.00")
	})
}

// TestTaxOfServiceIsOfItsFirstDay bills days that began before the rate changed and a
// charge that is made once, both after it: days have the rate of the first one, and the
// other that of the day of issue.
func TestTaxOfServiceIsOfItsFirstDay(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		o.customer("acme")
		o.raiseTax()
		o.at("2026-02-20")
		o.Subscribe("trial", "acme")
		o.at("2026-03-05")
		o.run()
		o.Equal("the invoice", o.news(), "INV-2026-000001 2026-03-05: Fee ×1 2026-02-20–2026-03-19 31.00, Setup ×1 2026-02-20–2026-02-20 100.00 = 131.00+30.89")
		o.at("2026-03-20")
		o.run()
		o.Equal("the next invoice", o.news(), "INV-2026-000002 2026-03-20: Fee ×1 2026-03-20–2026-04-19 31.00 = 31.00+7.75")
	})
}

// raiseTax has the standard rate be 25 percent instead of 19 from 1 March on.
func (o *office) raiseTax() {
	o.T.Helper()
	rates, err := store.AllTaxRates(o.Ctx, o.Read())
	o.OK(err)
	for n := range rates {
		if r := &rates[n]; r.Country == "DE" && r.TaxCode == billing.StandardTaxCode && r.ValidTo == nil {
			_, err := invoicing.TaxRates.Update(o.Ctx, o.Runner, r.ID, func(r *tax.Rate) error { r.ValidTo = servicetest.On("2026-02-28"); return nil })
			o.OK(err)
		}
	}
	_, err = invoicing.TaxRates.Create(o.Ctx, o.Runner, func(r *tax.Rate) error {
		r.Country, r.TaxCode, r.Rate, r.Name, r.ValidFrom = "DE", billing.StandardTaxCode, "25", "VAT", servicetest.On("2026-03-01")
		return nil
	})
	o.OK(err)
}
