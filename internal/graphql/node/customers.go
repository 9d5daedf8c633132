package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Account is a customer in the API.
type Account struct {
	*billing.Account
	group *group[billing.Account]
}

// Accounts makes nodes of accounts that were loaded together.
func (r *Reader) Accounts(rows []billing.Account) []*Account {
	return wrap(r, rows, func(a *billing.Account, g *group[billing.Account]) Account { return Account{a, g} })
}

// Contacts are the account's, in the order of ids.
func (a *Account) Contacts(ctx context.Context) ([]*Contact, error) {
	of, err := together(a.group, "contacts", func(rows []billing.Account) (map[billing.AccountID][]*Contact, error) {
		found, err := store.ContactsOf(ctx, a.group.reader.q(), keys(rows, always(func(a *billing.Account) billing.AccountID { return a.ID })))
		return collect(a.group.reader.Contacts(found), func(c *Contact) billing.AccountID { return c.AccountID }), err
	})
	return of[a.ID], err
}

// BillingContact is the contact that bills go to, if there is one.
func (a *Account) BillingContact(ctx context.Context) (*Contact, error) {
	if a.BillingContactID == nil {
		return nil, nil
	}
	byID, err := together(a.group, "billingContact", func(rows []billing.Account) (map[billing.ContactID]*Contact, error) {
		ids := keys(rows, maybe(func(a *billing.Account) *billing.ContactID { return a.BillingContactID }))
		found, err := store.Contacts.ByIDs(ctx, a.group.reader.q(), ids)
		return index(a.group.reader.Contacts(found), func(c *Contact) billing.ContactID { return c.ID }), err
	})
	return byID[*a.BillingContactID], err
}

// Contact is a person of an account in the API.
type Contact struct {
	*billing.Contact
	group *group[billing.Contact]
}

// Contacts makes nodes of contacts that were loaded together.
func (r *Reader) Contacts(rows []billing.Contact) []*Contact {
	return wrap(r, rows, func(c *billing.Contact, g *group[billing.Contact]) Contact { return Contact{c, g} })
}

// Account is the one the contact belongs to.
func (c *Contact) Account(ctx context.Context) (*Account, error) {
	byID, err := together(c.group, "account", func(rows []billing.Contact) (map[billing.AccountID]*Account, error) {
		ids := keys(rows, always(func(c *billing.Contact) billing.AccountID { return c.AccountID }))
		found, err := store.Accounts.ByIDs(ctx, c.group.reader.q(), ids)
		return index(c.group.reader.Accounts(found), func(a *Account) billing.AccountID { return a.ID }), err
	})
	return byID[c.AccountID], err
}
