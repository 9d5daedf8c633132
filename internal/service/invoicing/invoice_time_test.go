package invoicing_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// edits changes the entity.
func (o *office) edits(id billing.EntityID, edit func(*billing.Entity)) {
	o.T.Helper()
	_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, id, func(e *billing.Entity) error { edit(e); return nil })
	o.OK(err)
}

// secondEntity is another entity, as edit says.
func (o *office) secondEntity(edit func(*billing.Entity)) billing.EntityID {
	o.T.Helper()
	e := billing.NewEntity()
	e.Code, e.Name, e.Country, e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "branch", "Branch GmbH", "DE", "B-{0000}", "BC-{0000}"
	edit(&e)
	o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error { return store.Entities.Insert(ctx, tx, &e) }))
	return e.ID
}

// rests bills what is due, and checks when there is something to bill again; "" for
// never.
func (o *office) rests(what, want string) {
	o.T.Helper()
	o.run()
	_, next, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
	o.OK(err)
	have := ""
	if !next.IsZero() {
		have = next.UTC().Format("2006-01-02 15:04:05.999")
	}
	if have != want {
		o.T.Errorf("%s: there is something to bill again at %q, want %q", what, have, want)
	}
}

// TestInvoiceTime bills a day from a time of day on, in the operator's zone. What is
// missed of days before is billed at any time, and nothing of the day itself with it.
func TestInvoiceTime(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.OK(o.Calendar.SetTimeZone(o.Ctx, "America/New_York")) // five hours behind
		o.edits(o.entity.ID, func(e *billing.Entity) { e.InvoiceTime = "18:00" })
		set := func(moment string) { o.Clock.Set(servicetest.Moment(moment)) }
		o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.BillingDay = true, 14 })
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.rests("at noon", "2026-01-15 23:00:00")
		o.expect("at noon", "")
		o.Clock.Set(servicetest.Moment("2026-01-15 23:00").Add(-time.Millisecond))
		o.rests("a moment before", "2026-01-15 23:00:00")
		o.expect("a moment before", "")
		set("2026-01-15 23:00")
		o.expect("at six in New York", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+0.00")
		o.rests("the next month", "2026-02-15 23:00:00")

		set("2026-01-16 04:59") // still the 15th in New York
		o.seats(sub, 6)
		o.rests("a difference", "2026-02-14 23:00:00")
		set("2026-02-15 15:00") // nobody was there on the 14th
		o.expect("what was missed of yesterday", "INV-2026-000002 2026-02-15: Seats ×6 2026-01-15–2026-02-14 10.00 = 10.00+0.00")
		o.rests("what is due today", "2026-02-15 23:00:00")
		set("2026-02-15 23:00")
		o.expect("at six", "INV-2026-000003 2026-02-15: Seats ×6 2026-02-15–2026-03-14 60.00 = 60.00+0.00")
	})
}

// TestInvoiceTimeBilledBefore looks at an account before the time of day after
// somebody had it billed for the day: nothing of that is taken back or billed again.
func TestInvoiceTimeBilledBefore(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edits(o.entity.ID, func(e *billing.Entity) { e.InvoiceTime = "18:00" })
		account := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		_, err := o.Invoicing.AccountInvoice(o.Ctx, account.ID, nil)
		o.OK(err)
		o.expect("by hand", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+0.00")
		o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
			return store.BillAgain(ctx, tx, []billing.AccountID{account.ID}, servicetest.Day("2026-01-10"))
		}))
		o.expect("looked at in the morning", "")
		o.Clock.Set(servicetest.Moment("2026-01-15 18:00"))
		o.expect("and in the evening", "")
		o.rests("the next month", "2026-02-15 18:00:00")
	})
}

// TestInvoiceTimeWhenClocksChange bills once on days on which the time of day does
// not exist, or comes twice.
func TestInvoiceTimeWhenClocksChange(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.OK(o.Calendar.SetTimeZone(o.Ctx, "Europe/Berlin"))
		o.edits(o.entity.ID, func(e *billing.Entity) { e.InvoiceTime = "02:30" })
		o.customer("spring", func(a *billing.Account) { a.TaxExempt = true })
		o.customer("autumn", func(a *billing.Account) { a.TaxExempt = true })
		for _, c := range []struct{ account, before, after string }{
			{"spring", "2026-03-28 23:30", "2026-03-29 01:30"}, // clocks go from 2 to 3 at 01:00 UTC
			{"autumn", "2026-10-24 22:30", "2026-10-25 01:30"}, // clocks go from 3 to 2 at 01:00 UTC
		} {
			o.Clock.Set(servicetest.Moment(c.before))
			o.run()
			o.news()
			o.Subscribe("pro-monthly", c.account, servicetest.WithSeats(1))
			o.expect("half past midnight", "")
			o.Clock.Set(servicetest.Moment(c.after))
			o.run()
			o.Equal("invoices of "+c.account, o.QueryText(`SELECT COUNT(*) FROM invoice JOIN account ON account.id = account_id WHERE account.code = $1`, c.account), "1")
			o.run()
			o.Equal("and no more", o.QueryText(`SELECT COUNT(*) FROM invoice JOIN account ON account.id = account_id WHERE account.code = $1`, c.account), "1")
		}
	})
}

// TestEntitiesRest says when there is something to bill again while one entity is
// switched off, or has not started.
func TestEntitiesRest(t *testing.T) {
	eachOffice(t, func(o *office) {
		branch := o.secondEntity(func(*billing.Entity) {})
		o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.EntityID = true, &branch })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.rests("switched off", "")
		o.edits(branch, func(e *billing.Entity) { e.InvoicingStartsOn, e.InvoiceTime = servicetest.On("2026-01-20"), "09:00" })
		o.rests("to come", "2026-01-20 09:00:00")
		o.customer("beta", func(a *billing.Account) { a.TaxExempt = true })
		o.Subscribe("pro-monthly", "beta", servicetest.WithSeats(5))
		o.rests("another one", "2026-01-20 09:00:00")
		o.expect("of which is billed", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+0.00")
		o.Clock.Set(servicetest.Moment("2026-01-20 09:00"))
		o.expect("it has started", "B-0001 2026-01-20: Seats ×5 2026-01-20–2026-02-14 41.94 = 41.94+0.00")
		o.rests("both", "2026-02-15 00:00:00")
	})
}
