package store

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Contacts keeps billing.Contact.
var Contacts = newTable(Table[billing.Contact, billing.ContactID]{
	name:      "contact",
	id:        func(c *billing.Contact) *billing.ContactID { return &c.ID },
	described: billing.ContactFields,
	stamps:    func(c *billing.Contact) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words: func(c *billing.Contact) []string {
		return []string{c.FullName(), deref(c.Code), deref(c.Email)}
	},
	changed: func(ctx context.Context, tx *Tx, before, after *billing.Contact) error {
		var accounts []billing.AccountID
		for _, c := range []*billing.Contact{before, after} {
			if c != nil {
				accounts = append(accounts, c.AccountID)
			}
		}
		slices.Sort(accounts) // in one order, so that two moves cannot block each other
		for _, id := range slices.Compact(accounts) {
			if err := reindexAccount(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	},
	inserted: contactsInserted,
	filters: map[string]field{
		"name": {"first_name", name, nil}, "email": {"email", folded, nil}, "account": {"account_id", refer, []string{"account"}},
	},
	indexed: true,
})

// DeleteContactsOf removes an account's contacts.
func DeleteContactsOf(ctx context.Context, tx *Tx, a billing.AccountID) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM contact WHERE account_id = $1`, int64(a))
	if err != nil {
		return 0, err
	}
	return n, reindexAccount(ctx, tx, a)
}
