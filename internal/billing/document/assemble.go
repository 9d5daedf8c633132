package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Billable is an item for an invoice of an account.
type Billable struct {
	EntityID billing.EntityID
	Currency money.Currency
	// Separate is the subscription of the item if it has invoices of its own, 0
	// otherwise.
	Separate billing.SubscriptionID
	Item     Item
}

// Invoices makes one invoice per entity and currency, and per subscription that
// has invoices of its own, in the order of their first items. One that asks for
// nothing and has nothing to show is not made.
func Invoices(account billing.AccountID, items []Billable) ([]*Invoice, error) {
	type key struct {
		entity   billing.EntityID
		currency money.Currency
		separate billing.SubscriptionID
	}
	var made []*Invoice
	byKey := map[key]*Invoice{}
	for n := range items {
		b := &items[n]
		k := key{b.EntityID, b.Currency, b.Separate}
		i := byKey[k]
		if i == nil {
			i = &Invoice{Kind: SubscriptionInvoice, EntityID: b.EntityID, AccountID: account, Currency: b.Currency}
			if b.Separate != 0 {
				i.SubscriptionID = &b.Separate
			}
			byKey[k], made = i, append(made, i)
		}
		i.Items = append(i.Items, b.Item)
	}
	needed := made[:0]
	for _, i := range made {
		if err := i.Total(); err != nil {
			return nil, err
		}
		if i.IsNeeded() {
			needed = append(needed, i)
		}
	}
	return needed, nil
}

// CreditNotes makes one credit note per entity and currency of the invoices that
// are credited: credit is given by the entity that issued them, whichever the
// account has now.
func CreditNotes(kind CreditKind, reason string, credits []Credit) ([]CreditNote, error) {
	type key struct {
		entity   billing.EntityID
		currency money.Currency
	}
	var order []key
	byKey := map[key][]Credit{}
	for _, c := range credits {
		k := key{c.Invoice.EntityID, c.Invoice.Currency}
		if byKey[k] == nil {
			order = append(order, k)
		}
		byKey[k] = append(byKey[k], c)
	}
	var notes []CreditNote
	for _, k := range order {
		note, err := NewCreditNote(kind, reason, byKey[k])
		if err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return notes, nil
}
