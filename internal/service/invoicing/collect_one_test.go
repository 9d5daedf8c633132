package invoicing_test

import (
	"database/sql"
	"testing"

	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestTheDatabaseRefusesASecondCollection holds that an invoice has one open collection even
// if the rules were wrong.
func TestTheDatabaseRefusesASecondCollection(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		a := o.customer("acme")
		o.method(a.ID, "pending:1d:ok")
		for range 2 {
			made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{
				CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}},
			}))
			o.OK(second(o.Invoicing.InvoiceCollect(o.Ctx, made.Invoices[0])))
		}
		moves := func() (err error) {
			o.OnConnection(func(db *sql.Conn) error {
				_, err = db.ExecContext(o.Ctx, `UPDATE payment_collection_invoice SET invoice_id = 1 WHERE invoice_id = 2`)
				return nil
			})
			return err
		}
		if err := moves(); err == nil {
			t.Error("an invoice has two open collections")
		}
		o.run()
		o.days("2026-01-17")
		o.Equal("open", o.QueryText(`SELECT count(*) FROM payment_collection_invoice WHERE is_open = 1`), "0")
		if err := moves(); err != nil {
			t.Errorf("collections that are over are refused: %v", err)
		}
	})
}
