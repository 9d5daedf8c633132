package store

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Contacts keeps billing.Contact.
var Contacts = newTable(Table[billing.Contact, billing.ContactID]{
	name: "contact",
	columns: []string{
		"id", "account_id", "first_name", "last_name", "email", "code",
		"title", "salutation", "phone", "mobile",
		"mailing_street", "mailing_city", "mailing_state", "mailing_zip", "mailing_country",
		"created_at", "updated_at",
	},
	fields: func(c *billing.Contact) []any {
		return []any{
			&c.ID, &c.AccountID, &c.FirstName, &c.LastName, &c.Email, &c.Code,
			&c.Title, &c.Salutation, &c.Phone, &c.Mobile,
			&c.MailingStreet, &c.MailingCity, &c.MailingState, &c.MailingZip, &c.MailingCountry,
			millis(&c.CreatedAt), millis(&c.UpdatedAt),
		}
	},
	stamps: func(c *billing.Contact) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
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
		"id": {"id", number, nil}, "name": {"first_name", name, nil}, "code": {"code", exact, nil},
		"email": {"email", folded, nil}, "account": {"account_id", refer, []string{"account"}},
		"created": {"created_at", moment, nil}, "updated": {"updated_at", moment, nil},
	},
	indexed: true,
})

// ContactByCode returns the oldest contact with that code, or nil: contacts'
// codes need not be unique.
func ContactByCode(ctx context.Context, q Queries, code string) (*billing.Contact, error) {
	return Contacts.by(ctx, q, "code", code)
}

// ContactsOf returns the contacts of those accounts.
func ContactsOf(ctx context.Context, q Queries, accounts []billing.AccountID) ([]billing.Contact, error) {
	return Contacts.children(ctx, q, "account_id", jsonList(accounts), billing.Filter{}, MaxNested)
}

// DeleteContactsOf removes an account's contacts.
func DeleteContactsOf(ctx context.Context, tx *Tx, a billing.AccountID) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM contact WHERE account_id = $1`, int64(a))
	if err != nil {
		return 0, err
	}
	return n, reindexAccount(ctx, tx, a)
}
