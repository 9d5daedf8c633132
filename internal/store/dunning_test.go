package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testDunning(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q, ctx := st.Queries(), t.Context()
	var invoices []*document.Invoice
	var subs []billing.SubscriptionID
	var records []*dunning.Record
	var clock billing.TestClockID
	var paid *document.Invoice
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, offer, entity := m.account("A").ID, m.offer(), m.entity().ID
		clock = m.clock().ID
		for range 2 {
			subs = append(subs, m.subscription(account, offer).ID)
		}
		for n := range 3 {
			i := m.invoice(account, func(i *document.Invoice) {
				i.EntityID, i.DueAt = entity, date("2026-01-20").AddDays(-n)
				i.Items = []document.Item{{SubscriptionID: &subs[0]}, {SubscriptionID: &subs[n%2]}, {}}
				if n == 2 {
					i.TestClockID = &clock
				}
			})
			invoices = append(invoices, i)
			records = append(records, &dunning.Record{InvoiceID: i.ID, AccountID: account, EntityID: entity, TestClockID: i.TestClockID, Next: date("2026-02-05").AddDays(-n), Standing: billing.Good})
		}
		paid = m.invoice(account, func(i *document.Invoice) { i.EntityID, i.AmountPaid = entity, i.Amount })
		must(store.SaveDunning(ctx, tx, records))
	})
	of := func(ids ...billing.InvoiceID) map[billing.InvoiceID]*dunning.Record {
		t.Helper()
		return got[map[billing.InvoiceID]*dunning.Record](t)(store.DunningOf(ctx, q, ids))
	}
	same(t, "what was written", of(invoices[0].ID, invoices[2].ID, paid.ID), map[billing.InvoiceID]*dunning.Record{invoices[0].ID: records[0], invoices[2].ID: records[2]})
	same(t, "none", len(of()), 0)

	entity := invoices[0].EntityID
	toDun := func(day string, limit int) (ids []billing.InvoiceID) {
		t.Helper()
		for _, r := range got[[]dunning.Record](t)(store.ToDun(ctx, q, entity, date(day), limit)) {
			ids = append(ids, r.InvoiceID)
		}
		return ids
	}
	same(t, "too early", len(toDun("2026-02-03", 9)), 0)
	same(t, "one", toDun("2026-02-04", 9), []billing.InvoiceID{invoices[1].ID})
	same(t, "both", toDun("2026-02-05", 9), []billing.InvoiceID{invoices[1].ID, invoices[0].ID})
	same(t, "the first", toDun("2026-02-05", 1), []billing.InvoiceID{invoices[1].ID})
	day, found, err := store.NextToDun(ctx, q, entity)
	must(err)
	same(t, "next", day, date("2026-02-04"))
	same(t, "there is one", found, true)
	if _, found, _ := store.NextToDun(ctx, q, entity+100); found {
		t.Error("another entity has something to look at")
	}
	onClock := got[[]dunning.Record](t)(store.ToDunOnClock(ctx, q, clock, 9))
	same(t, "on the clock", onClock, []dunning.Record{*records[2]})

	records[0].Next, records[0].Standing = billing.Date{}, billing.Suspended
	records[0].State = dunning.State{Begun: true, Done: dunning.Progress{dunning.Suspend: 21}, Restarted: date("2026-01-21"), HoldUntil: date("2026-03-01"), HoldReason: "Asked", Forfeited: true}
	records[1].Standing = billing.PastDue
	steps := []dunning.Carried{
		{InvoiceID: invoices[0].ID, Step: dunning.Step{Day: -3, Action: dunning.Remind, Template: "due-soon"}, On: date("2026-01-17")},
		{InvoiceID: invoices[0].ID, Step: dunning.Step{Day: 21, Action: dunning.Suspend}, On: date("2026-02-10")},
	}
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveDunning(ctx, tx, records[:2]))
		must(store.InsertDunningSteps(ctx, tx, steps))
	})
	same(t, "what changed", of(invoices[0].ID)[invoices[0].ID], records[0])
	kept := got[[]dunning.Carried](t)(store.DunningSteps(ctx, q, []billing.InvoiceID{invoices[0].ID, invoices[1].ID}))
	for n := range kept {
		kept[n].ID = 0
	}
	same(t, "steps", kept, steps)
	same(t, "subscriptions", got[[]billing.SubscriptionID](t)(store.SubscriptionsOfInvoices(ctx, q, []billing.InvoiceID{invoices[0].ID})), subs[:1])
	same(t, "of both", got[[]billing.SubscriptionID](t)(store.SubscriptionsOfInvoices(ctx, q, []billing.InvoiceID{invoices[0].ID, invoices[1].ID})), subs)
	suspended := func(wanted ...billing.InvoiceID) {
		t.Helper()
		same(t, "suspended already", got[[]billing.InvoiceID](t)(store.SuspendedBy(ctx, q, []billing.InvoiceID{invoices[0].ID, invoices[1].ID})), wanted)
	}
	suspended()
	for n, id := range subs { // the first invoice is about the first alone
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			s := got[*subscription.Subscription](t)(store.LockSubscription(ctx, tx, id))
			s.Standing = billing.Suspended
			must(store.Subscriptions.Update(ctx, tx, s))
		})
		suspended([]billing.InvoiceID{invoices[0].ID, invoices[1].ID}[:n+1]...)
	}
	account := []billing.AccountID{invoices[0].AccountID}
	same(t, "effects", got[[]store.Effect](t)(store.EffectsOn(ctx, q, account, subs)), []store.Effect{
		{subs[0], invoices[1].ID, account[0], invoices[1].EntityID, billing.PastDue}, {subs[1], invoices[1].ID, account[0], invoices[1].EntityID, billing.PastDue},
		{subs[0], invoices[0].ID, account[0], invoices[0].EntityID, billing.Suspended},
	})
	same(t, "on one", len(got[[]store.Effect](t)(store.EffectsOn(ctx, q, account, subs[1:]))), 1)

	again := func(account *billing.AccountID, on string) {
		t.Helper()
		write(t, st, func(ctx context.Context, tx *store.Tx) { must(store.DunAgain(ctx, tx, account, date(on))) })
	}
	again(&account[0], "2026-02-01")
	same(t, "looked at again", toDun("2026-02-01", 9), []billing.InvoiceID{invoices[0].ID, invoices[1].ID})
	same(t, "what else is known stays", of(invoices[0].ID)[invoices[0].ID].State, records[0].State)
	other := account[0] + 100
	again(&other, "2026-01-01")
	same(t, "not by another account", len(toDun("2026-01-01", 9)), 0)
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(store.DunOn(ctx, tx, []billing.InvoiceID{invoices[0].ID}, date("2026-01-01")))
	})
	same(t, "put to a day", toDun("2026-01-01", 9), []billing.InvoiceID{invoices[0].ID})
	same(t, "and nothing else of it changed", of(invoices[0].ID)[invoices[0].ID].State, records[0].State)
	again(nil, "2026-01-02")
	same(t, "all accounts", len(toDun("2026-01-02", 9)), 2)
	same(t, "nothing is due of what is paid", len(of(paid.ID)), 0)
}
