package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestPriceTimesQuantityIsWhole refuses an item whose amount would have to be rounded.
func TestPriceTimesQuantityIsWhole(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		create := func(item invoicing.ItemAttributes) error {
			item.LineText = "Work"
			return servicetest.ErrorOf(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{item}}))
		}
		o.Refused("a third of a cent", create(invoicing.ItemAttributes{Quantity: "0.3333", Price: "10"}), "INVALID items.0.amount")
		o.OK(create(invoicing.ItemAttributes{Quantity: "0.333", Amount: "3.33"}))
		o.OK(create(invoicing.ItemAttributes{Quantity: "400", Price: "0.0125"}))
		o.Equal("the invoices", o.news(), "INV-2026-000001 2026-01-15: Work ×0.333 2026-01-15–2026-01-15 3.33 = 3.33+0.00; INV-2026-000002 2026-01-15: Work ×400 2026-01-15–2026-01-15 5.00 = 5.00+0.00")
	})
}

// TestQuantityAboveZero refuses an item of nothing: an invoice of it would have a number
// and nothing to show, and an item that waits would vanish. What is free has a quantity.
func TestQuantityAboveZero(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		create := func(quantity, price string) error {
			return servicetest.ErrorOf(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Work", Quantity: quantity, Price: price}}}))
		}
		for _, zero := range []string{"0", "0.0", "0.00", "000"} {
			o.Refused(zero+" on an invoice", create(zero, "5"), "INVALID items.0.quantity")
			_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, a.ID, func(in *invoicing.PendingAttributes) error {
				in.LineText, in.CurrencyID, in.Quantity, in.Price, in.On = "Work", "EUR", zero, "5", servicetest.Day("2026-01-15")
				return nil
			})
			o.Refused(zero+" that waits", err, "INVALID quantity")
		}
		o.Equal("items that wait", o.QueryText(`SELECT count(*) FROM pending_item`), "0")
		o.OK(create("0.5", "0"))
		o.Equal("what is free", o.news(), "INV-2026-000001 2026-01-15: Work ×0.5 2026-01-15–2026-01-15 0.00 = 0.00+0.00")
	})
}
