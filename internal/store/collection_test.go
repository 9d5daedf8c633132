package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func (m maker) method(account billing.AccountID) *collect.Method {
	row := &collect.Method{AccountID: account, Provider: collect.Test, Kind: collect.TestKind, TokenSealed: "sealed", TokenHash: "hash of " + unique(), Last4: "ok", State: collect.Active}
	must(store.PaymentMethods.Insert(m.ctx, m.tx, row))
	return row
}

// collection is one of an invoice, with an attempt that is to be sent now.
func (m maker) collection(i *document.Invoice, method billing.PaymentMethodID) (*collect.Collection, *collect.Attempt) {
	row := &collect.Collection{
		UUID: unique(), AccountID: i.AccountID, EntityID: i.EntityID, PaymentMethodID: method, Provider: collect.Test, Currency: euro, Amount: i.Amount, LineText: i.Number,
		State: collect.Pending, Outcome: collect.Waiting, TestClockID: i.TestClockID,
	}
	must(store.Collections.Insert(m.ctx, m.tx, row))
	attempt := row.Begin(&collect.Method{Revision: 2}, m.tx.Now)
	must(store.SaveCollections(m.ctx, m.tx, []*collect.Collection{row}))
	must(store.SaveAttempts(m.ctx, m.tx, []*collect.Attempt{&attempt}))
	must(store.InsertParts(m.ctx, m.tx, []collect.Part{{CollectionID: row.ID, InvoiceID: i.ID, Amount: i.Amount}}))
	return row, &attempt
}

func testPaymentMethods(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	var a, b *collect.Method
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		one, other := m.account("A").ID, m.account("B").ID
		b, a = m.method(other), m.method(one)
		must(store.SetPaymentMethod(ctx, tx, one, &a.ID))
		must(store.SetPaymentMethod(ctx, tx, other, &b.ID))
		must(store.SetPaymentMethod(ctx, tx, other, nil))
	})
	of := func(accounts ...billing.AccountID) []collect.Method {
		return got[[]collect.Method](t)(store.PaymentMethodsOf(t.Context(), st.Queries(), accounts))
	}
	same(t, "PaymentMethodsOf", of(b.AccountID, a.AccountID), []collect.Method{*a, *b})
	same(t, "PaymentMethodsOf nobody", len(of()), 0)
	same(t, "PaymentMethodsByToken", got[[]collect.Method](t)(store.PaymentMethodsByToken(t.Context(), st.Queries(), b.TokenHash)), []collect.Method{*b})
	chosen := func(id billing.AccountID) *billing.PaymentMethodID {
		return got[*billing.Account](t)(store.Accounts.Get(t.Context(), st.Queries(), id)).PaymentMethodID
	}
	same(t, "the method of an account", *chosen(a.AccountID), a.ID)
	same(t, "no method", chosen(b.AccountID) == nil, true)

	refused := func() map[billing.PaymentMethodID]bool {
		return got[map[billing.PaymentMethodID]bool](t)(store.RefusedMethods(t.Context(), st.Queries(), []billing.PaymentMethodID{a.ID, b.ID}))
	}
	set := func(to bool, ids ...billing.PaymentMethodID) (at time.Time) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			at = tx.Now
			if !to {
				must(store.SetRefused(ctx, tx, ids, nil))
				return
			}
			must(store.SetRefused(ctx, tx, ids, &at))
		})
		return at
	}
	first := set(true, a.ID, b.ID)
	same(t, "RefusedMethods", refused(), map[billing.PaymentMethodID]bool{a.ID: true, b.ID: true})
	db.Clock.Advance(time.Minute)
	set(true, a.ID)
	set(false, b.ID)
	set(false)
	same(t, "RefusedMethods later", refused(), map[billing.PaymentMethodID]bool{a.ID: true})
	same(t, "refused since the first time", of(a.AccountID)[0].RefusedAt.Equal(first), true)
	same(t, "none was renewed", []int{of(a.AccountID)[0].Revision, of(b.AccountID)[0].Revision}, []int{0, 0})
}

func testCollections(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q, ctx := st.Queries(), t.Context()
	var invoices [3]*document.Invoice
	var rows [3]*collect.Collection
	var attempts [3]*collect.Attempt
	var clock billing.TestClockID
	var payment billing.PaymentID
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		method := m.method(account).ID
		clock, payment = m.clock().ID, m.payment(account).ID
		for n := range rows {
			invoices[n] = m.invoice(account, func(i *document.Invoice) {
				if n == 2 {
					i.TestClockID = &clock
				}
			})
			rows[n], attempts[n] = m.collection(invoices[n], method)
		}
	})
	begun := rows[0].CreatedAt
	same(t, "CollectionByUUID", got[*collect.Collection](t)(store.CollectionByUUID(ctx, q, rows[1].UUID)), rows[1])
	same(t, "CollectionByUUID of nobody", got[*collect.Collection](t)(store.CollectionByUUID(ctx, q, "none")) == nil, true)
	for n, want := range map[int]*billing.TestClockID{0: nil, 2: &clock} {
		at, found, err := store.NextCollection(ctx, q, want)
		must(err)
		same(t, "NextCollection", found && at.Equal(rows[n].CreatedAt), true)
	}
	same(t, "CollectionsOnClock too early", len(got[[]collect.Collection](t)(store.CollectionsOnClock(ctx, q, clock, begun.Add(-time.Second), 9))), 0)
	same(t, "CollectionsOnClock", got[[]collect.Collection](t)(store.CollectionsOnClock(ctx, q, clock, begun, 9)), []collect.Collection{*rows[2]})

	claim := func(limit int) (ids []billing.PaymentCollectionID) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			for _, c := range got[[]collect.Collection](t)(store.ClaimCollections(ctx, tx, tx.Now.Add(time.Minute), limit)) {
				ids = append(ids, c.ID)
			}
		})
		return ids
	}
	same(t, "ClaimCollections", claim(1), []billing.PaymentCollectionID{rows[0].ID})
	same(t, "ClaimCollections of what is left", claim(9), []billing.PaymentCollectionID{rows[1].ID})
	same(t, "ClaimCollections while others have them", len(claim(9)), 0)
	now := db.Clock.Advance(2 * time.Minute)
	same(t, "ClaimCollections of those who were gone", len(claim(9)), 2)

	found, parts, err := store.CollectionsOfInvoices(ctx, q, []billing.InvoiceID{invoices[2].ID, invoices[0].ID})
	must(err)
	same(t, "CollectionsOfInvoices", []billing.PaymentCollectionID{found[0].ID, found[1].ID}, []billing.PaymentCollectionID{rows[0].ID, rows[2].ID})
	same(t, "their parts", parts, []collect.Part{
		{CollectionID: rows[0].ID, InvoiceID: invoices[0].ID, Amount: invoices[0].Amount}, {CollectionID: rows[2].ID, InvoiceID: invoices[2].ID, Amount: invoices[2].Amount},
	})
	same(t, "PartsOfCollections", got[[]collect.Part](t)(store.PartsOfCollections(ctx, q, []billing.PaymentCollectionID{rows[2].ID})), parts[1:])

	rows[0].Take(attempts[0], collect.Result{Outcome: collect.OutSucceeded, Reference: "ref", Fee: 7})
	rows[0].NextAt, rows[0].PaymentID = nil, &payment
	attempts[0].SentAt, attempts[0].FinishedAt, attempts[0].PaymentID = &begun, &now, &payment
	second := func(ctx context.Context, tx *store.Tx) error {
		return store.InsertParts(ctx, tx, []collect.Part{{CollectionID: rows[0].ID, InvoiceID: invoices[1].ID, Amount: 1}})
	}
	if err := st.Write(ctx, second); err == nil {
		t.Error("an invoice has two open collections")
	}
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveCollections(ctx, tx, []*collect.Collection{rows[0]}))
		must(store.SaveAttempts(ctx, tx, []*collect.Attempt{attempts[0]}))
	})
	same(t, "SaveCollections", got[*collect.Collection](t)(store.Collections.Get(ctx, q, rows[0].ID)), rows[0])
	saved := got[[]collect.Attempt](t)(store.AttemptsOf(ctx, q, []billing.PaymentCollectionID{rows[0].ID, rows[1].ID}))
	same(t, "AttemptsOf", len(saved), 2)
	attempts[0].ID = saved[0].ID
	same(t, "SaveAttempts", saved[0], *attempts[0])
	same(t, "AttemptByReference", *got[*collect.Attempt](t)(store.AttemptByReference(ctx, q, collect.Test, "ref")), *attempts[0])
	same(t, "AttemptByReference of another provider", got[*collect.Attempt](t)(store.AttemptByReference(ctx, q, collect.Stripe, "ref")) == nil, true)
	same(t, "AttemptByReference of none", got[*collect.Attempt](t)(store.AttemptByReference(ctx, q, collect.Test, "")) == nil, true)
	same(t, "AttemptsOfPayments", got[[]collect.Attempt](t)(store.AttemptsOfPayments(ctx, q, []billing.PaymentID{payment})), []collect.Attempt{*attempts[0]})
	last := got[map[billing.InvoiceID]*collect.Last](t)(store.LastCollections(ctx, q, []billing.InvoiceID{invoices[0].ID, invoices[1].ID}))
	same(t, "LastCollections", *last[invoices[0].ID], collect.Last{
		InvoiceID: invoices[0].ID, CollectionID: rows[0].ID, PaymentMethodID: rows[0].PaymentMethodID, State: collect.Succeeded, Outcome: collect.OutSucceeded, At: begun,
	})
	same(t, "LastCollections of two", len(last), 2)

	see := func(id string) (fresh bool) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			fresh = got[bool](t)(store.SeeNotice(ctx, tx, collect.Stripe, id))
		})
		return fresh
	}
	same(t, "SeeNotice", []bool{see("one"), see("one"), see("two")}, []bool{true, false, true})
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		same(t, "ForgetNotices", got[int64](t)(store.ForgetNotices(ctx, tx, tx.Now.Add(time.Second), 1)), int64(1))
	})
}

func testRefunds(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q, ctx := st.Queries(), t.Context()
	var rows [2]*collect.Refund
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		for n := range rows {
			at := tx.Now.Add(time.Duration(n) * time.Hour)
			rows[n] = &collect.Refund{UUID: unique(), AccountID: account, PaymentID: m.payment(account).ID, Currency: euro, Amount: 100, Provider: collect.Test, State: collect.Pending, NextAt: &at}
			must(store.Refunds.Insert(ctx, tx, rows[n]))
		}
	})
	same(t, "RefundsOf", got[[]collect.Refund](t)(store.RefundsOf(ctx, q, []billing.PaymentID{rows[1].PaymentID})), []collect.Refund{*rows[1]})
	same(t, "RefundByUUID", got[*collect.Refund](t)(store.RefundByUUID(ctx, q, rows[0].UUID)), rows[0])
	next, found, err := store.NextRefund(ctx, q)
	must(err)
	same(t, "NextRefund", found && next.Equal(*rows[0].NextAt), true)
	claim := func() (n int) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			n = len(got[[]collect.Refund](t)(store.ClaimRefunds(ctx, tx, tx.Now.Add(time.Minute), 9)))
		})
		return n
	}
	same(t, "ClaimRefunds", []int{claim(), claim()}, []int{1, 0})
	db.Clock.Advance(2 * time.Hour)
	same(t, "ClaimRefunds later", claim(), 2)
}

func testCollectionsForPerson(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	q, ctx := st.Queries(), t.Context()
	var want []collect.Collection
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, clock := m.account("A").ID, m.clock().ID
		method := m.method(account).ID
		make := func(outcome collect.Outcome, asked bool, on *billing.TestClockID) *collect.Collection {
			c, attempt := m.collection(m.invoice(account, func(i *document.Invoice) { i.TestClockID = on }), method)
			c.Take(attempt, collect.Result{Outcome: outcome})
			if !asked {
				c.NextAt = nil
			}
			must(store.SaveCollections(ctx, tx, []*collect.Collection{c}))
			return c
		}
		for _, outcome := range []collect.Outcome{collect.Waiting, collect.OutPending, collect.OutUnknown} {
			want = append(want, *make(outcome, false, nil))
			make(outcome, true, nil)
			make(outcome, false, &clock)
		}
		for _, outcome := range []collect.Outcome{collect.OutSucceeded, collect.OutDeclined, collect.OutFailed, collect.OutReversed} {
			make(outcome, false, nil)
		}
	})
	same(t, "CollectionsForPerson", got[[]collect.Collection](t)(store.CollectionsForPerson(ctx, q, 9)), want)
	same(t, "CollectionsForPerson, the first", got[[]collect.Collection](t)(store.CollectionsForPerson(ctx, q, 1)), want[:1])
	same(t, "CountCollectionsForPerson", got[int](t)(store.CountCollectionsForPerson(ctx, q)), len(want))
	same(t, "CountUnanswered", got[int](t)(store.CountUnanswered(ctx, q, 9)), 1)
	same(t, "CountUnanswered of none", got[int](t)(store.CountUnanswered(ctx, q, 0)), 0)
	for n := range want {
		same(t, "NeedsPerson", want[n].NeedsPerson(), true)
	}
}
