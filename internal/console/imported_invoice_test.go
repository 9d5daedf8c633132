package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// TestImportedInvoice shows an invoice of another system: it is marked, has no
// files, and offers only what can be done to it here.
func TestImportedInvoice(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error { e.Code, e.Name, e.Country = "gmbh", "GmbH", "DE"; return nil }))
	account := s.accounts[0]
	must[[]operation.ImportResult](s)(s.service.Invoicing.ImportInvoices(s.ctx, []invoicing.InvoiceImport{{AccountCode: *account.Code, History: document.History{
		Number: "R-2025-17", CurrencyID: "EUR", IssuedAt: &billing.Date{Year: 2025, Month: 11, Day: 1}, Amount: ptr("119.00"), TaxAmount: ptr("19.00"), AmountPaid: ptr("19.00"),
	}}}))
	rows := must[[]document.Invoice](s)(store.ImportedInvoices(s.ctx, s.service.Read(), 0, 10))
	page := "/invoices/" + fmt.Sprint(rows[0].ID)
	v := s.as(billing.Admin)
	shown := v.wants(v.get(page), 200, "R-2025-17", "imported", "Another system issued this invoice", "Record payment", "Write off")
	for _, other := range []string{".pdf", page + "/credit", page + "/void"} {
		if strings.Contains(shown.body, other) {
			t.Errorf("the page offers %s", other)
		}
	}
	v.wants(v.get("/invoices"), 200, "R-2025-17", "imported")
	v.wants(v.get("/accounts/"+fmt.Sprint(account.ID)+"/billing"), 200, "R-2025-17", "Paid elsewhere: invoice R-2025-17")
}
