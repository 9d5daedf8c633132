package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// filteredInvoices are called by their notes in the cases below.
var filteredInvoices = []struct {
	label, number, issued, due string
	currency                   money.Currency
	amount, paid               money.Amount
	second, voided, unpaid     bool
}{
	{label: "ten", number: "INV-2026-000001", issued: "2026-01-01", due: "2026-01-15", currency: euro, amount: 1000},
	{label: "cent", number: "INV-2026-000002", issued: "2026-01-02", due: "2026-01-16", currency: euro, amount: 1001, paid: 1},
	{label: "yen", number: "inv-é", issued: "2026-02-01", due: "2026-02-15", currency: yen, amount: 10, second: true, unpaid: true},
	{label: "dinar", number: "D-1", issued: "2026-03-01", due: "2026-03-15", currency: dinar, amount: 10_001, second: true, voided: true},
	{label: "most", number: "Y-1", issued: "2026-03-02", due: "2026-03-16", currency: yen, amount: money.MaxDocument - 1, paid: money.MaxDocument - 1},
	{label: "draft", currency: euro, amount: 5},
}

var invoiceFilters = []struct{ text, want string }{
	{"", "ten cent yen dinar most draft"},
	{"state:open", "ten cent"}, {"state:PAID", "most"}, {"state:unpaid", "yen"}, {"state:voided", "dinar"}, {"state:draft", "draft"},
	{"number:INV-2026-000001", "ten"}, {"number:inv-2026-000002", "cent"}, {"number:INV-É", "yen"}, {"number:INV-2026", ""}, {"number:draft", ""},
	{"inv-2026-000001", "ten"}, {"INV-2026", ""}, {"D-1", "dinar"},
	{"one", "ten cent most draft"}, {"TWO", "yen dinar"}, {"three", ""}, {"w", "yen dinar"}, {"one two", ""}, {"one inv-2026-000001", "ten"}, {"two inv-2026-000001", ""}, {"one state:open", "ten cent"}, {"two issued:>=2026-03-01", "dinar"}, {"o", "ten cent yen dinar most draft"},
	{"account:one", "ten cent most draft"}, {"account:two", "yen dinar"}, {"account:three", ""}, {"account:one state:open", "ten cent"},
	{"entity:e1", "ten cent most draft"}, {"entity:e2", "yen dinar"},
	{"currency:JPY", "yen most"}, {"currency:jpy", "yen most"}, {"currency:USD", ""}, {"kind:one_off", "yen"}, {"kind:subscription", "ten cent dinar most draft"}, {"kind:imported", ""},
	{"issued:2026-01-01", "ten"}, {"issued:>2026-01-01", "cent yen dinar most"}, {"issued:>=2026-02-01", "yen dinar most"}, {"issued:<2026-02-01", "ten cent"}, {"issued:<=2026-02-01", "ten cent yen"},
	{"due:>=2026-01-16 due:<2026-03-01", "cent yen"}, {"due:2026-03-16", "most"}, {"due:>=2026-01-15 state:open", "ten cent"}, {"due:>2026-01-15 state:open", "cent"}, {"due:<=2026-03-15 state:voided", "dinar"}, {"due:>2027-01-01", ""}, {"issued:>=2026-01-02 due:<2026-02-15", "cent"},
	{"issued:>=2026-02-01 state:paid", "most"}, {"issued:>=2026-02-01 state:unpaid", "yen"}, {"issued:<=2026-01-02 account:one", "ten cent"}, {"issued:>1970-01-01 issued:<9999-12-31", "ten cent yen dinar most"},
	{"created:>=2026-01-01", "ten cent yen dinar most draft"}, {"created:<2026-01-01", ""},
	{"amount:10", "ten yen"}, {"amount:10.00", "ten yen"}, {"amount:10.01", "cent"}, {"amount:10.001", "dinar"}, {"amount:10.0001", ""},
	{"amount:>10", "cent dinar most"}, {"amount:>=10", "ten cent yen dinar most"}, {"amount:<10", "draft"}, {"amount:<=10", "ten yen draft"},
	{"amount:>10.0001", "cent dinar most"}, {"amount:>=10.0001", "cent dinar most"}, {"amount:<10.0001", "ten yen draft"}, {"amount:<=10.0001", "ten yen draft"},
	{"amount:>10.001", "cent most"}, {"amount:>=10.001", "cent dinar most"}, {"amount:<10.001", "ten yen draft"}, {"amount:<=10.001", "ten yen dinar draft"},
	{"amount:>10.005", "cent most"}, {"amount:<10.005", "ten yen dinar draft"}, {"amount:>=0", "ten cent yen dinar most draft"}, {"amount:>0", "ten cent yen dinar most draft"}, {"amount:<=0", ""}, {"amount:0", ""},
	{"amount:>461168601842738", "most"}, {"amount:0.05", "draft"}, {"amountDue:0", "most"}, {"amountDue:10", "ten cent yen"}, {"amountDue:>10", "dinar"},
}

func testDocumentFilters(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		entities, accounts := []*billing.Entity{m.entity(), m.entity()}, []*billing.Account{m.account("One"), m.account("Two"), m.account("Three")}
		for n, e := range entities {
			e.Code = fmt.Sprint("e", n+1)
			must(store.Entities.Update(ctx, tx, e))
		}
		for _, a := range accounts {
			a.Code = ptr(strings.ToLower(a.Name))
			must(store.Accounts.Update(ctx, tx, a))
		}
		for _, r := range filteredInvoices {
			owner := 0
			if r.second {
				owner = 1
			}
			m.invoice(accounts[owner].ID, func(i *document.Invoice) {
				if draft(i); r.number != "" {
					i.IssuedAt, i.DueAt = date(r.issued), date(r.due)
				}
				if r.label == "yen" {
					i.Kind = document.OneOffInvoice
				}
				i.Notes, i.Number, i.Currency, i.Amount, i.AmountPaid, i.Voided, i.WrittenOff, i.EntityID = r.label, r.number, r.currency, r.amount, r.paid, r.voided, r.unpaid, entities[owner].ID
			})
			m.creditNote(accounts[owner].ID, func(c *document.CreditNote) {
				c.Reason, c.Number, c.Currency, c.Amount, c.AmountApplied, c.EntityID = r.label, "CN-"+r.number, r.currency, r.amount, r.paid, entities[owner].ID
			})
			m.payment(accounts[owner].ID, func(p *document.Payment) {
				p.Reference, p.Currency, p.Amount, p.AmountApplied, p.EntityID = "Pays "+r.label, r.currency, r.amount, r.paid, entities[owner].ID
			})
		}
	})
	for _, c := range invoiceFilters {
		f := filter(t, c.text)
		var labels []string
		for _, i := range listed(t, s, store.Invoices, f) {
			labels = append(labels, i.Notes)
		}
		same(t, c.text, strings.Join(labels, " "), c.want)
		same(t, "the count of "+c.text, got[int](t)(store.Invoices.Count(t.Context(), s.Queries(), f)), len(labels))
	}
	for text, want := range map[string]string{
		"": "ten cent yen dinar most draft", "state:ready": "ten yen dinar draft", "state:partially_applied": "cent", "state:applied": "most", "number:cn-inv-2026-000001": "ten", "CN-D-1": "dinar", "two": "yen dinar", "two cn-d-1": "dinar", "one cn-d-1": "",
		"account:two": "yen dinar", "entity:e2": "yen dinar", "currency:KWD": "dinar", "kind:credit": "ten cent yen dinar most draft", "issued:2026-01-02": "ten cent yen dinar most draft", "issued:<2026-01-02": "", "amount:>10.001": "cent most",
	} {
		var labels []string
		for _, c := range listed(t, s, store.CreditNotes, filter(t, text)) {
			labels = append(labels, c.Reason)
		}
		same(t, "credit notes, "+text, strings.Join(labels, " "), want)
	}
	for text, want := range map[string]string{
		"": "ten cent yen dinar most draft", "state:ready": "ten yen dinar draft", "state:partially_applied": "cent", "state:applied": "most", `reference:"PAYS ten"`: "ten", `"pays ten"`: "ten", "pays": "", "two": "yen dinar", `two "pays yen"`: "yen",
		"account:two": "yen dinar", "entity:e2": "yen dinar", "currency:KWD": "dinar", "received:2026-01-03": "ten cent yen dinar most draft", "received:>2026-01-03": "", "amount:>10.001": "cent most",
	} {
		var labels []string
		for _, p := range listed(t, s, store.Payments, filter(t, text)) {
			labels = append(labels, strings.TrimPrefix(p.Reference, "Pays "))
		}
		same(t, "payments, "+text, strings.Join(labels, " "), want)
	}
	for _, text := range []string{"state:due", "amount:ten", "amount:-1", "amount:1.00001", "amount:1.", "amount:.5", "amount:1,5", "amount:1e3", "amount:99999999999999999999", "issued:2026", "issued:2026-02-30", "number:>1", "kind:x", "currency:euro", "currency:XAU", "state:x"} {
		if _, err := store.Invoices.List(t.Context(), s.Queries(), store.Page{Filter: filter(t, text), Limit: 10}); err == nil {
			t.Errorf("%s is a filter of invoices", text)
		} else if _, known := billing.AsProblems(err); !known {
			t.Errorf("%s: %v", text, err)
		}
	}
}
