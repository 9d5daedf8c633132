package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

const (
	seller  = `{"type":"entity","code":"de","name":"GmbH","country":"DE"}` + "\n" + `{"type":"account","code":"acme","name":"Acme","billingCountry":"DE"}` + "\n"
	history = `{"type":"invoice","number":"R-1","account":"acme","entity":"de","currencyId":"EUR","issuedAt":"2025-11-01","dueAt":"2025-11-15","amount":"119.00","taxAmount":"19.00","amountPaid":"119.00"}
{"type":"invoice","number":"R-2","account":"acme","entity":"de","currencyId":"EUR","issuedAt":"2025-12-01","dueAt":"2025-12-15","amount":"119.00","taxAmount":"19.00","amountPaid":"19.00"}
{"type":"invoice","number":"R-3","account":"acme","entity":"de","currencyId":"JPY","issuedAt":"2026-01-01","dueAt":"2026-01-31","amount":"1000","taxAmount":"0","amountPaid":"0"}
{"type":"invoice","number":"R-4","account":"acme","entity":"de","currencyId":"EUR","issuedAt":"2025-10-01","dueAt":"2025-10-15","amount":"50.00","taxAmount":"0.00","amountPaid":"10.00","state":"UNPAID"}
{"type":"invoice","number":"R-5","account":"acme","entity":"de","currencyId":"EUR","issuedAt":"2025-10-01","dueAt":"2025-10-15","amount":"50.00","taxAmount":"0.00","state":"VOIDED"}
`
)

// balances are what the account acme owes, and what is overdue.
func (w *world) balances() string {
	w.t.Helper()
	found, err := store.Balances(w.ctx, w.store.Queries(), []billing.AccountID{1}, billing.Date{Year: 2026, Month: 1, Day: 15})
	w.ok(err)
	var texts []string
	for _, b := range found {
		texts = append(texts, b.Currency.Code+" "+b.Currency.Format(b.Balance)+" overdue "+b.Currency.Format(b.Overdue))
	}
	return strings.Join(texts, ", ")
}

// TestHistory imports invoices of another system: they are on the statement, can be
// paid and written off here, and are in no series. Importing them again changes
// nothing, and what is exported can be imported.
func TestHistory(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(seller, transfer.Options{})
		again := func(what, text string, want transfer.Tally) {
			t.Helper()
			result, err := w.imports(text, transfer.Options{})
			w.ok(err)
			w.same(what, *result.Tallies["invoice"], want)
		}
		again("the first time", history, transfer.Tally{Created: 5})
		w.same("what is owed", w.balances(), "EUR 100.00 overdue 100.00, JPY 1000 overdue 0")
		again("the second time", history, transfer.Tally{Unchanged: 5})
		w.same("what is owed", w.balances(), "EUR 100.00 overdue 100.00, JPY 1000 overdue 0")
		exported := w.export()
		w.same("the export", exported[strings.Index(exported, `{"type":"invoice"`):], history)

		paid := strings.Replace(history, `"amountPaid":"19.00"`, `"amountDue":"40.00"`, 1)
		again("when more was paid there", paid, transfer.Tally{Changed: 1, Unchanged: 4})
		w.same("what is owed", w.balances(), "EUR 40.00 overdue 40.00, JPY 1000 overdue 0")
		again("as before", history, transfer.Tally{Changed: 1, Unchanged: 4})

		_, err := w.Invoicing.PaymentCreate(w.ctx, invoicing.PaymentAttributes{AccountID: 1, Amount: "30.00", CurrencyID: "EUR"})
		w.ok(err)
		again("after a payment", history, transfer.Tally{Unchanged: 5})
		w.same("what is owed", w.balances(), "EUR 70.00 overdue 70.00, JPY 1000 overdue 0")
		_, err = w.imports(paid, transfer.Options{})
		if err == nil || !strings.Contains(err.Error(), "30.00 of invoice R-2 were paid or credited in this system") {
			t.Errorf("paid there and here: %v", err)
		}
		_, err = w.Invoicing.InvoiceWriteOff(w.ctx, 3, "Moved away", false, true)
		w.ok(err)
		w.same("what is owed", w.balances(), "EUR 70.00 overdue 70.00, JPY 0 overdue 0")
		again("after a write-off", history, transfer.Tally{Unchanged: 5})
		again("its own export", w.export(), transfer.Tally{Unchanged: 5})

		v, err := w.Invoicing.DocumentsVerify(w.ctx, nil, nil, nil)
		w.ok(err)
		w.same("what was verified", fmt.Sprint(v.Documents, v.Findings), "1 []") // the write-off
		events, err := store.BillingEvents.List(w.ctx, w.store.Queries(), store.Page{Limit: 10})
		w.ok(err)
		var kinds []string
		for n := range events {
			kinds = append(kinds, string(events[n].Kind))
		}
		w.same("the feed", strings.Join(kinds, " "), "PaymentReceived CreditNoteIssued InvoiceWrittenOff")

		for what, do := range map[string]func() error{
			"credit": func() error { _, err := w.Invoicing.InvoiceCredit(w.ctx, 2, nil, "Goodwill"); return err },
			"void":   func() error { _, err := w.Invoicing.InvoiceVoid(w.ctx, 4, "Wrong", false); return err },
			"tax":    func() error { _, err := w.Invoicing.InvoiceWriteOff(w.ctx, 2, "Gone", true, true); return err },
			"the file": func() error {
				i, _ := store.Invoices.Get(w.ctx, w.store.Queries(), 2)
				_, err := w.Invoicing.File(w.ctx, i.UUID, invoicing.PDF)
				return err
			},
		} {
			if problems, known := billing.AsProblems(do()); !known || problems[0].Code != billing.NotAllowed {
				t.Errorf("%s of an imported invoice: %v", what, problems)
			}
		}
	})
}

// TestInvalidHistory breaks an invoice in one place each.
func TestInvalidHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"))
	w.mustImport(seller+history, transfer.Options{})
	for _, c := range []struct{ members, want string }{
		{`"account":"nobody"`, `There is no account "nobody"`},
		{`"entity":"none"`, `There is no entity "none"`},
		{`"currencyId":"XYZ"`, `There is no currency "XYZ"`},
		{`"currencyId":null`, "currencyId must not be null"},
		{`"amount":"1.5"`, "has 2 digits after the point"},
		{`"currencyId":"JPY","amount":"1.00"`, "has 0 digits after the point"},
		{`"amount":12`, "amount must be a text in quotes, not 12"},
		{`"amount":null`, "Give amount"},
		{`"amount":"-1.00"`, "is not negative"},
		{`"issuedAt":null`, "Give issuedAt"},
		{`"issuedAt":"2026-01-16"`, "was issued by today"},
		{`"dueAt":"2025-12-31"`, "before it was issued (2026-01-01)"},
		{`"amountPaid":"10.01"`, "More was paid, 10.01, than the invoice asks for, 10.00"},
		{`"amountDue":"10.01"`, "More is due, 10.01"},
		{`"amountPaid":"4.00","amountDue":"4.00"`, "Give one of the two"},
		{`"taxAmount":"11.00"`, "The tax, 11.00, is more than the amount"},
		{`"state":"PAID","amountDue":"1.00"`, "is not PAID: 1.00 of 10.00 are due"},
		{`"state":"DUE","amountDue":"0.00"`, "its state is PAID"},
		{`"state":"DRAFT"`, `There is no state "DRAFT"`},
		{`"state":"VOIDED","amountPaid":"4.00"`, "4.00 of it were paid"},
		{`"number":"R-1"`, "was imported with another"},
		{`"number":""`, "Give number"},
		{`"number":"INV-2026-000001"`, "will give the number INV-2026-000001 to an invoice of its own"},
		{`"items":[]`, `There is no field "items"`},
	} {
		line := map[bool]string{true: "", false: `"number":"N-1",`}[strings.Contains(c.members, `"number"`)]
		for name, value := range map[string]string{"account": `"acme"`, "currencyId": `"EUR"`, "issuedAt": `"2026-01-01"`, "amount": `"10.00"`} {
			if !strings.Contains(c.members, `"`+name+`"`) {
				line += fmt.Sprintf("%q:%s,", name, value)
			}
		}
		_, err := w.imports(`{"type":"invoice",`+line+c.members+"}", transfer.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.members, err, c.want)
		}
	}
	for number, next := range map[string]string{"INV-2026-000041": `,"invoiceNextNumber":42`, "INV-2025-000041": ""} { // which it will not come to
		w.mustImport(`{"type":"entity","code":"de"`+next+`}`+"\n"+`{"type":"invoice","number":"`+number+`","account":"acme","currencyId":"EUR","issuedAt":"2025-12-01","amount":"1.00"}`, transfer.Options{})
	}
	twice := `{"type":"invoice","number":"N-1","account":"acme","currencyId":"EUR","issuedAt":"2026-01-01","amount":"1.00"}` + "\n"
	if _, err := w.imports(twice+twice, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "The invoice N-1 is on line 1 already") {
		t.Errorf("a number twice: %v", err)
	}
	if _, err := w.imports(strings.Replace(history, `"account":"acme"`, `"account":"other"`, 1)+`{"type":"account","code":"other","name":"Other"}`, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "for another account") {
		t.Errorf("a number of another account: %v", err)
	}
	alone := newWorld(t, storetest.New(t, "sqlite"))
	if _, err := alone.imports(`{"type":"account","code":"acme","name":"Acme"}`+"\n"+twice, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "There is no entity that could have issued") {
		t.Errorf("without an entity: %v", err)
	}
}
