package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testWaiting(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	accounts := make([]billing.AccountID, 6)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for n := range accounts {
			accounts[n] = m.account("A").ID
		}
		must(store.PendingItems.Insert(ctx, tx, &document.PendingItem{AccountID: accounts[1], Currency: euro, LineText: "Work", Quantity: "1", Amount: 100, DueOn: date("2026-01-01")}))
		m.creditNote(accounts[2])
		m.payment(accounts[3])
		m.invoice(accounts[4], draft)
		note, payment := m.creditNote(accounts[5]), m.payment(accounts[5]) // used up
		note.AmountApplied, payment.AmountApplied = note.Amount, payment.Amount
		must(store.SaveUsedCreditNotes(ctx, tx, []*document.CreditNote{note}))
		must(store.SaveUsedPayments(ctx, tx, []*document.Payment{payment}))
		m.invoice(accounts[5])
	})
	of := func(accounts ...billing.AccountID) store.Waiting {
		return got[store.Waiting](t)(store.WaitingOf(t.Context(), s.Queries(), accounts))
	}
	for n, want := range []store.Waiting{{}, {Items: true}, {CreditNotes: true}, {Payments: true}, {Drafts: true}, {}} {
		same(t, "WaitingOf one", of(accounts[n]), want)
	}
	same(t, "WaitingOf all", of(accounts...), store.Waiting{Items: true, CreditNotes: true, Payments: true, Drafts: true})
	same(t, "WaitingOf nobody", of(), store.Waiting{})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, id := range accounts {
			a, waiting, billed, err := store.LockToBill(ctx, tx, id)
			must(err)
			same(t, "the account", a, got[*billing.Account](t)(store.Accounts.Get(ctx, tx.Queries, id)))
			same(t, "what waits of it", waiting, of(id))
			same(t, "its billing", billed, got[map[billing.AccountID]store.AccountBilling](t)(store.BillingOf(ctx, tx.Queries, []billing.AccountID{id})))
		}
		a, waiting, billed, err := store.LockToBill(ctx, tx, 1<<40)
		must(err)
		if a != nil || waiting != (store.Waiting{}) || len(billed) > 0 {
			t.Errorf("there is something of an account that does not exist: %v, %v, %v", a, waiting, billed)
		}
	})
}
