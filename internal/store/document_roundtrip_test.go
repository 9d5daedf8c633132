package store_test

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
)

var (
	euro  = money.Currency{Code: "EUR", Digits: 2}
	yen   = money.Currency{Code: "JPY"}
	dinar = money.Currency{Code: "KWD", Digits: 3}
)

var (
	currencyColumns = []string{"currency_id", "scale"}
	linkColumns     = []string{"series_id", "place", "previous_hash", "hash"}
	taxColumns      = []string{"tax_category", "tax_rate", "tax_reason"}
)

// documentRoundTrips are the round trips of documents. Invoices and their items
// take it as drafts, the only ones that change.
var documentRoundTrips = []conformance{
	{"rows of Invoices", "Invoices" + rowMethods, sample[document.Invoice, billing.InvoiceID]{table: store.Invoices,
		spread: map[string][]string{"Currency": currencyColumns, "Link": linkColumns},
		refer: func(m maker, row *document.Invoice, full bool) {
			row.Number, row.Items, row.Currency, row.Voided, row.WrittenOff = "", nil, euro, false, false
			m.account("Another") // so that the two ids differ
			row.EntityID, row.AccountID = m.entity().ID, m.account("A").ID
			if !full {
				row.Seller, row.Buyer = json.RawMessage("{}"), json.RawMessage("{}") // some there must be
			}
		},
	}.roundTrip},
	{"rows of InvoiceItems", "InvoiceItems" + rowMethods, sample[document.Item, billing.InvoiceItemID]{table: store.InvoiceItems, unstamped: true,
		spread: map[string][]string{"Tax": taxColumns},
		refer:  func(m maker, row *document.Item, _ bool) { row.InvoiceID = m.invoice(m.account("A").ID, draft).ID },
	}.roundTrip},
	{"rows of CreditNotes", "CreditNotes" + rowMethods, sample[document.CreditNote, billing.CreditNoteID]{table: store.CreditNotes, fixed: true,
		spread: map[string][]string{"Currency": currencyColumns, "Link": linkColumns},
		refer: func(m maker, row *document.CreditNote, full bool) {
			row.Items, row.Currency = nil, dinar
			m.account("Another") // so that the two ids differ
			row.EntityID, row.AccountID = m.entity().ID, m.account("A").ID
			if !full {
				row.Seller, row.Buyer, row.IssuedAt = json.RawMessage("{}"), json.RawMessage("{}"), date("2026-01-01") // some there must be
			}
		},
	}.roundTrip},
	{"rows of CreditNoteItems", "CreditNoteItems" + rowMethods, sample[document.CreditItem, billing.CreditNoteItemID]{table: store.CreditNoteItems, fixed: true, unstamped: true,
		spread: map[string][]string{"Tax": taxColumns, "ItemID": {"invoice_item_id"}},
		refer: func(m maker, row *document.CreditItem, _ bool) {
			account := m.account("A").ID
			row.InvoiceID = m.invoice(account).ID
			note := *m.creditNote(account)
			note.ID, note.UUID, note.Number, note.TestClockID = 0, unique(), unique(), &m.clock().ID
			row.Position, note.Items = 7, make([]document.CreditItem, 7)
			must(store.CreditNotes.Insert(m.ctx, m.tx, &note))
			row.CreditNoteID = note.ID
		},
	}.roundTrip},
	{"rows of PaymentMethods", "PaymentMethods" + rowMethods, sample[collect.Method, billing.PaymentMethodID]{table: store.PaymentMethods,
		refer: func(m maker, row *collect.Method, _ bool) { row.AccountID = m.account("A").ID },
	}.roundTrip},
	{"rows of Collections", "Collections" + rowMethods, sample[collect.Collection, billing.PaymentCollectionID]{table: store.Collections,
		spread: map[string][]string{"Currency": currencyColumns},
		refer: func(m maker, row *collect.Collection, full bool) {
			m.account("Another") // so that the ids differ
			account := m.account("A").ID
			row.EntityID, row.AccountID, row.PaymentMethodID, row.Currency, row.PaymentID = m.entity().ID, account, m.method(account).ID, yen, nil
			if full {
				row.PaymentID = &m.payment(account).ID
			}
		},
	}.roundTrip},
	{"rows of Refunds", "Refunds" + rowMethods, sample[collect.Refund, billing.PaymentRefundID]{table: store.Refunds,
		spread: map[string][]string{"Currency": currencyColumns},
		refer: func(m maker, row *collect.Refund, full bool) {
			m.account("Another") // so that the ids differ
			account := m.account("A").ID
			m.payment(account)
			row.AccountID, row.PaymentID, row.CreditNoteID, row.Currency = account, m.payment(account).ID, nil, yen
			if full {
				row.CreditNoteID = &m.creditNote(account).ID
			}
		},
	}.roundTrip},
	{"rows of Payments", "Payments" + rowMethods, sample[document.Payment, billing.PaymentID]{table: store.Payments,
		spread: map[string][]string{"Currency": currencyColumns},
		refer: func(m maker, row *document.Payment, full bool) {
			m.account("Another") // so that the two ids differ
			row.EntityID, row.AccountID, row.Currency = m.entity().ID, m.account("A").ID, yen
			if !full {
				row.ReceivedAt = date("2026-01-01") // a day there must be
			}
		},
	}.roundTrip},
	{"rows of Applications", "Applications" + rowMethods, sample[document.Application, billing.ApplicationID]{table: store.Applications,
		refer: func(m maker, row *document.Application, full bool) {
			account := m.account("A").ID
			row.InvoiceID = m.invoice(account).ID
			if full {
				m.payment(account) // so that the ids differ
				row.CreditNoteID, row.PaymentID = &m.creditNote(account).ID, &m.payment(account).ID
			} else {
				row.AppliedOn = date("2026-01-01") // a day there must be
			}
		},
	}.roundTrip},
	{"rows of AccountEntries", "AccountEntries" + rowMethods, sample[document.Entry, billing.AccountEntryID]{table: store.AccountEntries, unstamped: true,
		spread: map[string][]string{"Currency": {"currency_id"}, "Date": {"entry_date"}, "Document": {"document_id"}},
		refer: func(m maker, row *document.Entry, full bool) {
			row.AccountID, row.Currency = m.account("A").ID, euro
			if !full {
				row.Date = date("2026-01-01") // a day there must be
			}
		},
	}.roundTrip},
	{"rows of BillingEvents", "BillingEvents" + rowMethods, sample[document.Event, billing.BillingEventID]{table: store.BillingEvents, unstamped: true,
		refer: func(m maker, row *document.Event, _ bool) { row.AccountID = m.account("A").ID },
	}.roundTrip},
	{"rows of PendingItems", "PendingItems" + rowMethods, sample[document.PendingItem, billing.PendingItemID]{table: store.PendingItems,
		spread: map[string][]string{"Currency": {"currency_id"}},
		refer: func(m maker, row *document.PendingItem, full bool) {
			row.AccountID, row.Currency = m.account("A").ID, euro
			if full {
				row.SubscriptionID = &m.subscription(row.AccountID, m.offer()).ID
			} else {
				row.DueOn = date("2026-01-01") // a day there must be
			}
		},
	}.roundTrip},
}
