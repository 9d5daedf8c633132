package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testItemsOfSubscription(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var mine, other billing.SubscriptionID = 7, 8
	var want []document.Item
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		item := func(id *billing.SubscriptionID) document.Item {
			return document.Item{Kind: document.RecurringItem, SubscriptionID: id, Quantity: "1", TaxCode: "standard"}
		}
		first := m.invoice(account, func(i *document.Invoice) { i.Items = []document.Item{item(&mine), item(&other), item(nil)} })
		m.invoice(account, draft, func(i *document.Invoice) { i.Items = []document.Item{item(&mine)} })
		second := m.invoice(account, func(i *document.Invoice) { i.Items = []document.Item{item(&mine)} })
		want = []document.Item{first.Items[0], second.Items[0]}
	})
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
		want[a.ID] = store.AccountBilling{AccountID: a.ID, BillOn: ptr(date("2026-01-20"))}
	}
	have := got[map[billing.AccountID]store.AccountBilling](t)(store.BillingOf(t.Context(), s.Queries(), []billing.AccountID{idle.ID, waits.ID, pending.ID}))
	same(t, "what is collected", have, want)
}

func testDeleteDocuments(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var test, real *billing.Account
	var clock billing.TestClockID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		clock = m.clock().ID
		test, real = m.account("A"), m.account("B")
		for _, a := range []*billing.Account{test, real} {
			var on *billing.TestClockID
			if a == test {
				on = &clock
			}
			i := m.invoice(a.ID, func(i *document.Invoice) {
				i.TestClockID, i.Items = on, []document.Item{{Kind: document.ManualItem, Quantity: "1", TaxCode: "standard"}}
			})
			note := m.creditNote(a.ID, func(c *document.CreditNote) { c.TestClockID, c.Items = on, []document.CreditItem{{InvoiceID: i.ID}} })
			must(store.Applications.Insert(ctx, tx, &document.Application{InvoiceID: i.ID, CreditNoteID: &note.ID, Amount: 1, AppliedOn: date("2026-01-02")}))
			m.payment(a.ID, func(p *document.Payment) { p.TestClockID = on })
			must(store.InsertDocumentFile(ctx, tx, &store.DocumentFile{UUID: i.UUID, MediaType: "text/plain", Content: []byte("x")}))
		}
		_, err := store.LockSeries(ctx, tx, store.SeriesRef{EntityID: m.entity().ID, Kind: store.InvoiceSeries, TestClockID: clock})
		must(err)
	})
	count := func(a *billing.Account) int { return got[int](t)(store.DocumentsOfAccount(t.Context(), s.Queries(), a.ID)) }
	same(t, "documents", []int{count(test), count(real)}, []int{3, 3})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeleteDocumentsOf(ctx, tx, test.ID))
		must(store.DeleteSeriesOnClock(ctx, tx, clock))
	})
	if err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { must(store.DeleteDocumentsOf(ctx, tx, real.ID)) }); err == nil {
		t.Error("documents that are no tests were deleted")
	}
	same(t, "documents that are left", []int{count(test), count(real)}, []int{0, 3})
	same(t, "series that are left", len(got[[]store.Series](t)(store.AllSeries(t.Context(), s.Queries(), 0))), 0)
}
