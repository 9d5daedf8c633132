package customers

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// AccountImport is an account as a file has it.
type AccountImport struct {
	Code string
	// Emails are the addresses of the contacts that it will have.
	Emails []string
	Edit   func(*billing.Account) error
}

// ImportAccounts makes accounts be as they are in a file, found by their codes,
// all or nothing.
func (s *Service) ImportAccounts(ctx context.Context, items []AccountImport) ([]operation.ImportResult, error) {
	codes := make([]string, len(items))
	for i := range items {
		codes[i] = items[i].Code
	}
	results, err := s.ImportAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
		known, err := AccountsByCode(ctx, tx, codes)
		if err != nil {
			return err
		}
		var fresh []*billing.Account
		var emails [][]string
		var changed []billing.AccountID
		for i, item := range items {
			was := known[item.Code]
			row, result, err := operation.EditImported(was, NewAccount(tx), item.Edit)
			if err == nil {
				err = row.Check().Err()
			}
			if err == nil && was != nil {
				var problems billing.Problems
				if problems, err = checkEntity(ctx, tx, was, &row); err == nil {
					err = operation.RenameField(problems.Err(), "entityId", "entity")
				}
			}
			if err != nil {
				return &operation.ItemError{Index: i, Err: err}
			}
			switch b.Results[i] = result; result {
			case operation.Created:
				fresh, emails = append(fresh, &row), append(emails, item.Emails)
			case operation.Changed:
				if err := store.Accounts.Update(ctx, tx, &row); err != nil {
					return &operation.ItemError{Index: i, Err: err}
				}
				b.Audit(ctx, tx, "accountUpdate", "account", int64(row.ID), billing.Changes(was, &row))
				if err := billAgain(ctx, tx, was, &row); err != nil {
					return err
				}
				if err := dunAgain(ctx, tx, was, &row); err != nil {
					return err
				}
				changed = append(changed, row.ID)
			}
		}
		if len(changed) > 0 {
			if err := store.RenewDrafts(ctx, tx, changed); err != nil {
				return err
			}
		}
		if err := store.InsertAccounts(ctx, tx, fresh, emails); err != nil {
			return operation.ImportedMeanwhile(err, "accounts")
		}
		for _, row := range fresh {
			b.Audit(ctx, tx, "accountCreate", "account", int64(row.ID), billing.Changes(nil, row))
		}
		return nil
	})
	s.Wake()
	return results, err
}

// AccountsByCode locks the accounts that exist. One on a test clock is not of
// this world: its dates are made up.
func AccountsByCode(ctx context.Context, tx *store.Tx, codes []string) (map[string]*billing.Account, error) {
	rows, err := store.AccountsByCode(ctx, tx, codes, true)
	if err != nil {
		return nil, err
	}
	known := make(map[string]*billing.Account, len(rows))
	for i := range rows {
		if rows[i].TestClockID != nil {
			return nil, billing.Fail(billing.NotAllowed, "account", "The account %q is on a test clock: import it under another code, or delete the clock.", *rows[i].Code)
		}
		known[*rows[i].Code] = &rows[i]
	}
	return known, nil
}
