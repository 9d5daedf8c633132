package invoicing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestSeats bills a month with more and fewer seats, as money.md works it out.
func TestSeats(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		o.expect("nothing is sold", "")
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.Starting("2026-01-01"))
		o.expect("5 seats", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-01–2026-01-31 50.00 = 50.00+9.50")
		o.at("2026-01-16")
		o.seats(sub, 8)
		o.expect("a difference waits", "")
		o.at("2026-01-25")
		o.seats(sub, 4)
		o.expect("a difference waits", "")
		o.at("2026-02-01")
		o.expect("the next month",
			"INV-2026-000002 2026-02-01: Seats ×5→4 2026-01-16–2026-01-31 6.45, Seats ×4 2026-02-01–2026-02-28 40.00 = 46.45+8.83")
	})
}

func (o *office) seats(sub *subscription.Subscription, n int) {
	o.T.Helper()
	_, err := o.Subscriptions.SubscriptionQuantityUpdate(o.Ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(n)})
	o.OK(err)
}

// TestPlanChange credits the old plan and bills the new one, as money.md works it
// out.
func TestPlanChange(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("thirty", 1, flat("30", catalog.Monthly))
		o.list("hundred", 1, flat("100", catalog.Monthly))
		o.customer("acme")
		o.at("2026-11-01")
		sub := o.Subscribe("thirty", "acme")
		o.expect("the first month", "INV-2026-000001 2026-11-01: Fee of thirty ×1 2026-11-01–2026-11-30 30.00 = 30.00+5.70")
		o.at("2026-11-16")
		_, err := o.Subscriptions.SubscriptionPlanChange(o.Ctx, sub.ID, servicetest.ByCode("hundred"), subscription.PlanUpdate{})
		o.OK(err)
		o.expect("the change", "CN-2026-000001 2026-11-16: INV-2026-000001/1 15.00 = 15.00+2.85; "+
			"INV-2026-000002 2026-11-16: Fee of hundred ×1 2026-11-16–2026-11-30 50.00 = 50.00+9.50")
		if due := o.due("acme"); due != "77.35" {
			t.Errorf("%s are due, want 77.35", due)
		}
	})
}

// TestPreviewBeforeTheFirstDay: what the first run will bill can be seen before it.
func TestPreviewBeforeTheFirstDay(t *testing.T) {
	eachOffice(t, func(o *office) {
		_, err := invoicing.Entities.Update(o.Ctx, o.Runner, o.entity.ID, func(e *billing.Entity) error {
			e.InvoicingStartsOn = servicetest.On("2026-03-01")
			return nil
		})
		o.OK(err)
		account := o.customer("acme").ID
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.at("2026-02-20")
		o.expect("it has not started", "")
		for _, on := range []*billing.Date{nil, servicetest.On("2026-03-01")} {
			p, err := o.Invoicing.InvoicePreview(o.Ctx, account, on)
			o.OK(err)
			if i := p.Invoices[0]; p.On.String() != "2026-03-01" || len(p.Invoices) != 1 || i.Subtotal != 2500 || i.IssuedAt != p.On || i.DueAt.String() != "2026-03-15" {
				t.Errorf("on %s it would be %+v", p.On, i)
			}
		}
		p, err := o.Invoicing.InvoicePreview(o.Ctx, account, servicetest.On("2026-03-15"))
		o.OK(err)
		o.Equal("the second invoice", p.Invoices[0].Subtotal, money.Amount(5000))
		o.at("2026-03-01")
		o.expect("half a month", "INV-2026-000001 2026-03-01: Seats ×5 2026-03-01–2026-03-14 25.00 = 25.00+4.75")
	})
}

// due is what an account has to pay, all in all.
func (o *office) due(account string) string {
	o.T.Helper()
	a, err := store.Accounts.ByCode(o.Ctx, o.Read(), account)
	o.OK(err)
	open, err := store.OpenInvoices(o.Ctx, o.Read(), []billing.AccountID{a.ID})
	o.OK(err)
	var due money.Amount
	for n := range open {
		due += open[n].AmountDue()
	}
	return money.Currency{Code: "EUR", Digits: 2}.Format(due)
}

// TestAnnual bills a year and takes most of it back, as money.md works it out.
func TestAnnual(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("year", 12, flat("1200", catalog.Annual))
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		sub := o.Subscribe("year", "acme")
		o.expect("the year", "INV-2026-000001 2026-01-15: Fee of year ×1 2026-01-15–2027-01-14 1200.00 = 1200.00+0.00")
		o.pay("acme", "1200.00")
		o.at("2026-04-01")
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{})
		o.OK(err)
		o.expect("the rest of it", "CN-2026-000001 2026-04-01: INV-2026-000001/1 950.14 = 950.14+0.00, waiting 950.14")
	})
}

func (o *office) pay(account, amount string) {
	o.T.Helper()
	a, err := store.Accounts.ByCode(o.Ctx, o.Read(), account)
	o.OK(err)
	_, err = o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{AccountID: a.ID, Amount: amount, CurrencyID: "EUR"})
	o.OK(err)
}

// TestVoidAndBillAgain voids an invoice with a wrong address, which is billed again
// with the right one.
func TestVoidAndBillAgain(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.expect("the invoice", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
		austria := "AT"
		_, err := o.Customers.AccountUpdate(o.Ctx, account.ID, func(a *billing.Account) error { a.BillingCountry = &austria; return nil }, nil)
		o.OK(err)
		o.expect("a changed address changes nothing that was issued", "")
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, 1, "", true)
		o.Refused("without a reason", err, "REQUIRED reason")
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, 1, "wrong country", true)
		o.OK(err)
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, 1, "again", true)
		o.Refused("twice", err, "NOT_ALLOWED")
		o.expect("billed again", "CN-2026-000001 2026-01-15: INV-2026-000001/1 50.00 = 50.00+9.50; "+
			"INV-2026-000002 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
		if due := o.due("acme"); due != "59.50" {
			t.Errorf("%s are due, want 59.50", due)
		}
		_, err = o.Invoicing.InvoiceVoid(o.Ctx, 2, "a gift", false)
		o.OK(err)
		o.expect("all is forgiven", "CN-2026-000002 2026-01-15: INV-2026-000002/1 50.00 = 50.00+9.50")
		o.at("2026-02-15")
		o.expect("the next month", "INV-2026-000003 2026-02-15: Seats ×5 2026-02-15–2026-03-14 50.00 = 50.00+9.50")
	})
}

// TestGoodwill forgives a part of an invoice: 100.00 billed, 20.00 forgiven, 28 of 31
// days taken back.
func TestGoodwill(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("hundred", 1, flat("100", catalog.Monthly))
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		sub := o.Subscribe("hundred", "acme")
		o.expect("the invoice", "INV-2026-000001 2026-03-01: Fee of hundred ×1 2026-03-01–2026-03-31 100.00 = 100.00+0.00")
		_, err := o.Invoicing.InvoiceCredit(o.Ctx, 1, []invoicing.CreditPart{{InvoiceItemID: 1, Amount: "100.01"}}, "too much")
		o.Refused("above what is left", err, "NOT_ALLOWED amount")
		_, err = o.Invoicing.InvoiceCredit(o.Ctx, 1, []invoicing.CreditPart{{InvoiceItemID: 1, Amount: "20.00"}}, "an outage")
		o.OK(err)
		o.expect("goodwill", "CN-2026-000001 2026-03-01: INV-2026-000001/1 20.00 = 20.00+0.00")
		o.at("2026-03-04")
		_, err = o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{})
		o.OK(err)
		o.expect("canceled", "CN-2026-000002 2026-03-04: INV-2026-000001/1 80.00 = 80.00+0.00")
	})
}

// TestPayments applies payments and takes them back.
func TestPayments(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		o.at("2026-02-15")
		o.run()
		o.pay("acme", "70.00")
		have := func(what, want string) {
			t.Helper()
			invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10})
			o.OK(err)
			var parts []string
			for n := range invoices {
				i := &invoices[n]
				parts = append(parts, fmt.Sprint(i.Number, " ", i.State(servicetest.Day("2026-02-15")), " ", i.Currency.Format(i.AmountDue())))
			}
			if have := strings.Join(parts, ", "); have != want {
				t.Errorf("%s: %s, want %s", what, have, want)
			}
		}
		have("the oldest is paid first", "INV-2026-000001 PAID 0.00, INV-2026-000002 NOT_DUE 49.00")
		_, err := o.Invoicing.InvoiceVoid(o.Ctx, 1, "paid", true)
		o.Refused("a paid invoice is not voided", err, "NOT_ALLOWED")
		_, err = o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, 1, []billing.InvoiceID{1})
		o.OK(err)
		have("taken back", "INV-2026-000001 DUE 59.50, INV-2026-000002 NOT_DUE 49.00")
		_, err = o.Invoicing.PaymentApplyToInvoices(o.Ctx, 1, []billing.InvoiceID{2})
		o.OK(err)
		have("applied to the other", "INV-2026-000001 DUE 59.50, INV-2026-000002 PAID 0.00")
		_, err = o.Invoicing.InvoiceWriteOff(o.Ctx, 1, "bankrupt", false, true)
		o.OK(err)
		have("written off", "INV-2026-000001 UNPAID 0.00, INV-2026-000002 PAID 0.00")
		for _, bad := range []struct {
			amount, currency, want string
		}{{"0.00", "EUR", "INVALID amount"}, {"1", "EUR", "INVALID amount"}, {"1.00", "XXX", "INVALID currencyId"}, {"-1.00", "EUR", "INVALID amount"}} {
			_, err := o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{AccountID: account.ID, Amount: bad.amount, CurrencyID: bad.currency})
			o.Refused(bad.amount+" "+bad.currency, err, bad.want)
		}
	})
}

// TestDrafts lets somebody look at invoices before they are issued.
func TestDrafts(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.expect("a draft", " 0000-00-00: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
		o.seats(sub, 8)
		o.run()
		drafts, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10})
		o.OK(err)
		if len(drafts) != 1 || drafts[0].Amount != 9520 {
			t.Fatalf("the drafts are %+v, want one of 95.20", drafts)
		}
		_, err = o.Invoicing.InvoiceIssue(o.Ctx, drafts[0].ID)
		o.OK(err)
		_, err = o.Invoicing.InvoiceIssue(o.Ctx, drafts[0].ID)
		o.Refused("twice", err, "NOT_ALLOWED id")
		_, err = o.Invoicing.InvoiceDelete(o.Ctx, drafts[0].ID)
		o.Refused("deleting what is issued", err, "NOT_ALLOWED")
		o.told = 0
		o.expect("issued", "INV-2026-000001 2026-01-15: Seats ×8 2026-01-15–2026-02-14 80.00 = 80.00+15.20")
	})
}

// TestSetAside bills everybody but an account without a country, until it has one.
func TestSetAside(t *testing.T) {
	eachOffice(t, func(o *office) {
		broken := o.Account("nowhere")
		o.customer("acme")
		o.Subscribe("pro-monthly", "nowhere", servicetest.WithSeats(5))
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		if err == nil {
			t.Error("nobody was told that an account was set aside")
		}
		o.expect("the other one", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
		broken = servicetest.Must[*billing.Account](o.World)(store.Accounts.Get(o.Ctx, o.Read(), broken.ID))
		if broken.BillingProblem == nil || *broken.BillingProblem != "The account has no country." {
			t.Errorf("the problem is %v", broken.BillingProblem)
		}
		o.customer2("nowhere")
		o.expect("mended", "INV-2026-000002 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	})
}

// customer2 gives an account a country.
func (o *office) customer2(code string) {
	o.T.Helper()
	a, err := store.Accounts.ByCode(o.Ctx, o.Read(), code)
	o.OK(err)
	country := "DE"
	_, err = o.Customers.AccountUpdate(o.Ctx, a.ID, func(a *billing.Account) error { a.BillingCountry = &country; return nil }, nil)
	o.OK(err)
}

// TestTestClock bills a customer on a test clock as time goes by.
func TestTestClock(t *testing.T) {
	eachOffice(t, func(o *office) {
		clock, err := o.Subscriptions.TestClockCreate(o.Ctx, "a year", servicetest.Moment("2026-03-01 00:00"))
		o.OK(err)
		account := o.AccountOn("acme", &clock.ID)
		o.customer2("acme")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(1))
		_, _, err = o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment("2027-02-28 00:00"))
		o.OK(err)
		n := o.QueryText(`SELECT count(*) || ' ' || min(number) || ' ' || max(number) || ' ' || min(issued_at) || ' ' || max(issued_at) FROM invoice`)
		if n != "12 TEST-000001 TEST-000012 2026-03-01 2027-02-01" {
			t.Errorf("the invoices are %s", n)
		}
		if events := o.QueryText(`SELECT count(*) FROM billing_event`); events != "0" {
			t.Errorf("there are %s billing events of a test", events)
		}
		_, err = o.Subscriptions.TestClockDelete(o.Ctx, clock.ID)
		o.OK(err)
		if left := o.QueryText(`SELECT count(*) FROM invoice WHERE account_id = $1`, int64(account.ID)); left != "0" {
			t.Errorf("%s invoices are left", left)
		}
	})
}

// TestPreview tells what will be billed, and then that is billed.
func TestPreview(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		preview := func(on *billing.Date) string {
			t.Helper()
			p, err := o.Invoicing.InvoicePreview(o.Ctx, account.ID, on)
			o.OK(err)
			if p == nil {
				return ""
			}
			text := p.On.String()
			for _, i := range p.Invoices {
				text += describe(i)
			}
			return text
		}
		if have := preview(nil); have != "2026-01-15 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50" {
			t.Error(have)
		}
		o.run()
		o.news()
		if have := preview(nil); have != "2026-02-15 2026-02-15: Seats ×5 2026-02-15–2026-03-14 50.00 = 50.00+9.50" {
			t.Error(have)
		}
		if have := preview(servicetest.On("2026-05-15")); have != "2026-05-15 2026-05-15: Seats ×5 2026-05-15–2026-06-14 50.00 = 50.00+9.50" {
			t.Error(have)
		}
		if have := preview(servicetest.On("2026-05-16")); have != "" {
			t.Error(have)
		}
		_, err := o.Invoicing.InvoicePreview(o.Ctx, account.ID, servicetest.On("2026-01-14"))
		o.Refused("yesterday", err, "INVALID on")
		p, err := o.Invoicing.PreviewChange(o.Ctx, account.ID, true, func(ctx context.Context) error {
			_, err := o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(10)})
			return err
		})
		o.OK(err)
		if len(p.Webhooks) != 1 || p.Now == nil || describe(p.Now.Invoices[0]) != " 2026-01-15: Seats ×10 2026-01-15–2026-02-14 50.00 = 50.00+9.50" {
			t.Errorf("the change would bill %+v", p.Now)
		}
		if p.Next == nil || describe(p.Next.Invoices[0]) != " 2026-02-15: Seats ×10 2026-02-15–2026-03-14 100.00 = 100.00+19.00" {
			t.Errorf("the next invoice would be %+v", p.Next)
		}
		o.expect("a preview changes nothing", "")
		items, err := o.Invoicing.AccruedItems(o.Ctx, account.ID)
		o.OK(err)
		if len(items) != 0 {
			t.Errorf("%+v are accrued", items)
		}
		o.seats(sub, 10)
		o.run()
		items, err = o.Invoicing.AccruedItems(o.Ctx, account.ID)
		o.OK(err)
		if len(items) != 1 || items[0].Amount != 5000 {
			t.Errorf("%+v are accrued", items)
		}
		_, err = o.Invoicing.AccountInvoice(o.Ctx, account.ID, nil)
		o.OK(err)
		o.expect("billed by hand", "INV-2026-000002 2026-01-15: Seats ×10 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	})
}

// TestInvoicedAtOnce bills a change in its own transaction.
func TestInvoicedAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		ctx, issued := subscriptions.InvoicedAtOnce(o.Ctx)
		sub := o.Sub(o.Subscriptions.SubscriptionCreate(ctx, o.Order("pro-monthly", "acme", servicetest.WithSeats(5))))
		o.Equal("the first invoice", issued.Invoices, []billing.InvoiceID{1})
		_, err := o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(8)})
		o.OK(err)
		o.Equal("the second", issued.Invoices, []billing.InvoiceID{2})
		_, err = o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(4)})
		o.OK(err)
		o.Equal("and a credit note", *issued, subscriptions.Issued{CreditNotes: []billing.CreditNoteID{1}})
		o.expect("nothing is left for the background", "CN-2026-000001 2026-01-15: INV-2026-000002/1 30.00, INV-2026-000001/1 10.00 = 40.00+7.60; "+
			"INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50, due 47.60; "+
			"INV-2026-000002 2026-01-15: Seats ×8 2026-01-15–2026-02-14 30.00 = 30.00+5.70, due 0.00")
		_, err = o.Customers.AccountUpdate(o.Ctx, account.ID, func(a *billing.Account) error { a.BillingCountry = nil; return nil }, nil)
		o.OK(err)
		o.Unchanged("an account that cannot be billed", func() {
			_, err = o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(9)})
			o.Refused("an account without a country", err, "NOT_ALLOWED invoiceImmediately")
		})
	})
}

// TestRetry bills an account that was set aside for want of a tax rate once there is
// one.
func TestRetry(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("books", 1, func(c *catalog.Charge) { flat("10", catalog.Monthly)(c); c.TaxCode = "books" })
		o.customer("acme")
		o.Subscribe("books", "acme")
		_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		if err == nil || !strings.Contains(err.Error(), `no tax rate "books" for DE`) {
			t.Errorf("the account was set aside with %v", err)
		}
		o.expect("set aside", "")
		o.Clock.Advance(time.Second)
		_, err = invoicing.TaxRates.Create(o.Ctx, o.Invoicing.Runner, func(r *tax.Rate) error {
			r.Country, r.TaxCode, r.Rate, r.Name = "DE", "books", "7", "Reduced"
			return nil
		})
		o.OK(err)
		o.expect("tried again", "INV-2026-000001 2026-01-15: Fee of books ×1 2026-01-15–2026-02-14 10.00 = 10.00+0.70")
		_, err = invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, o.entity.ID, func(e *billing.Entity) error {
			e.InvoicingStartsOn = servicetest.On("2025-01-01")
			return nil
		})
		o.Refused("another first day", err, "NOT_ALLOWED invoicingStartsOn")
	})
}
