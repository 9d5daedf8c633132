package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testOverdue has invoices of all ages, and others that are not overdue.
func testOverdue(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q, today := t.Context(), s.Queries(), date("2026-06-01")
	var a, b, c billing.AccountID
	var clock billing.TestClockID
	var oldest []billing.InvoiceID
	var want document.Aging
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b, c, clock = m.account("A").ID, m.account("B").ID, m.account("C").ID, m.clock().ID
		since := func(days int, amount money.Amount) func(*document.Invoice) {
			return func(i *document.Invoice) { i.DueAt, i.Amount = today.AddDays(-days), amount }
		}
		for n, days := range []int{400, 91, 90, 61, 60, 31, 30, 8, 7, 1} {
			amount := money.Amount(1) << n
			i := m.invoice(a, since(days, amount))
			want[document.AgeOn(i.DueAt, today)] += amount
			oldest = append(oldest, i.ID)
		}
		m.invoice(a, since(0, 5)) // due today
		m.invoice(a, since(50, 5), func(i *document.Invoice) { i.AmountPaid = 5 })
		m.invoice(a, since(50, 5), func(i *document.Invoice) { i.Voided = true })
		m.invoice(a, since(50, 5), func(i *document.Invoice) { i.WrittenOff = true })
		m.invoice(a, draft)
		m.invoice(b, since(1, 2000), func(i *document.Invoice) { i.AmountPaid = 500 })
		m.invoice(b, since(40, 7), func(i *document.Invoice) { i.Currency = yen })
		m.invoice(c, since(2, 9), func(i *document.Invoice) { i.TestClockID = &clock })
	})
	ids := func(clock *billing.TestClockID, limit int) (ids []billing.InvoiceID) {
		for _, i := range got[[]document.Invoice](t)(store.OverdueInvoices(ctx, q, clock, today, limit)) {
			ids = append(ids, i.ID)
		}
		return ids
	}
	same(t, "OverdueInvoices, the oldest ones", ids(nil, 5), oldest[:5])
	same(t, "all of OverdueInvoices", len(ids(nil, 100)), 12)
	same(t, "OverdueInvoices on a test clock", len(ids(&clock, 100)), 1)

	byAge := func(clock *billing.TestClockID, today billing.Date, limit int) [2][]store.Overdue {
		accounts, totals, err := store.OverdueByAge(ctx, q, clock, today, limit)
		must(err)
		return [2][]store.Overdue{accounts, totals}
	}
	ofA := store.Overdue{AccountID: a, Currency: euro, Due: want, Accounts: 1}
	ofB := store.Overdue{AccountID: b, Currency: euro, Due: document.Aging{1500}, Accounts: 1}
	inYen := store.Overdue{AccountID: b, Currency: yen, Due: document.Aging{0, 0, 7}, Accounts: 1}
	inAll := store.Overdue{Currency: euro, Due: want, Accounts: 2}
	inAll.Due[0] += 1500
	allYen := inYen
	allYen.AccountID = 0
	same(t, "OverdueByAge", byAge(nil, today, 100), [2][]store.Overdue{{ofB, ofA, inYen}, {inAll, allYen}})
	same(t, "OverdueByAge of the first", byAge(nil, today, 2), [2][]store.Overdue{{ofB, inYen}, {inAll, allYen}})
	same(t, "OverdueByAge before", byAge(nil, date("2025-01-01"), 100), [2][]store.Overdue{})
	same(t, "OverdueByAge on a test clock", byAge(&clock, today, 100), [2][]store.Overdue{
		{{AccountID: c, Currency: euro, Due: document.Aging{9}, Accounts: 1}}, {{Currency: euro, Due: document.Aging{9}, Accounts: 1}},
	})
}
