package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PendingAttributes is what a caller says of an item that waits for the next
// invoice.
type PendingAttributes struct {
	ItemAttributes
	CurrencyID string
	// On is the day from which on it may be invoiced.
	On             billing.Date
	SubscriptionID *billing.SubscriptionID
}

// InvoiceItemCreate adds an item by hand, which waits for the next invoice of the
// account. edit changes what an item begins with: today, and the account's
// currency.
func (s *Service) InvoiceItemCreate(ctx context.Context, account billing.AccountID, edit func(*PendingAttributes) error) (*document.PendingItem, error) {
	return s.changePending(ctx, "invoiceItemCreate", theAccount(account), func(ctx context.Context, tx *store.Tx, a *billing.Account) (before, after *document.PendingItem, err error) {
		cal, err := calendar.In(ctx, tx, a.TestClockID)
		if err != nil {
			return nil, nil, err
		}
		in := PendingAttributes{On: cal.Today}
		if a.CurrencyID != nil {
			in.CurrencyID = *a.CurrencyID
		}
		item := &document.PendingItem{AccountID: a.ID}
		if err := in.set(ctx, tx, item, edit); err != nil {
			return nil, nil, err
		}
		return nil, item, store.PendingItems.Insert(ctx, tx, item)
	})
}

// InvoiceItemUpdate changes an item that waits. edit changes what is known of it.
func (s *Service) InvoiceItemUpdate(ctx context.Context, id billing.PendingItemID, edit func(*PendingAttributes) error) (*document.PendingItem, error) {
	return s.changePending(ctx, "invoiceItemUpdate", accountOfPending(id), func(ctx context.Context, tx *store.Tx, _ *billing.Account) (before, after *document.PendingItem, err error) {
		item, err := lockPending(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		was := *item
		in := attributesOf(item)
		if err := in.set(ctx, tx, item, edit); err != nil {
			return nil, nil, err
		}
		return &was, item, store.PendingItems.Update(ctx, tx, item)
	})
}

// InvoiceItemDelete deletes an item that waits.
func (s *Service) InvoiceItemDelete(ctx context.Context, id billing.PendingItemID) (*document.PendingItem, error) {
	return s.changePending(ctx, "invoiceItemDelete", accountOfPending(id), func(ctx context.Context, tx *store.Tx, _ *billing.Account) (before, after *document.PendingItem, err error) {
		item, err := lockPending(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		return item, nil, store.PendingItems.Delete(ctx, tx, item)
	})
}

// changePending changes the pending items of an account, and when that has to be
// billed because of them. The account is locked, as it is while it is billed: an
// item is changed before it is on an invoice, or not at all.
func (s *Service) changePending(ctx context.Context, name string, account func(context.Context, *store.Tx) (billing.AccountID, error),
	change func(context.Context, *store.Tx, *billing.Account) (before, after *document.PendingItem, err error),
) (*document.PendingItem, error) {
	item, replayed, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*document.PendingItem, error) {
		a, err := lockAccountOf(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		before, after, err := change(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		if err := lookForPending(ctx, tx, a); err != nil {
			return nil, err
		}
		item := after
		if item == nil {
			item = before
		}
		return item, operation.Audit(ctx, tx, name, "account", int64(a.ID), billing.Changes(pendingFacts(before), pendingFacts(after)))
	})
	s.Wake()
	if err != nil || !replayed {
		return item, err
	}
	now, err := store.PendingItems.Get(ctx, s.Read(), item.ID)
	if err != nil || now == nil {
		return item, err
	}
	return now, nil
}

// lookForPending writes when the account has to be looked at: when its pending items
// have waited long enough, unless it is to be looked at by today anyway. If it has a
// draft, that is by the next run.
func lookForPending(ctx context.Context, tx *store.Tx, a *billing.Account) error {
	ids := []billing.AccountID{a.ID}
	items, err := store.PendingItemsOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	billed, err := store.BillingOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	cal, err := calendar.In(ctx, tx, a.TestClockID)
	if err != nil {
		return err
	}
	b := billed[a.ID]
	if b.AccountID, b.TestClockID = a.ID, a.TestClockID; b.BillOn == nil || b.BillOn.After(cal.Today) {
		b.BillOn = b.CollectOn
	}
	collection := ledger.Collection{Mode: ledger.CollectionMode(a.Collection), BillingDay: a.BillingDay}
	for n := range items {
		if on := collection.BillOn(items[n].DueOn, billing.Date{}); b.BillOn == nil || on.Before(*b.BillOn) {
			b.BillOn = &on
		}
	}
	if err := store.SaveBilling(ctx, tx, []store.AccountBilling{b}); err != nil {
		return err
	}
	return store.RenewDrafts(ctx, tx, ids)
}

// attributesOf is what is known of an item that waits.
func attributesOf(item *document.PendingItem) PendingAttributes {
	in := PendingAttributes{
		ItemAttributes: ItemAttributes{LineText: item.LineText, Quantity: item.Quantity, TaxCode: item.TaxCode},
		CurrencyID:     item.Currency.Code, On: item.DueOn, SubscriptionID: item.SubscriptionID,
	}
	if item.Price != nil {
		in.Price = string(*item.Price)
	} else {
		in.Amount = item.Currency.Format(item.Amount)
	}
	return in
}

// set edits the attributes, checks them and writes them on an item.
func (in *PendingAttributes) set(ctx context.Context, tx *store.Tx, item *document.PendingItem, edit func(*PendingAttributes) error) error {
	if err := edit(in); err != nil {
		return err
	}
	if in.CurrencyID == "" {
		return billing.Fail(billing.Required, "currencyId", "The account has no currency of its own: give that of the item.")
	}
	var err error
	if item.Currency, err = money.CurrencyOf(in.CurrencyID); err != nil {
		return err
	}
	if item.Quantity, item.Price, item.Amount, err = in.item(item.Currency); err != nil {
		return err
	}
	item.LineText, item.TaxCode, item.DueOn, item.SubscriptionID = in.LineText, taxCodeOf(in.TaxCode), in.On, in.SubscriptionID
	if in.SubscriptionID == nil {
		return nil
	}
	sub, err := store.Subscriptions.Get(ctx, tx.Queries, *in.SubscriptionID)
	if err == nil && (sub == nil || sub.AccountID != item.AccountID) {
		err = billing.Fail(billing.NotFound, "subscriptionId", "Account %d has no subscription %d.", item.AccountID, *in.SubscriptionID)
	}
	return err
}

// accountOfPending finds the account of an item that waits, which never changes.
func accountOfPending(id billing.PendingItemID) func(context.Context, *store.Tx) (billing.AccountID, error) {
	return func(ctx context.Context, tx *store.Tx) (billing.AccountID, error) {
		item, err := store.PendingItems.Get(ctx, tx.Queries, id)
		if err != nil {
			return 0, err
		}
		if item == nil {
			return 0, noPending(id)
		}
		return item.AccountID, nil
	}
}

// lockPending reads an item that waits, with its account locked.
func lockPending(ctx context.Context, tx *store.Tx, id billing.PendingItemID) (*document.PendingItem, error) {
	item, err := store.PendingItems.Lock(ctx, tx, id)
	if err == nil && item == nil {
		err = noPending(id)
	}
	return item, err
}

func noPending(id billing.PendingItemID) error {
	return billing.Fail(billing.NotFound, "id", "No item %d waits for an invoice: there is none, or it has been invoiced.", id)
}

// pendingFacts are what the audit log says of an item that waits.
func pendingFacts(item *document.PendingItem) map[string]any {
	if item == nil {
		return map[string]any{}
	}
	facts := map[string]any{
		"lineText": item.LineText, "quantity": item.Quantity, "amount": item.Currency.Format(item.Amount), "currencyId": item.Currency.Code, "taxCode": item.TaxCode, "on": item.DueOn,
	}
	if item.Price != nil {
		facts["price"] = item.Price.In(item.Currency.Code)
	}
	if item.SubscriptionID != nil {
		facts["subscriptionId"] = *item.SubscriptionID
	}
	return facts
}
