package store_test

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// invoice is issued on 1 January 2026 and asks for 10.00 EUR by the 15th, unless
// edit makes it something else.
func (m maker) invoice(account billing.AccountID, edit ...func(*document.Invoice)) *document.Invoice {
	row := &document.Invoice{
		UUID: unique(), Number: unique(), Kind: document.SubscriptionInvoice, AccountID: account, Currency: euro, IssuedAt: date("2026-01-01"), DueAt: date("2026-01-15"),
		Subtotal: 1000, Amount: 1000, Seller: json.RawMessage("{}"), Buyer: json.RawMessage("{}"), Locale: "en",
	}
	for _, e := range edit {
		e(row)
	}
	if row.EntityID == 0 {
		row.EntityID = m.entity().ID
	}
	must(store.Invoices.Insert(m.ctx, m.tx, row))
	for n := range row.Items {
		row.Items[n].InvoiceID, row.Items[n].Position = row.ID, n+1
		must(store.InvoiceItems.Insert(m.ctx, m.tx, &row.Items[n]))
	}
	return row
}

// draft makes an invoice a draft.
func draft(i *document.Invoice) {
	i.Number, i.IssuedAt, i.DueAt = "", billing.Date{}, billing.Date{}
}

// creditNote gives 5.00 EUR back on 2 January 2026, unless edit makes it something
// else.
func (m maker) creditNote(account billing.AccountID, edit ...func(*document.CreditNote)) *document.CreditNote {
	row := &document.CreditNote{
		UUID: unique(), Number: unique(), Kind: document.ManualCredit, AccountID: account, Currency: euro, IssuedAt: date("2026-01-02"),
		Subtotal: 500, Amount: 500, Seller: json.RawMessage("{}"), Buyer: json.RawMessage("{}"), Locale: "en",
	}
	for _, e := range edit {
		e(row)
	}
	if row.EntityID == 0 {
		row.EntityID = m.entity().ID
	}
	must(store.CreditNotes.Insert(m.ctx, m.tx, row))
	for n := range row.Items {
		row.Items[n].CreditNoteID, row.Items[n].Position = row.ID, n+1
		must(store.CreditNoteItems.Insert(m.ctx, m.tx, &row.Items[n]))
	}
	return row
}

// payment is 3.00 EUR of 3 January 2026, unless edit makes it something else.
func (m maker) payment(account billing.AccountID, edit ...func(*document.Payment)) *document.Payment {
	row := &document.Payment{UUID: unique(), AccountID: account, Currency: euro, Amount: 300, ReceivedAt: date("2026-01-03")}
	for _, e := range edit {
		e(row)
	}
	if row.EntityID == 0 {
		row.EntityID = m.entity().ID
	}
	must(store.Payments.Insert(m.ctx, m.tx, row))
	return row
}
