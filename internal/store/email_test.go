package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// email is one that waits to be sent to an account.
func (m maker) email(account billing.AccountID, entity billing.EntityID, subject string) *email.Email {
	return &email.Email{
		UUID: unique(), AccountID: account, EntityID: entity, Template: "invoice", Locale: "en", To: "ap@example.com", Subject: subject, Text: "Hello", HTML: "<p>Hello</p>",
		State: email.Waiting, NextAt: &m.tx.Now, At: m.tx.Now,
	}
}

// testEmails sends the messages to an account one after the other, and to several
// accounts at once.
func testEmails(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	var all []*email.Email
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		entity, a, b := m.entity().ID, m.account("A").ID, m.account("B").ID
		kept := m.email(b, entity, "kept")
		kept.Drop(email.OnlyShown)
		all = []*email.Email{m.email(a, entity, "A1"), m.email(a, entity, "A2"), m.email(b, entity, "B1"), kept}
		must(store.InsertEmails(ctx, tx, all))
		must(store.InsertEmails(ctx, tx, nil))
	})
	for _, e := range all {
		same(t, e.Subject, got[*email.Email](t)(store.Emails.Get(t.Context(), st.Queries(), e.ID)), e)
	}
	claim := func() (subjects []string, rows []email.Email) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			rows = got[[]email.Email](t)(store.ClaimEmails(ctx, tx, tx.Now.Add(time.Minute), 10))
			for n := range rows {
				subjects = append(subjects, rows[n].Subject)
			}
		})
		return subjects, rows
	}
	save := func(e *email.Email, o email.Outcome) {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			e.Take(o, "answer", 1, tx.Now)
			must(store.SaveEmail(ctx, tx, e))
		})
	}
	subjects, rows := claim()
	same(t, "the first of each account", subjects, []string{"A1", "B1"})
	subjects, _ = claim()
	same(t, "nobody else has them", len(subjects), 0)
	save(&rows[0], email.Taken)
	save(&rows[1], email.Deferred)
	subjects, rows2 := claim()
	same(t, "the next of the account that has its first", subjects, []string{"A2"})
	save(&rows2[0], email.Taken)
	at, found, err := store.NextEmail(t.Context(), st.Queries())
	must(err)
	same(t, "the next time", []any{at.Equal(*rows[1].NextAt), found}, []any{true, true})
	rows[1].Drop(email.Settled)
	write(t, st, func(ctx context.Context, tx *store.Tx) { must(store.SaveEmail(ctx, tx, &rows[1])) })
	_, found, err = store.NextEmail(t.Context(), st.Queries())
	must(err)
	same(t, "nothing is left", found, false)
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(rows[0].SendAgain("other@example.com", tx.Now))
		must(store.RequeueEmail(ctx, tx, &rows[0]))
	})
	subjects, _ = claim()
	same(t, "what is sent again", subjects, []string{"A1"})
	list := got[[]email.Email](t)(store.Emails.List(t.Context(), st.Queries(), store.Page{Limit: 10, Filter: billing.Filter{Words: []string{"other@example.com"}}}))
	same(t, "found by its address", []any{len(list), list[0].ID}, []any{1, rows[0].ID})
	forget := func(before time.Time) (n int64) {
		write(t, st, func(ctx context.Context, tx *store.Tx) { n = got[int64](t)(store.ForgetEmails(ctx, tx, before, 10)) })
		return n
	}
	same(t, "nothing is old", forget(all[0].CreatedAt), int64(0))
	same(t, "what waits is kept", forget(all[0].CreatedAt.Add(time.Hour)), int64(3))
}

func testEmailsOfInvoices(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	var first, second *email.Email
	var invoice billing.InvoiceID
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		i := m.invoice(m.account("A").ID)
		invoice = i.ID
		first, second = m.email(i.AccountID, i.EntityID, "1"), m.email(i.AccountID, i.EntityID, "2")
		first.InvoiceID, second.InvoiceID = &i.ID, &i.ID
		must(store.InsertEmails(ctx, tx, []*email.Email{first, m.email(i.AccountID, i.EntityID, "of another"), second}))
	})
	same(t, "EmailsOfInvoices", got[[]email.Email](t)(store.EmailsOfInvoices(t.Context(), st.Queries(), []billing.InvoiceID{invoice})), []email.Email{*first, *second})
	same(t, "EmailsOfInvoices of none", len(got[[]email.Email](t)(store.EmailsOfInvoices(t.Context(), st.Queries(), nil))), 0)
}

func testEmailMode(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	mode := func() email.Mode { return got[email.Mode](t)(store.EmailMode(t.Context(), st.Queries())) }
	same(t, "at first", mode(), email.Off)
	for _, m := range []email.Mode{email.Send, email.Mailbox, email.Off} {
		write(t, st, func(ctx context.Context, tx *store.Tx) {
			must(store.SetSetting(ctx, tx, store.EmailSetting, string(m)))
		})
		same(t, "afterwards", mode(), m)
	}
}

func testMethodsThatExpire(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	var soon, told *collect.Method
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		method := func(expires string, chosen bool) *collect.Method {
			row := m.method(m.account("A").ID)
			if expires != "" {
				row.Expires = &expires
			}
			must(store.PaymentMethods.Update(ctx, tx, row))
			if chosen {
				must(store.SetPaymentMethod(ctx, tx, row.AccountID, &row.ID))
			}
			return row
		}
		soon, told = method("2027-03", true), method("2027-03", true)
		days := 30
		told.ExpiryTold = &days
		must(store.PaymentMethods.Update(ctx, tx, told))
		method("2027-02", true)
		method("2027-04", true)
		method("2027-03", false)
		method("", true)
	})
	of := func(days int) (ids []billing.PaymentMethodID) {
		for _, m := range got[[]collect.Method](t)(store.MethodsThatExpire(t.Context(), st.Queries(), nil, "2027-03", "2027-03", days, 10)) {
			ids = append(ids, m.ID)
		}
		return ids
	}
	same(t, "not told 30 days before", of(30), []billing.PaymentMethodID{soon.ID})
	same(t, "not told 7 days before", of(7), []billing.PaymentMethodID{soon.ID, told.ID})
	clock := billing.TestClockID(1)
	same(t, "on a test clock", len(got[[]collect.Method](t)(store.MethodsThatExpire(t.Context(), st.Queries(), &clock, "2027-03", "2027-03", 7, 10))), 0)
}

func testEmailTemplates(t *testing.T, db *storetest.Database) {
	st := db.Open(t)
	one := email.Template{Name: "invoice", Locale: "de", Subject: "Rechnung", Body: "Hallo"}
	two := email.Template{Name: "invoice", Locale: "en", Subject: "Invoice", Body: "Hello"}
	write(t, st, func(ctx context.Context, tx *store.Tx) {
		must(store.EmailTemplates.Insert(ctx, tx, &one))
		must(store.EmailTemplates.Insert(ctx, tx, &two))
	})
	same(t, "all", got[[]email.Template](t)(store.AllEmailTemplates(t.Context(), st.Queries())), []email.Template{one, two})
	again := one
	if err := attempt(t, st, func(ctx context.Context, tx *store.Tx) { must(store.EmailTemplates.Insert(ctx, tx, &again)) }); !store.IsDuplicate(err) {
		t.Errorf("a second template of the same message and language: %v", err)
	}
}
