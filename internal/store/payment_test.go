package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testPayments(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b billing.AccountID
	var payments []*document.Payment
	var applications []*document.Application
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A").ID, m.account("B").ID
		payments = []*document.Payment{m.payment(b), m.payment(a), m.payment(a), m.payment(a)}
		m.payment(m.account("C").ID)
		invoice, note := m.invoice(a), m.creditNote(a)
		applications = []*document.Application{
			{InvoiceID: invoice.ID, PaymentID: &payments[1].ID, Amount: 100, AppliedOn: date("2026-01-04")}, {InvoiceID: invoice.ID, PaymentID: &payments[2].ID, Amount: 200, AppliedOn: date("2026-01-04")},
			{InvoiceID: invoice.ID, PaymentID: &payments[1].ID, Amount: 200, AppliedOn: date("2026-01-05")}, {InvoiceID: invoice.ID, CreditNoteID: &note.ID, Amount: 50, AppliedOn: date("2026-01-05")},
		}
		must(store.Applications.InsertAll(ctx, tx, applications))
	})
	waiting := func(accounts ...billing.AccountID) []document.Payment {
		return got[[]document.Payment](t)(store.WaitingPayments(ctx, q, accounts))
	}
	same(t, "WaitingPayments", waiting(b, a), []document.Payment{*payments[1], *payments[2], *payments[3], *payments[0]})
	same(t, "WaitingPayments of nobody", len(waiting()), 0)
	now := db.Clock.Advance(time.Hour)
	payments[1].AmountApplied, payments[2].AmountApplied = 300, 200
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveUsedPayments(ctx, tx, payments[1:3]))
		must(store.SaveUsedPayments(ctx, tx, nil))
	})
	payments[1].UpdatedAt, payments[2].UpdatedAt = now, now
	same(t, "WaitingPayments", waiting(a), []document.Payment{*payments[2], *payments[3]})
	same(t, "one that was used up", got[*document.Payment](t)(store.Payments.Get(ctx, q, payments[1].ID)), payments[1])

	of := func(id billing.PaymentID) []document.Application {
		return got[[]document.Application](t)(store.ApplicationsOfPayment(ctx, q, id))
	}
	same(t, "ApplicationsOfPayment", of(payments[1].ID), []document.Application{*applications[0], *applications[2]})
	same(t, "ApplicationsOfPayment of one that pays for nothing", len(of(payments[3].ID)), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeleteApplications(ctx, tx, []billing.ApplicationID{applications[0].ID, applications[1].ID}))
		must(store.DeleteApplications(ctx, tx, nil))
	})
	same(t, "ApplicationsOfPayment", of(payments[1].ID), []document.Application{*applications[2]})
	same(t, "all", listed(t, s, store.Applications, billing.Filter{}), []document.Application{*applications[2], *applications[3]})
}

func testPendingItems(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b billing.AccountID
	items := make([]*document.PendingItem, 4)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A").ID, m.account("B").ID
		for n := range items {
			items[n] = &document.PendingItem{AccountID: []billing.AccountID{b, a}[n%2], Currency: euro, LineText: "Work", Quantity: "1", Amount: 100, DueOn: date("2026-01-01")}
		}
		must(store.PendingItems.InsertAll(ctx, tx, items))
	})
	of := func(accounts ...billing.AccountID) []document.PendingItem {
		return got[[]document.PendingItem](t)(store.PendingItemsOf(t.Context(), s.Queries(), accounts))
	}
	same(t, "PendingItemsOf", of(a), []document.PendingItem{*items[1], *items[3]})
	same(t, "PendingItemsOf two", of(a, b), []document.PendingItem{*items[0], *items[1], *items[2], *items[3]})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeletePendingItems(ctx, tx, []billing.PendingItemID{items[3].ID, items[0].ID}))
		must(store.DeletePendingItems(ctx, tx, nil))
	})
	same(t, "PendingItemsOf", of(a, b), []document.PendingItem{*items[1], *items[2]})
	same(t, "PendingItemsOf nobody", len(of()), 0)
}

func testBalances(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b, c billing.AccountID
	var first, second billing.EntityID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b, c, first, second = m.account("A").ID, m.account("B").ID, m.account("C").ID, m.entity().ID, m.entity().ID
		entries := []*document.Entry{
			{AccountID: a, EntityID: first, Currency: euro, Amount: 1000}, {AccountID: a, EntityID: first, Currency: euro, Amount: -300}, {AccountID: a, EntityID: first, Currency: yen, Amount: 1 << 50},
			{AccountID: a, EntityID: second, Currency: euro, Amount: 7}, {AccountID: b, EntityID: first, Currency: euro, Amount: -5}, {AccountID: c, EntityID: first, Currency: euro, Amount: 9},
		}
		for _, e := range entries {
			e.Date = date("2026-01-01")
		}
		must(store.AccountEntries.InsertAll(ctx, tx, entries))
		m.creditNote(a, func(n *document.CreditNote) { n.EntityID, n.AmountApplied = first, 380 })
		m.creditNote(a, func(n *document.CreditNote) { n.EntityID, n.AmountApplied = first, 500 })
		m.payment(a, func(p *document.Payment) { p.EntityID, p.AmountApplied = first, 260 })
		m.payment(b, func(p *document.Payment) { p.EntityID, p.Currency = second, yen })
		of := func(entity billing.EntityID, due string) func(*document.Invoice) {
			return func(i *document.Invoice) { i.EntityID, i.DueAt = entity, date(due) }
		}
		m.invoice(a, of(first, "2026-01-31"))
		m.invoice(a, of(first, "2026-02-01")) // due today
		m.invoice(a, of(second, "2026-01-30"), func(i *document.Invoice) { i.AmountPaid = 999 })
		m.invoice(a, of(second, "2026-01-30"), func(i *document.Invoice) { i.Voided = true })
		m.invoice(a, draft)
	})
	of := func(accounts ...billing.AccountID) []store.Balance {
		return got[[]store.Balance](t)(store.Balances(t.Context(), s.Queries(), accounts, date("2026-02-01")))
	}
	same(t, "Balances", of(b, a), []store.Balance{
		{AccountID: a, EntityID: first, Currency: euro, Balance: 700, Credit: 160, Overdue: 1000}, {AccountID: a, EntityID: first, Currency: yen, Balance: 1 << 50},
		{AccountID: a, EntityID: second, Currency: euro, Balance: 7, Overdue: 1},
		{AccountID: b, EntityID: first, Currency: euro, Balance: -5}, {AccountID: b, EntityID: second, Currency: yen, Credit: 300},
	})
	same(t, "Balances of nobody", len(of()), 0)
}
