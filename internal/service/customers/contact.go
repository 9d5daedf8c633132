package customers

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Contacts is what changing contacts has in common.
var Contacts = operation.Resource[billing.Contact, billing.ContactID]{
	Name: "contact", Words: "contact", Table: store.Contacts,
	Check: func(ctx context.Context, tx *store.Tx, before, c *billing.Contact) (billing.Problems, error) {
		problems := c.Check()
		if before != nil {
			return append(problems, operation.Fixed("accountId", "A contact stays with its account", before.AccountID, c.AccountID)...), nil
		}
		if c.AccountID == 0 {
			return append(problems, billing.Fail(billing.Required, "accountId", "A contact belongs to an account: give accountId.")), nil
		}
		// Locking the account keeps its search text right when two contacts
		// of it are written at once.
		account, err := store.Accounts.Lock(ctx, tx, c.AccountID)
		if err == nil && account == nil {
			problems = append(problems, billing.Missing("accountId", "account", c.AccountID))
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, c *billing.Contact) error {
		n, err := store.AccountsWithBillingContact(ctx, q, c.AccountID, c.ID)
		if err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The contact is the billing contact of its account; choose another one first.")
		}
		return err
	},
}

// ContactCreate adds a contact to an account.
func (s *Service) ContactCreate(ctx context.Context, edit func(*billing.Contact) error) (*billing.Contact, error) {
	return Contacts.Create(ctx, s.Runner, edit)
}

// ContactUpdate changes a contact.
func (s *Service) ContactUpdate(ctx context.Context, id billing.ContactID, edit func(*billing.Contact) error) (*billing.Contact, error) {
	return Contacts.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Contact, error) {
		if err := lockAccountOfContact(ctx, tx, id); err != nil {
			return nil, err
		}
		return Contacts.UpdateIn(ctx, tx, id, edit)
	})
}

// ContactDelete removes a contact that is not its account's billing contact.
func (s *Service) ContactDelete(ctx context.Context, id billing.ContactID) (*billing.Contact, error) {
	return Contacts.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Contact, error) {
		if err := lockAccountOfContact(ctx, tx, id); err != nil {
			return nil, err
		}
		return Contacts.DeleteIn(ctx, tx, id)
	})
}

// lockAccountOfContact locks the account before its contact, as accountUpdate
// does, which changes both.
func lockAccountOfContact(ctx context.Context, tx *store.Tx, id billing.ContactID) error {
	contact, err := operation.Find(ctx, tx, store.Contacts, "id", Contacts.Words, id)
	if err != nil {
		return err
	}
	_, err = store.Accounts.Lock(ctx, tx, contact.AccountID)
	return err
}
