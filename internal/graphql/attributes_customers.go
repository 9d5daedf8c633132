package graphql

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editAccount(in gen.AccountAttributes, creating bool) func(*billing.Account) error {
	return edit(setAccount, in, creating, func(_ *patch, a *billing.Account) {
		if contact, set := in.BillingContact.ValueOK(); set && contact == nil && !in.BillingContactID.IsSet() {
			a.BillingContactID = nil
		}
	})
}

// editBillingContact returns nil when the caller described none.
func editBillingContact(in gen.AccountAttributes) func(*billing.Contact) error {
	contact := in.BillingContact.Value()
	if contact == nil {
		return nil
	}
	return func(c *billing.Contact) error {
		account := c.AccountID
		err := edit(setContact, *contact, c.ID == 0)(c)
		c.AccountID = account // it is the account's own, whatever was sent
		return err
	}
}
