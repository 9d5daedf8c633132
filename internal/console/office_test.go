package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

// office are documents of the demo's customers, once it issues invoices.
type office struct {
	// paid is an invoice with a payment and a credit note, and open one without;
	// draft and other were made by hand.
	paid, open, draft, other billing.InvoiceID
	// note was applied, and nothing of spare.
	note, spare billing.CreditNoteID
	payment     billing.PaymentID
	// collection waits for an answer, none if unanswered was not called.
	collection billing.PaymentCollectionID
	// number is that of paid, and item the first item of open: the server bills
	// others at the same time.
	number string
	item   billing.InvoiceItemID
}

// bill makes the demo issue invoices from 1 January 2026 on.
func (s *site) bill() {
	s.t.Helper()
	day := billing.Date{Year: 2026, Month: 1, Day: 1}
	// The accounts first: the server bills as soon as there is an entity.
	for _, a := range s.accounts {
		must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, a.ID, func(a *billing.Account) error { a.BillingCountry = ptr("DE"); return nil }, nil))
	}
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error {
		*e = billing.NewEntity()
		e.Code, e.Name, e.Country, e.InvoicingStartsOn = "main", "Harbour GmbH", "DE", &day
		return nil
	}))
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
	must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, s.accounts[2].ID, func(a *billing.Account) error { a.AutoApplyCredits = false; return nil }, nil))
	settled := done(s.service.Invoicing.InvoiceCreate(s.ctx, s.accounts[2].ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: "100.00"}}})).Invoices[0]
	done(s.service.Invoicing.PaymentCreate(s.ctx, invoicing.PaymentAttributes{AccountID: s.accounts[2].ID, Amount: "119.00", CurrencyID: "EUR", InvoiceIDs: []billing.InvoiceID{settled}}))
	o.spare = done(s.service.Invoicing.InvoiceCredit(s.ctx, settled, nil, "Nobody came")).CreditNotes[0]
	done(s.service.Invoicing.InvoiceCreate(s.ctx, s.accounts[2].ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: "10.00"}}}))
	draft := func() billing.InvoiceID {
		return done(s.service.Invoicing.InvoiceCreate(s.ctx, s.accounts[0].ID, invoicing.InvoiceAttributes{
			CurrencyID: "EUR", Draft: true, Notes: "As agreed by phone.", Items: []invoicing.ItemAttributes{{LineText: "Training", Quantity: "2", Price: "450.00"}},
		})).Invoices[0]
	}
	o.draft, o.other = draft(), draft()
	o.number = must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), o.paid)).Number
	o.item = must[[]document.Item](s)(store.ItemsOf(s.ctx, s.service.Read(), []billing.InvoiceID{o.open}))[0].ID
	s.office = o
}

// billingPages are the pages of the documents, none if there are none.
func (s *site) billingPages() []string {
	o := s.office
	if o == nil {
		return nil
	}
	pages := []string{"/invoices", "/invoices?state=open", "/subscriptions/1/billing", "/credit-notes", "/payments", "/overdue", "/collections", "/emails", "/messages", "/messages/reminder?locale=de", fmt.Sprintf("/credit-notes/%d", o.note), fmt.Sprintf("/payments/%d", o.payment)}
	for _, id := range []billing.InvoiceID{o.paid, o.open, o.draft} {
		pages = append(pages, fmt.Sprintf("/invoices/%d", id))
	}
	if o.collection != 0 {
		pages = append(pages, fmt.Sprintf("/collections/%d", o.collection), fmt.Sprintf("/collections/%d/settle", o.collection))
	}
	for _, name := range []string{"pay", "credit", "void", "write-off"} {
		pages = append(pages, fmt.Sprintf("/invoices/%d/%s", o.open, name))
	}
	return append(pages, fmt.Sprintf("/invoices/%d/issue", o.draft), fmt.Sprintf("/invoices/%d/edit", o.draft), fmt.Sprintf("/invoices/%d/delete", o.draft),
		"/accounts/1/billing", "/accounts/1/pay", "/accounts/1/invoice", "/accounts/1/new-invoice", "/accounts/1/new-invoice?count=3", "/accounts/1/new-item",
		fmt.Sprintf("/payments/%d/unapply", o.payment), fmt.Sprintf("/credit-notes/%d/apply", o.spare), "/invoices?state=overdue", "/invoices/verify")
}

func TestInvoicePages(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Viewer)
	for _, path := range []string{"/invoices", "/credit-notes", "/payments", "/overdue"} {
		v.wants(v.get(path), 200)
	}
	s.fill()
	s.bill()
	v.wants(v.get("/invoices"), 200, "Acme Inc", s.office.number)
	v.wants(v.get("/invoices?q=number:"+s.office.number+"+account:c-1"), 200, s.office.number)
	v.wants(v.get("/invoices?q=amount:>999999"), 200, "Nothing matches")
	v.wants(v.get("/invoices?q=state:overdue"), 200, "Nothing matches")
	v.wants(v.get("/invoices?q=state:late"), 422, "write one of draft, open, not_due, due, overdue, paid, written_off, unpaid, voided")
	if list := v.wants(v.get("/invoices?state=open"), 200, "state:overdue"); strings.Contains(list.text(), "not due") {
		t.Error("an amount due is said not to be due")
	}
	v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.open)), 200, `<span class="badge info">open</span>`)
	for _, by := range []string{"", "invoice:"} {
		v.wants(v.get("/payments?q="+by+s.office.number), 200, "tx-42")
	}
	v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.paid)), 200, "Seats", "verified: it was computed again just now", "Why this amount?", "This item", "EUR 10.00 credited", "Payment tx-42", "Two bad days")
	v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.draft)), 200, "This is a draft", "Training", "EUR 900.00", "Draft for Acme Inc", "Amount due —", fmt.Sprintf("<code>%d</code>", s.office.draft))
	v.wants(v.get("/invoices?state=draft"), 200, "Draft Acme Inc", "EUR 1,071.00 —")
	e := s.as(billing.Editor)
	e.wants(e.get(fmt.Sprintf("/invoices/%d/issue", s.office.draft)), 200, "Issue: Draft for Acme Inc")
	for _, path := range []string{"/invoices", "/accounts/1", fmt.Sprintf("/invoices/%d", s.office.draft), fmt.Sprintf("/invoices/%d/issue", s.office.draft)} {
		if name := fmt.Sprintf("Draft %d", s.office.draft); strings.Contains(e.get(path).text(), name) {
			t.Errorf("%s calls an invoice %s, which reads as its number", path, name)
		}
	}
	v.wants(v.get(fmt.Sprintf("/credit-notes/%d", s.office.note)), 200, "credited by hand", "Two bad days", "verified", s.office.number)
	v.wants(v.get(fmt.Sprintf("/payments/%d", s.office.payment)), 200, "tx-42", "EUR 100.00", s.office.number)
	for _, path := range []string{fmt.Sprintf("/invoices/%d", s.office.paid), fmt.Sprintf("/credit-notes/%d", s.office.note)} {
		if a := v.get(path + "/pdf"); a.status != 200 || !strings.HasPrefix(a.body, "%PDF-") {
			t.Errorf("%s/pdf answers %d", path, a.status)
		}
		if a := v.get(path + "/html"); a.status != 200 || !strings.Contains(a.body, "Harbour GmbH") {
			t.Errorf("%s/html answers %d", path, a.status)
		}
	}
	v.wants(v.get("/invoices/999"), 404, "There is no such invoice")
	if a := v.get(fmt.Sprintf("/invoices/%d", s.office.paid)); wrongInHTML.MatchString(a.body) {
		t.Error(wrongInHTML.FindString(a.body))
	}
}

// does fills in a form, confirms what its page says, and wants to be told what was
// done.
func (v *visitor) does(path string, says string, typed ...string) answer {
	v.t.Helper()
	page := v.wants(v.get(path), 200)
	if len(typed) > 0 || strings.Contains(page.body, ">Continue<") {
		page = v.wants(v.submit(page, typed...), 200, "Nothing is done yet")
	}
	return v.wants(v.submit(page), 200, says)
}

// TestInvoiceActions does everything that can be done with an invoice.
func TestInvoiceActions(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	open := fmt.Sprintf("/invoices/%d", s.office.open)
	does := v.does
	v.wants(v.submit(v.get(open+"/credit")), 422, "reason")
	v.wants(v.submit(v.get(open+"/credit"), "reason", "Sorry", fmt.Sprintf("item:%d", s.office.item), "lots"), 422, "is not an amount in EUR")
	does(open+"/credit", "EUR 5.00 credited", "reason", "Sorry", fmt.Sprintf("item:%d", s.office.item), "5.00")
	does(open+"/pay", "Recorded a payment", "amount", "1.00", "currencyId", "EUR", "reference", "tx-43")
	v.wants(v.get(open+"/void"), 409, "That cannot be done now")
	does(open+"/write-off", "written off", "reason", "Gone")
	for _, word := range []string{"written_off", "unpaid"} {
		v.wants(v.get("/invoices?q=state:"+word), 200, open+`"`)
	}
	v.wants(v.get(open+"/pay"), 409)
	draft := fmt.Sprintf("/invoices/%d", s.office.draft)
	does(draft+"/edit", "Saved the draft", "notes", "Bring a laptop", "poNumber", "PO-9")
	v.wants(v.get(draft), 200, "Bring a laptop", "PO-9")
	does(draft+"/issue", "Issued the invoice")
	v.wants(v.get(draft), 200, "Bring a laptop", "PO-9")
	v.wants(v.get(draft+"/edit"), 409, "That cannot be done now")
	does(draft+"/void", "voided", "reason", "Wrong", "rebill", "no")
	v.wants(v.get("/accounts/1"), 200, "Invoices", s.office.number)
	does("/accounts/1/pay", "Recorded a payment", "amount", "2000.00", "currencyId", "EUR")
	does("/accounts/1/invoice", "Nothing is owed that was not billed before")
	v.wants(v.get("/accounts/1/billing"), 200, "Next invoice", "Statement", "Accrued", "On 1 Feb 2026 if nobody acts")
	v.wants(v.get("/accounts/3/billing"), 200, "Invoice INV-2026-000003 EUR 119.00 EUR 119.00", "−EUR 119.00 EUR 0.00", "−EUR 119.00 −EUR 119.00", "EUR 11.90 −EUR 107.10")
	s.clock.Advance(15 * 24 * time.Hour)
	v.signIn("editor@example.com")
	v.wants(v.get("/invoices?q=state:due"), 200, "overdue")
	v.wants(v.get("/invoices?state=overdue"), 200, "overdue", "Bäckerei Süß")
	v.wants(v.get("/invoices?q=state:late"), 422, "state")
	viewer := s.as(billing.Viewer)
	viewer.wants(viewer.get("/accounts/1/pay"), 403)
	if a := viewer.get(draft); len(a.body) == 0 || a.status != 200 {
		t.Error(a.status)
	}
}

// TestApplyingByHand applies payments and credit notes to invoices and takes them
// back.
func TestApplyingByHand(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	payment, note := fmt.Sprintf("/payments/%d", s.office.payment), fmt.Sprintf("/credit-notes/%d", s.office.spare)
	v.wants(v.get(payment+"/apply"), 409, "That cannot be done now")
	v.wants(v.submit(v.get(payment+"/unapply")), 422, "Choose at least one invoice.")
	v.wants(v.submit(v.get(payment+"/unapply"), "invoiceIds", "999"), 422, "999")
	v.wants(v.submit(v.get(payment+"/unapply"), "invoiceIds", fmt.Sprint(s.office.paid)), 200, "is taken back", s.office.number)
	v.does(payment+"/unapply", "it waits as credit", "invoiceIds", fmt.Sprint(s.office.paid))
	v.does(payment+"/apply", "Applied Payment tx-42.", "invoiceIds", fmt.Sprint(s.office.paid))
	v.wants(v.get(payment), 200, s.office.number, "applied")
	v.wants(v.get(note), 200, "Apply to invoices", "Nothing yet: it waits as credit.")
	v.wants(v.does(note+"/apply", "partially applied"), 200, "EUR 11.90", "EUR 107.10")
}

// TestInvoicesByHand makes invoices of several items, and items that wait.
func TestInvoicesByHand(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	const form = "/accounts/1/new-invoice"
	v.wants(v.submit(v.get(form), "currencyId", "EUR"), 422, "at least one item")
	three := v.wants(v.submit(v.get(form), "currencyId", "EUR", "count", "3", "items.0.lineText", "Training"), 200, "Item 3", `value="Training"`)
	wrong := v.wants(v.submit(three, "currencyId", "EUR", "count", "3", "items.0.lineText", "Training", "items.0.price", "450.00", "items.0.quantity", "2", "items.2.lineText", "Travel"), 422, "Give either the price of one or the amount of all.")
	if !strings.Contains(wrong.body, `id="e-items.2.amount"`) {
		t.Error("the problem is not beside the third item")
	}
	page := v.wants(v.submit(three, "currencyId", "EUR", "count", "3", "issue", "issue", "items.0.lineText", "Training", "items.0.price", "450.00", "items.0.quantity", "2",
		"items.2.lineText", "Travel", "items.2.amount", "99.50", "notes", "As agreed"), 200, "Its items come to EUR 999.50 before tax.", "it gets a number")
	v.wants(v.submit(page), 200, "Made an invoice for Acme Inc.", "verified", "EUR 999.50", "EUR 1,189.41", "As agreed")
	v.does(form, "This is a draft", "currencyId", "EUR", "count", "1", "issue", "draft", "items.0.lineText", "Workshop", "items.0.amount", "10.00")

	v.wants(v.submit(v.get("/accounts/1/new-item"), "currencyId", "EUR", "lineText", "Help"), 422, "Give either")
	v.does("/accounts/1/new-item", "Added an item", "currencyId", "EUR", "lineText", "Help on site", "amount", "80.00", "on", "2026-01-15", "subscriptionId", "1")
	v.wants(v.get("/accounts/1/billing"), 200, "Items that wait", "Help on site", "EUR 80.00")
	v.wants(v.get("/accounts/1/items/1"), 200, "It waits for the next invoice.", "Subscription 1")
	v.does("/accounts/1/items/1/edit", "Saved the item", "currencyId", "EUR", "lineText", "Help by phone", "amount", "40.00", "on", "2026-01-15")
	v.wants(v.get("/accounts/1/invoice"), 200, "EUR 40.00 before tax.", "Help by phone")
	v.does("/accounts/1/items/1/delete", "Deleted the item")
	v.wants(v.get("/accounts/1/items/1"), 404)
	v.wants(v.get("/accounts/1/invoice"), 200, "Nothing is owed that was not billed before.")
	viewer := s.as(billing.Viewer)
	viewer.wants(viewer.get(form), 403)
}

// TestAChangedDocumentIsNotVerified changes an issued invoice in the database, past
// the triggers that forbid it.
func TestAChangedDocumentIsNotVerified(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Viewer)
	open := fmt.Sprintf("/invoices/%d", s.office.open)
	if a := v.wants(v.get(open), 200, "verified: it was computed again just now"); strings.Contains(a.text(), "NOT VERIFIED") {
		t.Error(a.text())
	}
	v.wants(v.get("/invoices/verify"), 200, "None: everything is as it was issued.", "Every number, hash, total, tax and item was computed again just now")
	s.change(fmt.Sprintf(`DROP TRIGGER invoice_item_fixed; UPDATE invoice_item SET line_text = 'Chairs' WHERE invoice_id = %d`, s.office.open))
	v.wants(v.get(open), 200, "NOT VERIFIED", "not verified", "was changed since it was issued")
	v.wants(v.get("/invoices/verify"), 200, "not verified", "Compare them with copies")
	v.wants(v.get(fmt.Sprintf("/invoices/%d", s.office.paid)), 200, "verified: it was computed again just now")
	s.change(fmt.Sprintf(`DROP TRIGGER credit_note_fixed; UPDATE credit_note SET reason = 'No reason' WHERE id = %d`, s.office.note))
	v.wants(v.get(fmt.Sprintf("/credit-notes/%d", s.office.note)), 200, "NOT VERIFIED")
}

// TestChangesInvoicedAtOnce asks for an invoice with changes of a subscription.
func TestChangesInvoicedAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	more := v.submit(v.get("/subscriptions/1/quantities"), "quantity:seats", "50", "when", "now", "invoiceImmediately", "on")
	v.wants(more, 200, "+EUR 190.00 from today, EUR 124.00 now with tax.", "Billed today", "EUR 104.20", "Invoice at once")
	v.wants(v.submit(more), 200, "Acme Inc now has 50 seats.", "Issued: Invoice INV-2026-", "EUR 124.00")
	over := v.submit(v.get("/subscriptions/1/cancel"), "when", "now", "invoiceImmediately", "on")
	v.wants(v.submit(over), 200, "ended today", "Issued: Credit note CN-2026-")
	v.wants(v.submit(v.submit(v.get("/subscriptions/1/reinstate"), "invoiceImmediately", "on")), 200, "is active again", "Issued: Invoice INV-2026-")
	fresh := v.submit(v.get("/subscriptions/new?priceListId=1"), "accountId", "c-2", "quantity:seats", "10", "evergreen", "on", "invoiceImmediately", "on")
	v.wants(v.submit(fresh), 200, "now has a subscription", "Issued: Invoice INV-2026-")
}
