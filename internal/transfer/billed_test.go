package transfer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

const billed = `{"type":"entity","code":"de","name":"GmbH","country":"DE","invoicingStartsOn":"2026-01-01"}
{"type":"product","code":"crm","name":"CRM"}
{"type":"plan","product":"crm","code":"pro","name":"Pro"}
{"type":"priceList","code":"pro","product":"crm","plan":"pro","name":"Pro","currencyId":"EUR"}
{"type":"charge","priceList":"pro","code":"base","name":"Base fee","price":"31"}
{"type":"account","code":"acme","name":"Acme","billingCountry":"DE"}
{"type":"subscription","code":"S-1","account":"acme","priceList":"pro","startDate":"2026-01-01"}
`

// TestNothingIsBilledTwice exports what has been billed: whoever imports it does not
// bill it again, and the installation itself goes on.
func TestNothingIsBilledTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(billed, transfer.Options{})
		w.same("the start before anything is issued", strings.Contains(w.export(), `"invoicingStartsOn":"2026-01-01"`), true)
		w.same("invoices", w.bill(), 1)
		text := w.export()
		w.same("the start after that", strings.Contains(text, `invoicingStartsOn`), false)
		w.same("the next number", strings.Contains(text, `"invoiceNextNumber":2`), true)
		w.same("import into itself", w.mustImport(text, transfer.Options{}), transfer.Tally{Unchanged: 7})
		first, err := store.Entities.Get(w.ctx, w.store.Queries(), 1)
		w.ok(err)
		w.same("the first number of the installation itself", first.InvoiceNextNumber, nil)
		w.same("a change beside the number", w.mustImport(strings.Replace(text, `"name":"GmbH"`, `"name":"AG"`, 1), transfer.Options{}), transfer.Tally{Changed: 1, Unchanged: 6})
		if _, err := w.imports(`{"type":"entity","code":"de","invoiceNextNumber":3}`, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "The first number of invoices stays 1") {
			t.Errorf("a number that leaves a gap: %v", err)
		}
		w.same("the start of the installation itself", first.InvoicingStartsOn.String(), "2026-01-01")

		other := storetest.New(t, db.Engine)
		other.Clock.Set(db.Clock.Now())
		there := newWorld(t, other)
		there.same("import elsewhere", there.mustImport(text, transfer.Options{}), transfer.Tally{Created: 7})
		there.same("invoices elsewhere", there.bill(), 0)
		there.mustImport(`{"type":"entity","code":"de","invoicingStartsOn":"2026-01-01"}`, transfer.Options{})
		there.same("invoices that go on elsewhere", there.bill(), 1)
		next, err := store.InvoiceByNumber(there.ctx, there.store.Queries(), "INV-2026-000002")
		there.ok(err)
		there.same("the number goes on", next != nil, true)
	})
}

// TestInvoicedAccountStaysWithWhoIssues refuses a line that moves an account with invoices
// to an entity that issues none yet, as the API does: nobody would issue its credit notes.
func TestInvoicedAccountStaysWithWhoIssues(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(billed+`{"type":"account","code":"new","name":"New"}`, transfer.Options{})
		w.same("invoices", w.bill(), 1)
		const entity = `{"type":"entity","code":"at","name":"AG","country":"AT","invoiceNumberFormat":"AT-{000000}","creditNoteNumberFormat":"ATC-{000000}"}` + "\n"
		for _, o := range []transfer.Options{{CheckOnly: true}, {}} {
			_, err := w.imports(entity+`{"type":"account","code":"acme","entity":"at"}`, o)
			var invalid *transfer.InvalidError
			if !errors.As(err, &invalid) || !strings.HasPrefix(invalid.Problems[0].Message, "entity: AG does not issue invoices yet") {
				t.Errorf("an account with invoices: %v", err)
			}
		}
		w.mustImport(entity+`{"type":"account","code":"new","entity":"at"}`, transfer.Options{})
		w.mustImport(`{"type":"entity","code":"at","invoicingStartsOn":"2026-01-15"}`+"\n"+`{"type":"account","code":"acme","entity":"at"}`, transfer.Options{})
	})
}

// bill bills what is due, and returns how many invoices there are.
func (w *world) bill() int {
	w.t.Helper()
	for {
		looked, _, err := w.Invoicing.RunDue(w.ctx, w.db.Clock.Now())
		w.ok(err)
		if looked == 0 {
			break
		}
	}
	invoices, err := store.Invoices.List(w.ctx, w.store.Queries(), store.Page{Limit: 10})
	w.ok(err)
	return len(invoices)
}
