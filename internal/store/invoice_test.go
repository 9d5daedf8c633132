package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testInvoices issues many invoices with every field full, and reads them with
// their items.
func testInvoices(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	invoices := make([]*document.Invoice, many)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		entity, account := m.entity().ID, m.account("A").ID
		var items []*document.Item
		for n := range invoices {
			i := &document.Invoice{}
			fill(i, n+1)
			i.ID, i.EntityID, i.AccountID, i.Currency = 0, entity, account, []money.Currency{euro, yen, dinar}[n%3]
			i.Voided, i.WrittenOff = n%4 == 1, n%4 == 2
			i.Number, i.Items = fmt.Sprintf("INV-%d", n), make([]document.Item, n%3)
			for at := range i.Items {
				fill(&i.Items[at], n*10+at+1)
				i.Items[at].ID, i.Items[at].Position = 0, at+1
				items = append(items, &i.Items[at])
			}
			invoices[n] = i
		}
		must(store.Invoices.InsertAll(ctx, tx, invoices))
		for _, i := range invoices {
			for at := range i.Items {
				i.Items[at].InvoiceID = i.ID
			}
		}
		must(store.InvoiceItems.InsertAll(ctx, tx, items))
		must(store.InvoiceItems.InsertAll(ctx, tx, nil))
	})
	var found []document.Invoice
	var items []document.Item
	var ids []billing.InvoiceID
	for n, i := range invoices {
		one := got[*document.Invoice](t)(store.Invoices.Get(ctx, q, i.ID))
		found, ids, items = append(found, *one), append(ids, i.ID), append(items, i.Items...)
		bare := *i
		bare.Items = nil
		same(t, "an invoice", one, &bare)
		same(t, "InvoiceByNumber", got[*document.Invoice](t)(store.InvoiceByNumber(ctx, q, fmt.Sprintf("INV-%d", n))), &bare)
		same(t, "InvoiceByUUID", got[*document.Invoice](t)(store.InvoiceByUUID(ctx, q, i.UUID)), &bare)
		if len(i.Items) == 0 {
			i.Items = nil
		}
	}
	slices.Reverse(ids)
	same(t, "ItemsOf", got[[]document.Item](t)(store.ItemsOf(ctx, q, ids)), items)
	slices.Reverse(found)
	if err := store.WithItems(ctx, q, found); err != nil {
		t.Fatal(err)
	}
	for n := range found {
		same(t, "WithItems", &found[n], invoices[many-1-n])
	}
	for _, number := range []string{"", "inv-3", "INV-999", "INV-3\x00", "\xff"} {
		if none, err := store.InvoiceByNumber(ctx, q, number); none != nil || err != nil {
			t.Errorf("InvoiceByNumber(%q): %v, %v; want nil, nil", number, none, err)
		}
		if none, err := store.InvoiceByUUID(ctx, q, number); none != nil || err != nil {
			t.Errorf("InvoiceByUUID(%q): %v, %v; want nil, nil", number, none, err)
		}
	}
	if err := store.WithItems(ctx, q, nil); err != nil {
		t.Error(err)
	}
	same(t, "ItemsOf none", len(got[[]document.Item](t)(store.ItemsOf(ctx, q, nil))), 0)
}

// testOutcomes credits, pays, voids and writes off invoices.
func testOutcomes(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Account
	var invoices []*document.Invoice
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A"), m.account("B")
		due := func(day string) func(*document.Invoice) {
			return func(i *document.Invoice) {
				i.DueAt, i.Items, i.Credited = date(day), []document.Item{{Priced: 600}, {Priced: 400}}, nil
			}
		}
		invoices = []*document.Invoice{
			m.invoice(b.ID, due("2026-01-01")), m.invoice(a.ID, due("2026-03-01")), m.invoice(a.ID, due("2026-02-01")), m.invoice(a.ID, due("2026-02-01")),
			m.invoice(a.ID, due("2026-01-01"), func(i *document.Invoice) { i.Amount, i.Items = 0, nil }), // nothing is due
			m.invoice(a.ID, draft), m.invoice(m.account("C").ID),
		}
	})
	open := func(accounts ...billing.AccountID) (ids []billing.InvoiceID) {
		for _, i := range got[[]document.Invoice](t)(store.OpenInvoices(ctx, q, accounts)) {
			ids = append(ids, i.ID)
		}
		return ids
	}
	id := func(n int) billing.InvoiceID { return invoices[n].ID }
	same(t, "OpenInvoices", open(b.ID, a.ID, 1<<40), []billing.InvoiceID{id(2), id(3), id(1), id(0)})
	same(t, "OpenInvoices of nobody", len(open()), 0)
	bare := *invoices[0]
	bare.Items = nil
	same(t, "an open invoice", got[[]document.Invoice](t)(store.OpenInvoices(ctx, q, []billing.AccountID{b.ID})), []document.Invoice{bare})

	now := db.Clock.Advance(time.Hour)
	invoices[0].Credits, invoices[0].AmountPaid = 300, 500
	invoices[1].Voided, invoices[2].WrittenOff, invoices[3].AmountPaid = true, true, 1000
	invoices[0].Items[1].Credited, invoices[1].Items[0].Credited = 300, 600
	invoices[0].Items[1].WrittenOff = 40
	invoices[0].Credited = []tax.Credited{{Net: 250, Tax: 50}, {}}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveOutcomes(ctx, tx, invoices[:4]))
		must(store.SaveOutcomes(ctx, tx, nil))
		must(store.SaveCredited(ctx, tx, []*document.Item{&invoices[0].Items[1], &invoices[1].Items[0]}))
		must(store.SaveCredited(ctx, tx, nil))
	})
	for _, i := range invoices[:4] {
		same(t, "the time of the change", i.UpdatedAt, now)
		all := got[[]document.Invoice](t)(store.Invoices.ByIDs(ctx, q, []billing.InvoiceID{i.ID}))
		if err := store.WithItems(ctx, q, all); err != nil {
			t.Fatal(err)
		}
		same(t, "an invoice", &all[0], i)
	}
	same(t, "OpenInvoices", open(a.ID, b.ID), []billing.InvoiceID{id(0)})
	stages := got[[]string](t)(store.Rows(ctx, q, "SELECT stage, amount_due FROM invoice ORDER BY id"))
	same(t, "stages and what is due", stages, []string{"OPEN|200", "VOIDED|1000", "UNPAID|1000", "PAID|0", "PAID|0", "DRAFT|1000", "OPEN|1000"})
}

// testRenewDrafts finds accounts with drafts, and has them looked at.
func testRenewDrafts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	now := db.Clock.Now()
	ids := make([]billing.AccountID, 4) // two drafts, an issued invoice, one draft, none
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		var rows []store.AccountBilling
		for n, code := range []string{"A", "B", "C", "D"} {
			ids[n] = m.account(code).ID
			rows = append(rows, store.AccountBilling{AccountID: ids[n]})
		}
		m.invoice(ids[0], draft)
		m.invoice(ids[0], draft)
		m.invoice(ids[1])
		m.invoice(ids[2], draft)
		rows[2].BillOn = ptr(date("2026-05-05"))
		must(store.SaveBilling(ctx, tx, rows))
	})
	find := func(written time.Time, after billing.AccountID, limit int) []billing.AccountID {
		return got[[]billing.AccountID](t)(store.AccountsWithDrafts(ctx, q, written, after, limit))
	}
	same(t, "AccountsWithDrafts", find(now, 0, 10), []billing.AccountID{ids[0], ids[2]})
	same(t, "one of them", find(now, 0, 1), []billing.AccountID{ids[0]})
	same(t, "the next one", find(now, ids[0], 1), []billing.AccountID{ids[2]})
	same(t, "those that were written before", len(find(now.Add(-time.Millisecond), 0, 10)), 0)

	renew := func(accounts ...billing.AccountID) (days []string) {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.RenewDrafts(ctx, tx, accounts)) })
		return got[[]string](t)(store.Rows(ctx, q, "SELECT bill_on, version FROM account_billing ORDER BY account_id"))
	}
	same(t, "RenewDrafts of nobody", renew(), []string{"NULL|1", "NULL|1", "2026-05-05|1", "NULL|1"})
	same(t, "RenewDrafts", renew(ids[1:]...), []string{"NULL|1", "NULL|1", "2000-01-01|1", "NULL|1"})
	same(t, "RenewDrafts of all", renew(ids...), []string{"2000-01-01|1", "NULL|1", "2000-01-01|1", "NULL|1"})
}

// testDrafts makes drafts, changes them and issues one.
func testDrafts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b, c *billing.Account
	var drafts []*document.Invoice
	now := db.Clock.Now()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		entity := m.entity() // the first one is that of all accounts
		entity.InvoicingStartsOn = ptr(date("2026-01-01"))
		must(store.Entities.Update(ctx, tx, entity))
		a, b, c = m.account("A"), m.account("B"), m.account("C")
		after := func(d time.Duration) func(*document.Invoice) {
			return func(i *document.Invoice) { i.IssueAfter = ptr(now.Add(d)) }
		}
		items := func(i *document.Invoice) { i.Items = []document.Item{{LineText: "x"}, {LineText: "y"}} }
		drafts = []*document.Invoice{
			m.invoice(b.ID, draft, after(-time.Minute)), m.invoice(a.ID, draft, items), m.invoice(a.ID, draft, after(-time.Hour), items), m.invoice(a.ID, draft, after(time.Hour)),
			m.invoice(c.ID, draft, after(-2*time.Hour), func(i *document.Invoice) { i.TestClockID = &m.clock().ID }),
		}
		m.invoice(a.ID)
	})
	of := func(accounts ...billing.AccountID) (ids []billing.InvoiceID) {
		for _, i := range got[[]document.Invoice](t)(store.DraftsOf(ctx, q, accounts)) {
			ids = append(ids, i.ID)
		}
		return ids
	}
	due := func(limit int) []billing.AccountID {
		return got[[]billing.AccountID](t)(store.DueDrafts(ctx, q, now, limit))
	}
	same(t, "DraftsOf", of(b.ID, a.ID), []billing.InvoiceID{drafts[1].ID, drafts[2].ID, drafts[3].ID, drafts[0].ID})
	same(t, "DraftsOf one", got[[]document.Invoice](t)(store.DraftsOf(ctx, q, []billing.AccountID{b.ID})), []document.Invoice{*drafts[0]})
	same(t, "DueDrafts, without that on a test clock", due(10), []billing.AccountID{a.ID, b.ID})
	same(t, "one of DueDrafts", due(1), []billing.AccountID{a.ID})
	clock := *drafts[4].TestClockID
	same(t, "DueDraftsOnClock", got[[]billing.AccountID](t)(store.DueDraftsOnClock(ctx, q, clock, 10)), []billing.AccountID{c.ID})
	same(t, "DueDraftsOnClock of another", len(got[[]billing.AccountID](t)(store.DueDraftsOnClock(ctx, q, clock+1, 10))), 0)
	next := func(clock billing.TestClockID, day string) (text string) {
		at, found, err := store.NextDraftOnClock(ctx, q, clock, date(day))
		must(err)
		if found {
			text = at.Sub(now).String()
		}
		return text
	}
	same(t, "NextDraftOnClock", []string{next(clock, "2026-01-01"), next(clock, "2025-12-31"), next(clock+1, "2026-01-01")}, []string{"-2h0m0s", "", ""})

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeleteItems(ctx, tx, []billing.InvoiceID{drafts[1].ID, drafts[2].ID}))
		must(store.DeleteItems(ctx, tx, nil))
		must(store.Invoices.Delete(ctx, tx, drafts[1]))
		drafts[2].Number, drafts[2].IssueAfter, drafts[2].Items = "INV-1", nil, []document.Item{{InvoiceID: drafts[2].ID, Position: 1}}
		must(store.Invoices.Update(ctx, tx, drafts[2]))
		must(store.InvoiceItems.Insert(ctx, tx, &drafts[2].Items[0]))
		must(store.SetBillingProblem(ctx, tx, b.ID, "Something is wrong."))
	})
	same(t, "DraftsOf", of(a.ID, b.ID), []billing.InvoiceID{drafts[3].ID, drafts[0].ID})
	same(t, "DueDrafts, without that of an account that was set aside", len(due(10)), 0)
	same(t, "an issued draft", got[*document.Invoice](t)(store.InvoiceByNumber(ctx, q, "INV-1")).ID, drafts[2].ID)
	same(t, "its items", got[[]document.Item](t)(store.ItemsOf(ctx, q, []billing.InvoiceID{drafts[2].ID, drafts[1].ID})), drafts[2].Items)
}

func testItemsOfKeys(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	key := func(charge billing.ChargeID, from, to string) ledger.Key {
		return ledger.Key{Charge: charge, Period: ledger.Period{From: date(from), To: date(to)}}
	}
	item := func(sub billing.SubscriptionID, k ledger.Key) document.Item {
		return document.Item{SubscriptionID: &sub, ChargeID: &k.Charge, PeriodFrom: k.Period.From, PeriodTo: k.Period.To}
	}
	january, february := key(1, "2026-01-01", "2026-01-31"), key(1, "2026-02-01", "2026-02-28")
	short, other := key(1, "2026-01-01", "2026-01-15"), key(2, "2026-01-01", "2026-01-31")
	var first, second *document.Invoice
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		with := func(items ...document.Item) func(*document.Invoice) {
			return func(i *document.Invoice) { i.Items = items }
		}
		second = m.invoice(account, with(item(7, january), item(8, january), item(7, february), item(7, short), item(7, other), document.Item{SubscriptionID: ptr(billing.SubscriptionID(7))}, document.Item{}))
		first = m.invoice(account, with(item(7, january), item(9, february)))
		m.invoice(account, draft, with(item(7, january)))
	})
	of := func(keys ...store.LedgerRef) []document.Item {
		return got[[]document.Item](t)(store.ItemsOfKeys(t.Context(), s.Queries(), keys))
	}
	same(t, "one key", of(store.LedgerRef{SubscriptionID: 7, Key: january}), []document.Item{second.Items[0], first.Items[0]})
	same(t, "several keys", of(store.LedgerRef{SubscriptionID: 9, Key: february}, store.LedgerRef{SubscriptionID: 7, Key: short}, store.LedgerRef{SubscriptionID: 8, Key: january}),
		[]document.Item{second.Items[1], second.Items[3], first.Items[1]})
	same(t, "no key", len(of()), 0)
	same(t, "a key that was not billed", len(of(store.LedgerRef{SubscriptionID: 8, Key: february})), 0)
}
