package operation

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Resource is what creating, changing and deleting has in common for everything
// that is kept. What differs is in its functions.
type Resource[T any, K ~int64] struct {
	// Action is what a change is called in the audit log, if not after name.
	Action string
	Name   string // as in accountCreate, and in messages
	Words  string // as in "the price list"
	Table  *store.Table[T, K]
	// Catalog says that it is part of what is sold, which many remember.
	Catalog bool
	// New is what a new row begins with; if nil, with nothing.
	New func(tx *store.Tx) T
	// Check decides whether row may be saved; before is nil for a new one. If nil,
	// the row's own Check decides.
	Check func(ctx context.Context, tx *store.Tx, before, row *T) (billing.Problems, error)
	// InUse says why row cannot be deleted, if something stands in the way.
	InUse func(ctx context.Context, q store.Queries, row *T) error
	// Release deletes what row owns, before row is deleted.
	Release func(ctx context.Context, tx *store.Tx, row *T) error
	// Taken is the failure when something that identifies row is taken.
	Taken func(row *T) *billing.Error
}

// Change edits a row as the caller asks; it may find fault with that.
type Change[T any] func(*T) error

// Extra is further work in the transaction of an operation.
type Extra[T any] func(ctx context.Context, tx *store.Tx, row *T) error

// ID returns the id of a row.
func (r Resource[T, K]) ID(row *T) K { return r.Table.ID(row) }

// Create adds a row.
func (r Resource[T, K]) Create(ctx context.Context, s *Runner, edit Change[T], then ...Extra[T]) (*T, error) {
	return r.Operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		var row T
		if r.New != nil {
			row = r.New(tx)
		}
		return r.Insert(ctx, tx, row, edit, then...)
	})
}

// Insert is create inside of another operation's transaction.
func (r Resource[T, K]) Insert(ctx context.Context, tx *store.Tx, row T, edit Change[T], then ...Extra[T]) (*T, error) {
	if err := r.Edited(ctx, tx, nil, &row, edit); err != nil {
		return nil, err
	}
	if err := r.Table.Insert(ctx, tx, &row); err != nil {
		return nil, r.Explain(err, &row)
	}
	if err := all(ctx, tx, &row, then); err != nil {
		return nil, err
	}
	return &row, Audit(ctx, tx, r.Name+"Create", r.Name, int64(r.ID(&row)), billing.Changes(nil, &row))
}

// Update changes the row with that id.
func (r Resource[T, K]) Update(ctx context.Context, s *Runner, id K, edit Change[T], then ...Extra[T]) (*T, error) {
	return r.Operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		return r.UpdateIn(ctx, tx, id, edit, then...)
	})
}

// UpdateIn is update inside of an operation that has something to do before.
func (r Resource[T, K]) UpdateIn(ctx context.Context, tx *store.Tx, id K, edit Change[T], then ...Extra[T]) (*T, error) {
	row, err := r.Lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	before := *row
	if err := r.Edited(ctx, tx, &before, row, edit); err != nil {
		return nil, err
	}
	if err := r.Table.Update(ctx, tx, row); err != nil {
		return nil, r.Explain(err, row)
	}
	if err := all(ctx, tx, row, then); err != nil {
		return nil, err
	}
	return row, Audit(ctx, tx, r.UpdateAction(), r.Name, int64(id), billing.Changes(&before, row))
}

// UpdateAction is what a change is called in the audit log.
func (r Resource[T, K]) UpdateAction() string {
	if r.Action != "" {
		return r.Action
	}
	return r.Name + "Update"
}

// Delete removes the row with that id, unless it is in use.
func (r Resource[T, K]) Delete(ctx context.Context, s *Runner, id K) (*T, error) {
	return r.Operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		return r.DeleteIn(ctx, tx, id)
	})
}

// DeleteIn is delete inside of an operation that has something to do before.
func (r Resource[T, K]) DeleteIn(ctx context.Context, tx *store.Tx, id K) (*T, error) {
	row, err := r.Lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if r.InUse != nil {
		if err := r.InUse(ctx, tx.Queries, row); err != nil {
			return nil, err
		}
	}
	if r.Release != nil {
		if err := r.Release(ctx, tx, row); err != nil {
			return nil, err
		}
	}
	if err := r.Table.Delete(ctx, tx, row); err != nil {
		if store.IsReference(err) {
			// Somebody began to use it between the look and the deletion.
			return nil, billing.Fail(billing.InUse, "id", "The %s is in use and cannot be deleted.", r.Words)
		}
		return nil, err
	}
	return row, Audit(ctx, tx, r.Name+"Delete", r.Name, int64(id), billing.Changes(row, nil))
}

// Operation runs do once. When it was done before, the row is shown as it is
// now, or as it was if it is gone.
func (r Resource[T, K]) Operation(ctx context.Context, s *Runner, do func(context.Context, *store.Tx) (*T, error)) (*T, error) {
	row, replayed, err := Write(ctx, s, r.alone(do))
	if err != nil || !replayed {
		return row, err
	}
	now, err := r.Table.Get(ctx, s.Read(), r.ID(row))
	if err != nil || now == nil {
		return row, err
	}
	return now, nil
}

// alone lets changes of the catalog happen one after the other.
func (r Resource[T, K]) alone(do func(context.Context, *store.Tx) (*T, error)) func(context.Context, *store.Tx) (*T, error) {
	if !r.Catalog {
		return do
	}
	return func(ctx context.Context, tx *store.Tx) (*T, error) {
		if err := store.LockCatalog(ctx, tx); err != nil {
			return nil, err
		}
		return do(ctx, tx)
	}
}

// Lock returns the row with that id, which stays as it is until the transaction ends.
func (r Resource[T, K]) Lock(ctx context.Context, tx *store.Tx, id K) (*T, error) {
	row, err := r.Table.Lock(ctx, tx, id)
	if err == nil && row == nil {
		err = billing.Missing("id", r.Words, id)
	}
	return row, err
}

// Edited applies the caller's edit and checks the outcome; what is wrong with
// either is told together.
func (r Resource[T, K]) Edited(ctx context.Context, tx *store.Tx, before, row *T, edit Change[T]) error {
	var problems billing.Problems
	if err := edit(row); err != nil {
		found, known := billing.AsProblems(err)
		if !known {
			return err
		}
		problems = found
	}
	if r, ok := any(row).(interface{ Normalize() }); ok {
		r.Normalize()
	}
	found, err := r.problems(ctx, tx, before, row)
	if err != nil {
		return err
	}
	return append(problems, found...).Err()
}

func (r Resource[T, K]) problems(ctx context.Context, tx *store.Tx, before, row *T) (billing.Problems, error) {
	if r.Check == nil {
		return any(row).(interface{ Check() billing.Problems }).Check(), nil
	}
	return r.Check(ctx, tx, before, row)
}

// And adds problems to what else is wrong.
func And(err error, more ...*billing.Error) error {
	problems, known := billing.AsProblems(err)
	if err != nil && !known {
		return err
	}
	return append(problems, more...).Err()
}

// Explain turns a violated constraint into words.
func (r Resource[T, K]) Explain(err error, row *T) error {
	switch {
	case store.IsDuplicate(err) && r.Taken != nil:
		return r.Taken(row)
	case store.IsDuplicate(err):
		return billing.Fail(billing.Taken, "", "There is such a %s already.", r.Words)
	case store.IsReference(err):
		return billing.Fail(billing.NotFound, "", "Something that the %s refers to was deleted meanwhile.", r.Words)
	}
	return err
}

func all[T any](ctx context.Context, tx *store.Tx, row *T, then []Extra[T]) error {
	for _, do := range then {
		if err := do(ctx, tx, row); err != nil {
			return err
		}
	}
	return nil
}

// Find returns what a table has under an id that a caller gave, or a problem
// with that field.
func Find[T any, K ~int64](ctx context.Context, tx *store.Tx, table *store.Table[T, K], field, words string, id K) (*T, error) {
	row, err := table.Get(ctx, tx.Queries, id)
	if err == nil && row == nil {
		return nil, billing.Missing(field, words, id)
	}
	return row, err
}
