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

func (r *Reader) accountsByID(ctx context.Context, ids []billing.AccountID) (map[billing.AccountID]*Account, error) {
	found, err := store.Accounts.ByIDs(ctx, r.q(), ids)
	return index(r.Accounts(found), func(a *Account) billing.AccountID { return a.ID }), err
}

func accountID(a *billing.Account) billing.AccountID { return a.ID }

// Subscriptions are the account's that match the filter.
func (a *Account) Subscriptions(ctx context.Context, filter *string) ([]*Subscription, error) {
	r := a.group.reader
	of, err := together(a.group, "subscriptions "+text(filter), func(rows []billing.Account) (map[billing.AccountID][]*Subscription, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		found, err := store.SubscriptionsOfAccounts(ctx, r.q(), keys(rows, always(accountID)), parsed)
		return collect(r.Subscriptions(found), func(s *Subscription) billing.AccountID { return s.AccountID }), err
	})
	return of[a.ID], err
}

// Tenants are the account's.
func (a *Account) Tenants(ctx context.Context) ([]*Tenant, error) {
	r := a.group.reader
	of, err := together(a.group, "tenants", func(rows []billing.Account) (map[billing.AccountID][]*Tenant, error) {
		found, err := store.TenantsOfAccounts(ctx, r.q(), keys(rows, always(accountID)))
		return collect(r.Tenants(found), func(t *Tenant) billing.AccountID { return t.AccountID }), err
	})
	return of[a.ID], err
}

// TestClock is the clock the account's dates follow, if not the real one.
func (a *Account) TestClock(ctx context.Context) (*TestClock, error) {
	if a.TestClockID == nil {
		return nil, nil
	}
	r := a.group.reader
	byID, err := together(a.group, "testClock", func(rows []billing.Account) (map[billing.TestClockID]*TestClock, error) {
		found, err := store.TestClocks.ByIDs(ctx, r.q(), keys(rows, maybe(func(a *billing.Account) *billing.TestClockID { return a.TestClockID })))
		return index(r.TestClocks(found), func(c *TestClock) billing.TestClockID { return c.ID }), err
	})
	return byID[*a.TestClockID], err
}

// Contacts are the account's, in the order of ids.
func (a *Account) Contacts(ctx context.Context) ([]*Contact, error) {
	of, err := together(a.group, "contacts", func(rows []billing.Account) (map[billing.AccountID][]*Contact, error) {
		found, err := store.ContactsOf(ctx, a.group.reader.q(), keys(rows, always(accountID)))
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
		return c.group.reader.accountsByID(ctx, keys(rows, always(func(c *billing.Contact) billing.AccountID { return c.AccountID })))
	})
	return byID[c.AccountID], err
}
