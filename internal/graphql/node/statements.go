package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// AccountEntry is a line of a statement of account, in the API.
type AccountEntry struct{ *document.Entry }

// CurrencyID is that of the amount.
func (e *AccountEntry) CurrencyID() string { return e.Currency.Code }

// DocumentID is that of the invoice, credit note or payment.
func (e *AccountEntry) DocumentID() int64 { return e.Document }

// Number is that of the document, if it has one.
func (e *AccountEntry) Number() *string { return textOrNone(e.Entry.Number) }

// Amount is what it adds to the balance.
func (e *AccountEntry) Amount() string { return e.Currency.Format(e.Entry.Amount) }

// Entries are the statement of account.
func (a *Account) Entries(ctx context.Context, filter *string) ([]*AccountEntry, error) {
	nodes := func(r *Reader, rows []document.Entry) []*AccountEntry {
		return wrap(r, rows, func(row *document.Entry, _ *group[document.Entry]) AccountEntry { return AccountEntry{row} })
	}
	return many(ctx, a.group, "entries", a.ID, filter, store.AccountEntries, "accountId", accountID, nodes, func(e *AccountEntry) billing.AccountID { return e.AccountID })
}

// AccountBalance is what an account owes an entity in a currency, in the API.
type AccountBalance struct {
	balance *store.Balance
	group   *group[store.Balance]
}

// EntityID is that of the entity.
func (b *AccountBalance) EntityID() billing.EntityID { return b.balance.EntityID }

// Entity is the entity.
func (b *AccountBalance) Entity(ctx context.Context) (*Entity, error) {
	return one(ctx, b.group, "entity", b.balance.EntityID, func(row *store.Balance) billing.EntityID { return row.EntityID }, (*Reader).entitiesByID)
}

// CurrencyID is that of the amounts.
func (b *AccountBalance) CurrencyID() string { return b.balance.Currency.Code }

// Balance is the sum of the statement.
func (b *AccountBalance) Balance() string { return b.balance.Currency.Format(b.balance.Balance) }

// Credit is what waits of credit notes and payments.
func (b *AccountBalance) Credit() string { return b.balance.Currency.Format(b.balance.Credit) }

// Overdue is what should have been paid before today.
func (b *AccountBalance) Overdue() string { return b.balance.Currency.Format(b.balance.Overdue) }

// Balances are what the account owes each entity in each currency.
func (a *Account) Balances(ctx context.Context) ([]*AccountBalance, error) {
	r := a.group.reader
	of, err := together(a.group, "balances", func(rows []billing.Account) (map[billing.AccountID][]*AccountBalance, error) {
		today, err := r.Service.Calendar.Today(ctx, keys(rows, maybe(func(a *billing.Account) *billing.TestClockID { return a.TestClockID })))
		if err != nil {
			return nil, err
		}
		on := map[billing.Date][]billing.AccountID{}
		for n := range rows {
			day := today(rows[n].TestClockID)
			on[day] = append(on[day], rows[n].ID)
		}
		of := map[billing.AccountID][]*AccountBalance{}
		for day, ids := range on {
			balances, err := store.Balances(ctx, r.q(), ids, day)
			if err != nil {
				return nil, err
			}
			for _, b := range wrap(r, balances, func(row *store.Balance, g *group[store.Balance]) AccountBalance { return AccountBalance{row, g} }) {
				of[b.balance.AccountID] = append(of[b.balance.AccountID], b)
			}
		}
		return of, nil
	})
	return of[a.ID], err
}

// PendingItem is an item made by hand that waits for an invoice, in the API.
type PendingItem struct{ *document.PendingItem }

// CurrencyID is that of the amount.
func (p *PendingItem) CurrencyID() string { return p.Currency.Code }

// Price is the price of a unit with the digits of its currency, if there is one.
func (p *PendingItem) Price() *string {
	if p.PendingItem.Price == nil {
		return nil
	}
	text := p.PendingItem.Price.In(p.Currency.Code)
	return &text
}

// Amount is the amount of all.
func (p *PendingItem) Amount() string { return p.Currency.Format(p.PendingItem.Amount) }

// On is the day from which on it may be invoiced.
func (p *PendingItem) On() billing.Date { return p.DueOn }

// PendingItems are the items that wait for the next invoice.
func (a *Account) PendingItems(ctx context.Context) ([]*PendingItem, error) {
	return many(ctx, a.group, "pendingItems", a.ID, nil, store.PendingItems, "accountId", accountID, (*Reader).PendingItems, func(p *PendingItem) billing.AccountID { return p.AccountID })
}

// PendingItems makes nodes of rows.
func (r *Reader) PendingItems(rows []document.PendingItem) []*PendingItem {
	return wrap(r, rows, func(row *document.PendingItem, _ *group[document.PendingItem]) PendingItem { return PendingItem{row} })
}

// BillingEvent is a fact of billing, in the API.
type BillingEvent struct{ *document.Event }

// BillingEvents makes nodes of rows.
func (r *Reader) BillingEvents(rows []document.Event) []*BillingEvent {
	return wrap(r, rows, func(row *document.Event, _ *group[document.Event]) BillingEvent { return BillingEvent{row} })
}

// Sequence is its number among those of its account.
func (e *BillingEvent) Sequence() int { return int(e.Event.Sequence) }

// Kind says what happened.
func (e *BillingEvent) Kind() string { return string(e.Event.Kind) }

// DocumentID is that of the invoice, credit note or payment.
func (e *BillingEvent) DocumentID() int64 { return e.Event.DocumentID }

// Data is what the document was like at that time.
func (e *BillingEvent) Data() any { return e.Event.Data }
