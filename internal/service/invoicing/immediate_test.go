package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestSeveralInvoicedAtOnce cancels subscriptions of several accounts, one of them
// on a test clock: all are billed, or nothing happens.
func TestSeveralInvoicedAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		clock := o.NewClock("2026-01-15 12:00")
		o.customer("acme")
		o.customer("globex")
		o.AccountOn("tester", &clock.ID)
		o.customer2("tester")
		var ids []billing.SubscriptionID
		for _, account := range []string{"tester", "globex", "acme"} {
			ids = append(ids, o.Sub(o.Subscriptions.SubscriptionCreate(o.Ctx, o.Order("pro-monthly", account, servicetest.WithSeats(5)))).ID)
		}
		other := o.Sub(o.Subscriptions.SubscriptionCreate(o.Ctx, o.Order("pro-monthly", "acme", servicetest.WithSeats(1))))
		o.run()
		o.news()
		_, err := o.Subscriptions.SubscriptionQuantityUpdate(o.Ctx, other.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(2)})
		o.OK(err)
		ctx, issued := subscriptions.InvoicedAtOnce(o.Ctx)
		_, err = o.Subscriptions.SubscriptionCancel(ctx, ids, subscription.Cancellation{})
		o.OK(err)
		o.Equal("documents", *issued, subscriptions.Issued{Invoices: []billing.InvoiceID{4}, CreditNotes: []billing.CreditNoteID{1, 2, 3}})
		o.expect("what waited for acme rides along", "CN-2026-000001 2026-01-15: INV-2026-000001/1 50.00 = 50.00+9.50; "+
			"CN-2026-000002 2026-01-15: INV-2026-000002/1 50.00 = 50.00+9.50; "+
			"TEST-000001 2026-01-15: TEST-000001/1 50.00 = 50.00+9.50; "+
			"INV-2026-000003 2026-01-15: Seats ×2 2026-01-15–2026-02-14 10.00 = 10.00+1.90")
		o.Equal("who had them made", o.QueryText(`SELECT COUNT(*) FROM audit_entry WHERE action = 'accountInvoice'`), "3")
	})
}

// TestInvoicedAtOnceAgain sends a request again: it tells the same documents.
func TestInvoicedAtOnceAgain(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		for range 2 {
			caller := o.WithKey("subscribe")
			ctx, issued := subscriptions.InvoicedAtOnce(caller)
			sub := o.Sub(o.Subscriptions.SubscriptionCreate(ctx, o.Order("pro-monthly", "acme", servicetest.WithSeats(5))))
			o.Equal("the subscription", sub.ID, billing.SubscriptionID(1))
			o.Equal("the invoice", issued.Invoices, []billing.InvoiceID{1})
			o.OK(o.Release(caller, operation.CallerOf(caller).Once))
			caller = o.WithKey("reduce")
			ctx, issued = subscriptions.InvoicedAtOnce(caller)
			_, err := o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(4)})
			o.OK(err)
			o.Equal("the credit note", issued.CreditNotes, []billing.CreditNoteID{1})
			o.OK(o.Release(caller, operation.CallerOf(caller).Once))
		}
	})
}

// TestInvoicedAtOnceAsDraft makes a draft where invoices begin as drafts.
func TestInvoicedAtOnceAsDraft(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		ctx, issued := subscriptions.InvoicedAtOnce(o.Ctx)
		o.Sub(o.Subscriptions.SubscriptionCreate(ctx, o.Order("pro-monthly", "acme", servicetest.WithSeats(5))))
		o.Equal("the draft", issued.Invoices, []billing.InvoiceID{1})
		draft := servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), 1))
		o.Equal("its number", draft.Number, "")
	})
}

// TestInvoicedTooSoon refuses to bill at once where nothing is billed yet.
func TestInvoicedTooSoon(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Account("acme")
		ctx, _ := subscriptions.InvoicedAtOnce(w.Ctx)
		w.Unchanged("a subscription that cannot be billed", func() {
			_, err := w.Subscriptions.SubscriptionCreate(ctx, w.Order("pro-monthly", "acme", servicetest.WithSeats(5)))
			w.Refused("without an entity", err, "NOT_ALLOWED invoiceImmediately")
		})
	})
}
