package customers

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// ContactImport is a contact as a file has it. Contacts need no code: those of
// an account are told apart by code, or else by address, or else by name, and
// those that are alike even then by their order, which Nth counts from 0.
type ContactImport struct {
	AccountCode string
	Nth         int
	// Billing says whether it is the account's billing contact; nil says
	// nothing about that.
	Billing *bool
	Edit    func(*billing.Contact) error
}

// ContactKey is what a contact of an account is told apart by.
func ContactKey(c *billing.Contact) string {
	switch {
	case c.Code != nil:
		return "code " + *c.Code
	case c.Email != nil:
		return "email " + billing.Fold(*c.Email)
	}
	return "name " + c.FullName()
}

// contactPlace is one of the contacts of an account that are alike.
type contactPlace struct {
	account billing.AccountID
	key     string
	nth     int
}

// ImportContacts makes contacts be as they are in a file, all or nothing.
func (s *Service) ImportContacts(ctx context.Context, items []ContactImport) ([]operation.ImportResult, error) {
	codes := make([]string, len(items))
	for i := range items {
		codes[i] = items[i].AccountCode
	}
	return s.ImportAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
		accounts, err := AccountsByCode(ctx, tx, operation.Unique(codes))
		if err != nil {
			return err
		}
		known, err := contactsOf(ctx, tx, accounts)
		if err != nil {
			return err
		}
		rows := make([]*billing.Contact, len(items))
		var fresh []*billing.Contact
		for i, item := range items {
			account := accounts[item.AccountCode]
			if account == nil {
				return &operation.ItemError{Index: i, Err: billing.Fail(billing.NotFound, "account", "There is no account with the code %q.", item.AccountCode)}
			}
			was, row, result, err := importContact(known, account.ID, item)
			if err != nil {
				return &operation.ItemError{Index: i, Err: err}
			}
			switch rows[i], b.Results[i] = row, result; result {
			case operation.Created:
				fresh = append(fresh, row)
			case operation.Changed:
				if err := store.Contacts.Update(ctx, tx, row); err != nil {
					return &operation.ItemError{Index: i, Err: err}
				}
				b.Audit(ctx, tx, "contactUpdate", "contact", int64(row.ID), billing.Changes(was, row))
			}
		}
		if err := store.Contacts.InsertAll(ctx, tx, fresh); err != nil {
			return operation.ImportedMeanwhile(err, "contacts")
		}
		for _, row := range fresh {
			b.Audit(ctx, tx, "contactCreate", "contact", int64(row.ID), billing.Changes(nil, row))
		}
		return importBillingContacts(ctx, tx, b, items, accounts, rows)
	})
}

func contactsOf(ctx context.Context, tx *store.Tx, accounts map[string]*billing.Account) (map[contactPlace]*billing.Contact, error) {
	ids := make([]billing.AccountID, 0, len(accounts))
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	rows, err := store.AllContactsOf(ctx, tx.Queries, ids)
	known := make(map[contactPlace]*billing.Contact, len(rows))
	for i := range rows {
		place := contactPlace{rows[i].AccountID, ContactKey(&rows[i]), 0}
		for known[place] != nil {
			place.nth++
		}
		known[place] = &rows[i]
	}
	return known, err
}

func importContact(known map[contactPlace]*billing.Contact, account billing.AccountID, item ContactImport) (was, row *billing.Contact, result operation.ImportResult, err error) {
	var alone billing.Contact
	if err := item.Edit(&alone); err != nil {
		return nil, nil, 0, err
	}
	alone.Normalize()
	was = known[contactPlace{account, ContactKey(&alone), item.Nth}]
	edited, result, err := operation.EditImported(was, billing.Contact{AccountID: account}, item.Edit)
	if err == nil {
		err = edited.Check().Err()
	}
	return was, &edited, result, err
}

// importBillingContacts lets accounts have the billing contacts that a file
// says.
func importBillingContacts(ctx context.Context, tx *store.Tx, b *operation.ImportBatch, items []ContactImport, accounts map[string]*billing.Account, rows []*billing.Contact) error {
	var changed []*billing.Account
	for i, item := range items {
		if item.Billing == nil {
			continue
		}
		account, id := accounts[item.AccountCode], rows[i].ID
		is := account.BillingContactID != nil && *account.BillingContactID == id
		if is == *item.Billing {
			continue
		}
		before := *account
		if account.BillingContactID = &id; !*item.Billing {
			account.BillingContactID = nil
		}
		changed = append(changed, account)
		if b.Results[i] == operation.Unchanged {
			b.Results[i] = operation.Changed
		}
		b.Audit(ctx, tx, "accountUpdate", "account", int64(account.ID), billing.Changes(&before, account))
	}
	return store.SetBillingContacts(ctx, tx, changed)
}
