package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// pending is an item for 10.00 EUR, from a day on.
func pending(text, on string) func(*invoicing.PendingAttributes) error {
	return func(in *invoicing.PendingAttributes) error {
		in.LineText, in.Amount, in.CurrencyID, in.On = text, "10.00", "EUR", servicetest.Day(on)
		return nil
	}
}

// TestPendingItems wait for the billing day, and can be changed until they are on
// an invoice.
func TestPendingItems(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		add := func(text, on string) *document.PendingItem {
			return servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending(text, on)))
		}
		early, late, mistake := add("Training", "2026-01-15"), add("Travel", "2026-02-10"), add("A mistake", "2026-01-15")
		o.expect("they wait for the billing day", "")
		_, err := o.Invoicing.InvoiceItemUpdate(o.Ctx, early.ID, func(in *invoicing.PendingAttributes) error {
			in.Quantity, in.Price, in.Amount = "1.5", "100", ""
			return nil
		})
		o.OK(err)
		_, err = o.Invoicing.InvoiceItemDelete(o.Ctx, mistake.ID)
		o.OK(err)
		o.at("2026-02-01")
		o.expect("on the billing day", "INV-2026-000001 2026-02-01: Training ×1.5 2026-01-15–2026-01-15 150.00 = 150.00+28.50")
		_, err = o.Invoicing.InvoiceItemUpdate(o.Ctx, early.ID, pending("Too late", "2026-02-01"))
		o.Refused("an item that was invoiced", err, "NOT_FOUND id")
		_, err = o.Invoicing.InvoiceItemDelete(o.Ctx, early.ID)
		o.Refused("an item that was invoiced", err, "NOT_FOUND id")
		o.at("2026-02-20")
		o.expect("the other one waits for its own", "")
		_, err = o.Invoicing.InvoiceItemDelete(o.Ctx, late.ID)
		o.OK(err)
		billed, err := store.BillingOf(o.Ctx, o.Read(), []billing.AccountID{account.ID})
		o.OK(err)
		if on := billed[account.ID].BillOn; on != nil {
			t.Errorf("nothing waits, but the account is looked at on %s", on)
		}
		o.at("2026-03-01")
		o.expect("nothing is left", "")
	})
}

// TestPendingItemOnce adds an item once however often the request is sent.
func TestPendingItemOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		var ids [2]billing.PendingItemID
		for n := range ids {
			ctx := o.WithKey("add")
			item, err := o.Invoicing.InvoiceItemCreate(ctx, account.ID, pending("Training", "2026-01-15"))
			o.OK(err)
			ids[n] = item.ID
			o.OK(o.Release(o.Ctx, operation.CallerOf(ctx).Once))
		}
		o.Equal("the item", ids[1], ids[0])
	})
}

// TestDraftsByHand stay apart from those of billing, and are issued once.
func TestDraftsByHand(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.Starting("2026-01-01"))
		o.run()
		attributes := invoicing.InvoiceAttributes{CurrencyID: "EUR", Draft: true, Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}}}
		made, err := o.Invoicing.InvoiceCreate(o.Ctx, account.ID, attributes)
		o.OK(err)
		o.Equal("invoices made", len(made.Invoices), 1)
		attributes.Draft = false
		_, err = o.Invoicing.InvoiceCreate(o.Ctx, account.ID, attributes)
		o.OK(err)
		drafts, err := store.DraftsOf(o.Ctx, o.Read(), []billing.AccountID{account.ID})
		o.OK(err)
		o.Equal("drafts", len(drafts), 2)
		for range 2 {
			ctx := o.WithKey("issue")
			_, err := o.Invoicing.InvoiceIssue(ctx, made.Invoices[0])
			o.OK(err)
			o.OK(o.Release(o.Ctx, operation.CallerOf(ctx).Once))
		}
		_, err = o.Invoicing.InvoiceIssue(o.Ctx, made.Invoices[0])
		o.Refused("an invoice that was issued", err, "NOT_ALLOWED id")
	})
}
