package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestIssueOneDraft issues one of two drafts of an account. What the other is for is
// billed once, when that is issued.
func TestIssueOneDraft(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(1), func(n *subscriptions.NewSubscription) { n.Draft.SeparateInvoice = true })
		o.expect("two drafts", " 0000-00-00: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50;  0000-00-00: Seats ×1 2026-01-15–2026-02-14 10.00 = 10.00+1.90")
		for n, want := range []string{
			" 0000-00-00: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50; INV-2026-000001 2026-01-15: Seats ×1 2026-01-15–2026-02-14 10.00 = 10.00+1.90",
			"INV-2026-000002 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50; INV-2026-000001 2026-01-15: Seats ×1 2026-01-15–2026-02-14 10.00 = 10.00+1.90",
		} {
			_, err := o.Invoicing.InvoiceIssue(o.Ctx, billing.InvoiceID(2-n))
			o.OK(err)
			o.told = 0
			o.expect("issued", want)
		}
	})
}

// TestPreviewOfDrafts previews what begins as a draft, and what is issued at once.
func TestPreviewOfDrafts(t *testing.T) {
	eachOffice(t, func(o *office) {
		for code, want := range map[string]string{"acme": "DRAFT 0000-00-00 0000-00-00", "zenith": "NOT_DUE 2026-01-15 2026-01-29"} {
			a := o.customer(code, func(a *billing.Account) { a.DraftInvoices = code == "acme" })
			o.Subscribe("pro-monthly", code, servicetest.WithSeats(5), servicetest.WithoutTenant)
			p, err := o.Invoicing.InvoicePreview(o.Ctx, a.ID, nil)
			o.OK(err)
			i := p.Invoices[0]
			o.Equal("the invoice of "+code, fmt.Sprint(i.StateForetold(), " ", i.IssuedAt, " ", i.DueAt), want)
			o.run()
			made, err := store.Invoices.List(o.Ctx, o.Store.Queries(), store.Page{Limit: 1, Backwards: true})
			o.OK(err)
			o.Equal("what happened to "+code, fmt.Sprint(made[0].State(i.IssuedAt), " ", made[0].IssuedAt, " ", made[0].DueAt), want)
		}
	})
}

// TestGrace issues drafts when the hours of grace have passed, in real time and on a
// test clock, each at its own time.
func TestGrace(t *testing.T) {
	eachOffice(t, func(o *office) {
		_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, o.entity.ID, func(e *billing.Entity) error { e.GraceHours = 30; return nil })
		o.OK(err)
		clock := o.NewClock("2026-01-15 12:00")
		o.AccountOn("tester", &clock.ID)
		o.customer2("tester")
		o.customer("acme")
		for _, account := range []string{"tester", "acme"} {
			o.Subscribe("pro-monthly", account, servicetest.WithSeats(5))
		}
		o.run()
		issued := func(account string) string {
			o.T.Helper()
			return o.QueryText(`SELECT COUNT(*) || ' ' || COALESCE(MAX(issued_at), '') FROM invoice JOIN account ON account.id = account_id WHERE number <> '' AND account.code = $1`, account)
		}
		advance := func(to string) {
			o.T.Helper()
			_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment(to))
			o.OK(err)
			o.Clock.Set(servicetest.Moment(to))
			o.run()
		}
		advance("2026-01-16 17:59")
		o.Equal("before", []string{issued("tester"), issued("acme")}, []string{"0 ", "0 "})
		advance("2026-01-16 18:00")
		o.Equal("after 30 hours", []string{issued("tester"), issued("acme")}, []string{"1 2026-01-16", "1 2026-01-16"})
		for _, account := range []string{"tester", "acme"} {
			o.Subscribe("pro-monthly", account, servicetest.WithSeats(1))
		}
		o.run()
		advance("2026-03-20 00:00")
		o.Equal("on the way", issued("tester"), "4 2026-03-16") // 16 and 18 January, 16 February, 16 March
		drafts, err := store.DraftsOf(o.Ctx, o.Read(), []billing.AccountID{1, 2})
		o.OK(err)
		o.Equal("drafts that are left", len(drafts), 0)
		o.Equal("all are tests", strings.Contains(o.QueryText(`SELECT MIN(number) FROM invoice WHERE test_clock_id IS NOT NULL`), "TEST-"), true)
	})
}
