package console_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

// office are documents of the demo's customers, once it issues invoices.
type office struct {
	// paid is an invoice with a payment and a credit note, and open one without;
	// draft was made by hand.
	paid, open, draft billing.InvoiceID
	note              billing.CreditNoteID
	payment           billing.PaymentID
}

// bill makes the demo issue invoices from 1 January 2026 on.
func (s *site) bill() {
	s.t.Helper()
	day := billing.Date{Year: 2026, Month: 1, Day: 1}
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error {
		*e = billing.NewEntity()
		e.Code, e.Name, e.Country, e.InvoicingStartsOn = "main", "Harbour GmbH", "DE", &day
		return nil
	}))
	for _, a := range s.accounts {
		must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, a.ID, func(a *billing.Account) error { a.BillingCountry = ptr("DE"); return nil }, nil))
	}
	done := must[*invoicing.Outcome](s)
	newest := func(id billing.AccountID) billing.InvoiceID {
		done(s.service.Invoicing.AccountInvoice(s.ctx, id, nil))
		rows := must[[]document.Invoice](s)(store.Invoices.List(s.ctx, s.service.Read(), store.Page{Limit: 1, Backwards: true, Filter: billing.Filter{
			Terms: []billing.Term{{Field: "account", Op: billing.ByID, Value: fmt.Sprint(id)}}}}))
		if len(rows) == 0 {
			s.t.Fatalf("account %d has no invoice", id)
		}
		return rows[0].ID
	}
	o := &office{paid: newest(s.accounts[0].ID), open: newest(s.accounts[1].ID)}
	o.payment = done(s.service.Invoicing.PaymentCreate(s.ctx, invoicing.PaymentAttributes{AccountID: s.accounts[0].ID, Amount: "100.00", CurrencyID: "EUR", Reference: "tx-42"})).PaymentID
	item := must[[]document.Item](s)(store.ItemsOf(s.ctx, s.service.Read(), []billing.InvoiceID{o.paid}))[0]
	o.note = done(s.service.Invoicing.InvoiceCredit(s.ctx, o.paid, []invoicing.CreditPart{{InvoiceItemID: item.ID, Amount: "10.00"}}, "Two bad days")).CreditNotes[0]
	drafts := done(s.service.Invoicing.InvoiceCreate(s.ctx, s.accounts[0].ID, invoicing.InvoiceAttributes{
		CurrencyID: "EUR", Draft: true, Notes: "As agreed by phone.", Items: []invoicing.ItemAttributes{{LineText: "Training", Quantity: "2", Price: "450.00"}},
	})).Invoices
	if len(drafts) > 0 {
		o.draft = drafts[0]
	}
	s.office = o
}

// billingPages are the pages of the documents, none if there are none.
func (s *site) billingPages() []string {
	o := s.office
	if o == nil {
		return nil
	}
	pages := []string{"/invoices", "/invoices?state=open", "/credit-notes", "/payments", fmt.Sprintf("/credit-notes/%d", o.note), fmt.Sprintf("/payments/%d", o.payment)}
	for _, id := range []billing.InvoiceID{o.paid, o.open, o.draft} {
		if id == 0 {
			continue
		}
		pages = append(pages, fmt.Sprintf("/invoices/%d", id))
	}
	return pages
}

func TestInvoicePages(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Viewer)
	for _, path := range []string{"/invoices", "/credit-notes", "/payments"} {
		v.wants(v.get(path), 200)
	}
	s.fill()
	s.bill()
	v.wants(v.get("/invoices"), 200, "Acme Inc", "INV-2026-000001")
	v.wants(v.get("/invoices?q=number:INV-2026-000001+account:c-1"), 200, "INV-2026-000001")
	v.wants(v.get("/invoices?q=amount:>999999"), 200, "Nothing matches")
	v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.paid)), 200, "Seats", "verified: it was computed again just now", "Why this amount?", "This item", "EUR 10.00 credited", "Payment tx-42", "Two bad days")
	if s.office.draft != 0 {
		v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.draft)), 200, "This is a draft", "Training", "EUR 900.00")
	}
	v.wants(v.get(fmt.Sprintf("/credit-notes/%d", s.office.note)), 200, "credited by hand", "Two bad days", "verified", "INV-2026-000001")
	v.wants(v.get(fmt.Sprintf("/payments/%d", s.office.payment)), 200, "tx-42", "EUR 100.00", "INV-2026-000001")
	v.wants(v.get("/invoices/999"), 404, "There is no such invoice")
	if a := v.get(fmt.Sprintf("/invoices/%d", s.office.paid)); wrongInHTML.MatchString(a.body) {
		t.Error(wrongInHTML.FindString(a.body))
	}
}
