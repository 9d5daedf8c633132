package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testImportedInvoices(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var invoices []*document.Invoice
	called := func(number string) func(*document.Invoice) {
		return func(i *document.Invoice) { i.Number, i.Kind = number, document.ImportedInvoice }
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a := m.account("A").ID
		invoices = []*document.Invoice{
			m.invoice(a, called("R-1")), m.invoice(a), m.invoice(a, called("r-1")), m.invoice(a, called("Ärger 7")), m.invoice(a, func(i *document.Invoice) { i.Number = "R-9" }),
		}
		p, c := m.payment(a), m.creditNote(a)
		for n, amount := range []money.Amount{100, 30, 7} {
			row := &document.Application{InvoiceID: invoices[n/2].ID, PaymentID: &p.ID, Amount: amount, AppliedOn: date("2026-01-15")}
			if n == 1 {
				row.PaymentID, row.CreditNoteID = nil, &c.ID
			}
			must(store.Applications.Insert(ctx, tx, row))
		}
	})
	id := func(n int) billing.InvoiceID { return invoices[n].ID }
	ids := func(found []document.Invoice, err error) (ids []billing.InvoiceID) {
		t.Helper()
		must(err)
		for n := range found {
			ids = append(ids, found[n].ID)
		}
		return ids
	}
	same(t, "InvoicesByNumber", ids(store.InvoicesByNumber(ctx, s.Snapshot(), []string{"Ärger 7", "R-1", "R-9", "nobody", "\x00"})), []billing.InvoiceID{id(0), id(3), id(4)})
	same(t, "InvoicesByNumber of nobody", len(ids(store.InvoicesByNumber(ctx, s.Snapshot(), nil))), 0)
	same(t, "an invoice by its number", got[[]document.Invoice](t)(store.InvoicesByNumber(ctx, s.Snapshot(), []string{"R-1"})), []document.Invoice{*invoices[0]})
	same(t, "ImportedInvoices", ids(store.ImportedInvoices(ctx, q, 0, 10)), []billing.InvoiceID{id(0), id(2), id(3)})
	same(t, "ImportedInvoices, a page", ids(store.ImportedInvoices(ctx, q, id(0), 1)), []billing.InvoiceID{id(2)})
	same(t, "ImportedNumber", got[string](t)(store.ImportedNumber(ctx, q, func(number string) bool { return number == "r-1" })), "r-1")
	same(t, "ImportedNumber of an invoice of our own", got[string](t)(store.ImportedNumber(ctx, q, func(number string) bool { return number == "R-9" })), "")
	same(t, "AppliedTo", got[map[billing.InvoiceID]money.Amount](t)(store.AppliedTo(ctx, q, []billing.InvoiceID{id(0), id(1), id(2)})), map[billing.InvoiceID]money.Amount{id(0): 130, id(1): 7})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		m.invoice(m.account("B").ID, called("R-1"))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a number that is taken: %v, want a duplicate", err)
	}
}
