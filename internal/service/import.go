package service

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// ImportResult is what became of a thing that was imported.
type ImportResult int

// A thing is made, brought in line, or was so already.
const (
	Unchanged ImportResult = iota
	Created
	Changed
)

// ItemError is a failure of one of several things that are imported together.
type ItemError struct {
	Index int
	Err   error
}

func (e *ItemError) Error() string { return fmt.Sprintf("item %d: %v", e.Index, e.Err) }

// Unwrap returns the failure itself.
func (e *ItemError) Unwrap() error { return e.Err }

// importBatch is a transaction that imports several things, with what is written at
// its end for all of them.
type importBatch struct {
	results []ImportResult
	entries []*billing.AuditEntry
}

// importAll runs one transaction of an import. do may run more than once.
func (s *Service) importAll(ctx context.Context, items int, do func(context.Context, *store.Tx, *importBatch) error) ([]ImportResult, error) {
	defer s.wake()
	b, _, err := write(ctx, s, func(ctx context.Context, tx *store.Tx) (*importBatch, error) {
		b := &importBatch{results: make([]ImportResult, items)}
		if err := do(ctx, tx, b); err != nil {
			return nil, err
		}
		return b, store.AuditEntries.InsertAll(ctx, tx, b.entries)
	})
	if err != nil {
		return nil, err
	}
	return b.results, nil
}

// audit is audit that waits for the end of the transaction.
func (b *importBatch) audit(ctx context.Context, tx *store.Tx, action, subject string, id int64, changes map[string]billing.Change) {
	b.entries = append(b.entries, &billing.AuditEntry{
		At: tx.Now, Actor: CallerOf(ctx).Actor, Action: action,
		SubjectType: strings.ToUpper(subject[:1]) + subject[1:], SubjectID: id, Detail: changes,
	})
}

// imported edits a row that is known to be there, nil if it is not, and reports
// what that makes of it.
func imported[T any](known *T, initial T, edit change[T]) (row T, result ImportResult, err error) {
	row, result = initial, Created
	if known != nil {
		row, result = *known, Changed
	}
	if err := edit(&row); err != nil {
		return row, result, err
	}
	if r, ok := any(&row).(interface{ Normalize() }); ok {
		r.Normalize()
	}
	if known != nil && len(billing.Changes(known, &row)) == 0 {
		result = Unchanged
	}
	return row, result, nil
}

// AccountImport is an account as a file has it.
type AccountImport struct {
	Code string
	// Emails are the addresses of the contacts that it will have.
	Emails []string
	Edit   func(*billing.Account) error
}

// ImportAccounts makes accounts be as they are in a file, found by their codes,
// all or nothing.
func (s *Service) ImportAccounts(ctx context.Context, items []AccountImport) ([]ImportResult, error) {
	codes := make([]string, len(items))
	for i := range items {
		codes[i] = items[i].Code
	}
	return s.importAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *importBatch) error {
		known, err := accountsByCode(ctx, tx, codes)
		if err != nil {
			return err
		}
		var fresh []*billing.Account
		var emails [][]string
		for i, item := range items {
			was := known[item.Code]
			row, result, err := imported(was, newAccount(tx), item.Edit)
			if err == nil {
				err = row.Check().Err()
			}
			if err != nil {
				return &ItemError{i, err}
			}
			switch b.results[i] = result; result {
			case Created:
				fresh, emails = append(fresh, &row), append(emails, item.Emails)
			case Changed:
				if err := store.Accounts.Update(ctx, tx, &row); err != nil {
					return &ItemError{i, err}
				}
				b.audit(ctx, tx, "accountUpdate", "account", int64(row.ID), billing.Changes(was, &row))
			}
		}
		if err := store.InsertAccounts(ctx, tx, fresh, emails); err != nil {
			return meanwhile(err, "accounts")
		}
		for _, row := range fresh {
			b.audit(ctx, tx, "accountCreate", "account", int64(row.ID), billing.Changes(nil, row))
		}
		return nil
	})
}

// accountsByCode locks the accounts that exist. One on a test clock is not of
// this world: its dates are made up.
func accountsByCode(ctx context.Context, tx *store.Tx, codes []string) (map[string]*billing.Account, error) {
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

// meanwhile explains that somebody else wrote the same at the same moment.
func meanwhile(err error, words string) error {
	if store.IsDuplicate(err) {
		return billing.Fail(billing.Taken, "", "Somebody else made one of these %s meanwhile: import the file again.", words)
	}
	if store.IsReference(err) {
		return billing.Fail(billing.NotFound, "", "Something that these %s refer to was deleted meanwhile: import the file again.", words)
	}
	return err
}
