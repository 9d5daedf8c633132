package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testItemsOfSubscription(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var mine, other billing.SubscriptionID = 7, 8
	var want []document.Item
	var all *document.Invoice
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		item := func(id *billing.SubscriptionID) document.Item {
			return document.Item{Kind: document.RecurringItem, SubscriptionID: id, Quantity: "1", TaxCode: "standard"}
		}
		first := m.invoice(account, func(i *document.Invoice) { i.Items = []document.Item{item(&mine), item(&other), item(nil)} })
		m.invoice(account, draft, func(i *document.Invoice) { i.Items = []document.Item{item(&mine)} })
		second := m.invoice(account, func(i *document.Invoice) { i.Items = []document.Item{item(&mine)} })
		want, all = []document.Item{first.Items[0], second.Items[0]}, first
	})
	after := func(position, limit int) []document.Item {
		return got[[]document.Item](t)(store.ItemsAfter(t.Context(), s.Queries(), all.ID, position, limit))
	}
	same(t, "ItemsAfter", [][]document.Item{after(0, 2), after(2, 2), after(3, 2)}, [][]document.Item{all.Items[:2], all.Items[2:], {}})
	same(t, "ItemsOfSubscription", got[[]document.Item](t)(store.ItemsOfSubscription(t.Context(), s.Queries(), mine)), want)
	same(t, "ItemsOfSubscription of nobody", len(got[[]document.Item](t)(store.ItemsOfSubscription(t.Context(), s.Queries(), 9))), 0)
}

func testCollectWaiting(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var idle, waits, pending *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		idle, waits, pending = m.account("A"), m.account("B"), m.account("C")
		m.subscription(idle.ID, m.offer())
		m.subscription(waits.ID, m.offer(), func(sub *subscription.Subscription) { sub.DirtyFrom = ptr(date("2026-01-05")) })
		must(store.PendingItems.Insert(ctx, tx, &document.PendingItem{AccountID: pending.ID, Currency: euro, LineText: "x", Quantity: "1", TaxCode: "standard", DueOn: date("2026-01-07")}))
	})
	for _, day := range []string{"2026-02-01", "2026-03-01", "2026-01-20"} {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for _, a := range []*billing.Account{idle, waits, pending} {
				must(store.CollectWaiting(ctx, tx, a, date(day)))
			}
		})
	}
	want := map[billing.AccountID]store.AccountBilling{}
	for _, a := range []*billing.Account{waits, pending} {
		want[a.ID] = store.AccountBilling{AccountID: a.ID, BillOn: ptr(date("2026-01-20")), CollectOn: ptr(date("2026-01-20"))}
	}
	have := got[map[billing.AccountID]store.AccountBilling](t)(store.BillingOf(t.Context(), s.Queries(), []billing.AccountID{idle.ID, waits.ID, pending.ID}))
	same(t, "what is collected", have, want)
}

// rowsOfAll counts the rows of the tables of documents.
func rowsOfAll(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for _, table := range []string{
		"invoice", "invoice_item", "credit_note", "credit_note_item", "payment", "application", "account_entry", "ledger_key", "account_billing", "billing_event", "pending_item", "document_file", "number_series",
	} {
		counts[table] = got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT count(*) FROM "+table))[0]
	}
	return counts
}

// testDeleteDocuments deletes what accounts were billed that were only a test.
func testDeleteDocuments(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	count := func(id billing.AccountID) int {
		return got[int](t)(store.DocumentsOfAccount(t.Context(), s.Queries(), id))
	}
	var accounts [2]billing.AccountID
	var clock, other billing.TestClockID
	var before map[string]string
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		accounts[0], accounts[1], clock, other = m.account("Real").ID, m.account("Test").ID, m.clock().ID, m.clock().ID
	})
	same(t, "an account without documents", count(accounts[1]), 0)
	for n, id := range accounts {
		if n == 1 {
			before = rowsOfAll(t, s)
		}
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			on, series := &clock, clock
			if n == 0 {
				on, series = nil, other
			}
			sub := m.subscription(id, m.offer()).ID
			invoice, note := issuedDocuments(m, id, on)
			payment := m.payment(id, func(p *document.Payment) { p.TestClockID = on })
			for _, a := range []*document.Application{{CreditNoteID: &note.ID}, {PaymentID: &payment.ID}} {
				a.InvoiceID, a.AppliedOn = invoice.ID, date("2026-01-04")
				must(store.Applications.Insert(ctx, tx, a))
			}
			must(store.AccountEntries.Insert(ctx, tx, &document.Entry{AccountID: id, EntityID: invoice.EntityID, Currency: euro, Date: date("2026-01-01")}))
			key := store.LedgerKey{SubscriptionID: sub}
			key.Period, key.Currency = ledger.Period{From: date("2026-01-01"), To: date("2026-01-31")}, euro
			must(store.SaveLedger(ctx, tx, []store.LedgerKey{key}))
			must(store.SaveBilling(ctx, tx, []store.AccountBilling{{AccountID: id}}))
			must(store.AppendEvents(ctx, tx, []*document.Event{{AccountID: id, Sequence: 1, At: tx.Now}}))
			must(store.PendingItems.Insert(ctx, tx, &document.PendingItem{AccountID: id, SubscriptionID: &sub, Currency: euro, DueOn: date("2026-01-01")}))
			for _, uuid := range []string{invoice.UUID, note.UUID} {
				must(store.InsertDocumentFile(ctx, tx, &store.DocumentFile{UUID: uuid, MediaType: "text/html", Content: []byte("x")}))
			}
			for _, kind := range []string{store.InvoiceSeries, store.CreditNoteSeries} {
				_, err := store.LockSeries(ctx, tx, store.SeriesRef{EntityID: invoice.EntityID, Kind: kind, TestClockID: series})
				must(err)
			}
		})
	}
	same(t, "the documents of an account", []int{count(accounts[0]), count(accounts[1])}, []int{3, 3})
	all := rowsOfAll(t, s)
	if err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { must(store.DeleteDocumentsOf(ctx, tx, accounts[0])) }); err == nil {
		t.Error("the documents of an account on real time were deleted")
	}
	same(t, "after a refusal", rowsOfAll(t, s), all)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeleteDocumentsOf(ctx, tx, accounts[1]))
		must(store.DeleteSeriesOnClock(ctx, tx, clock))
	})
	same(t, "without those of a test clock", rowsOfAll(t, s), before)
	same(t, "the documents of an account", []int{count(accounts[0]), count(accounts[1])}, []int{3, 0})
}
