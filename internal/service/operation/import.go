package operation

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

// ImportBatch is a transaction that imports several things, with what is written at
// its end for all of them.
type ImportBatch struct {
	Results []ImportResult
	entries []*billing.AuditEntry
}

// ImportAll runs one transaction of an import. do may run more than once.
func (s *Runner) ImportAll(ctx context.Context, items int, do func(context.Context, *store.Tx, *ImportBatch) error) ([]ImportResult, error) {
	defer s.Wake()
	b, _, err := Write(ctx, s, func(ctx context.Context, tx *store.Tx) (*ImportBatch, error) {
		b := &ImportBatch{Results: make([]ImportResult, items)}
		if err := do(ctx, tx, b); err != nil {
			return nil, err
		}
		return b, store.AuditEntries.InsertAll(ctx, tx, b.entries)
	})
	if err != nil {
		return nil, err
	}
	return b.Results, nil
}

// Audit is audit that waits for the end of the transaction.
func (b *ImportBatch) Audit(ctx context.Context, tx *store.Tx, action, subject string, id int64, changes map[string]billing.Change) {
	b.entries = append(b.entries, &billing.AuditEntry{
		At: tx.Now, Actor: CallerOf(ctx).Actor, Action: action,
		SubjectType: strings.ToUpper(subject[:1]) + subject[1:], SubjectID: id, Detail: changes,
	})
}

// EditImported edits a row that is known to be there, nil if it is not, and reports
// what that makes of it.
func EditImported[T any](known *T, initial T, edit Change[T]) (row T, result ImportResult, err error) {
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
