package service

import (
	"context"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// resource is what creating, changing and deleting has in common for everything
// that is kept. What differs is in its functions.
type resource[T any, K ~int64] struct {
	// action is what a change is called in the audit log, if not after name.
	action string
	name   string // as in accountCreate, and in messages
	words  string // as in "the price list"
	table  *store.Table[T, K]
	id     func(*T) K
	// catalog says that it is part of what is sold, which many remember.
	catalog bool
	// check decides whether row may be saved; before is nil for a new one.
	check func(ctx context.Context, tx *store.Tx, before, row *T) (billing.Problems, error)
	// inUse says why row cannot be deleted, if something stands in the way.
	inUse func(ctx context.Context, q store.Queries, row *T) error
	// release deletes what row owns, before row is deleted.
	release func(ctx context.Context, tx *store.Tx, row *T) error
	// taken is the failure when something that identifies row is taken.
	taken func(row *T) *billing.Error
}

// change edits a row as the caller asks; it may find fault with that.
type change[T any] func(*T) error

// extra is further work in the transaction of an operation.
type extra[T any] func(ctx context.Context, tx *store.Tx, row *T) error

// create adds a row that starts from what initial gives.
func (r resource[T, K]) create(ctx context.Context, s *Service, initial func(*store.Tx) T, edit change[T], then ...extra[T]) (*T, error) {
	return r.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		return r.insert(ctx, tx, initial(tx), edit, then...)
	})
}

// insert is create inside of another operation's transaction.
func (r resource[T, K]) insert(ctx context.Context, tx *store.Tx, row T, edit change[T], then ...extra[T]) (*T, error) {
	if err := r.edited(ctx, tx, nil, &row, edit); err != nil {
		return nil, err
	}
	if err := r.table.Insert(ctx, tx, &row); err != nil {
		return nil, r.explain(err, &row)
	}
	if err := all(ctx, tx, &row, then); err != nil {
		return nil, err
	}
	return &row, audit(ctx, tx, r.name+"Create", r.name, int64(r.id(&row)), billing.Changes(nil, &row))
}

// update changes the row with that id.
func (r resource[T, K]) update(ctx context.Context, s *Service, id K, edit change[T], then ...extra[T]) (*T, error) {
	return r.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		return r.updateIn(ctx, tx, id, edit, then...)
	})
}

// updateIn is update inside of an operation that has something to do before.
func (r resource[T, K]) updateIn(ctx context.Context, tx *store.Tx, id K, edit change[T], then ...extra[T]) (*T, error) {
	row, err := r.lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	before := *row
	if err := r.edited(ctx, tx, &before, row, edit); err != nil {
		return nil, err
	}
	if err := r.table.Update(ctx, tx, row); err != nil {
		return nil, r.explain(err, row)
	}
	if err := all(ctx, tx, row, then); err != nil {
		return nil, err
	}
	return row, audit(ctx, tx, r.updateAction(), r.name, int64(id), billing.Changes(&before, row))
}

// updateAction is what a change is called in the audit log.
func (r resource[T, K]) updateAction() string {
	if r.action != "" {
		return r.action
	}
	return r.name + "Update"
}

// delete removes the row with that id, unless it is in use.
func (r resource[T, K]) delete(ctx context.Context, s *Service, id K) (*T, error) {
	return r.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*T, error) {
		return r.deleteIn(ctx, tx, id)
	})
}

// deleteIn is delete inside of an operation that has something to do before.
func (r resource[T, K]) deleteIn(ctx context.Context, tx *store.Tx, id K) (*T, error) {
	row, err := r.lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if r.inUse != nil {
		if err := r.inUse(ctx, tx.Queries, row); err != nil {
			return nil, err
		}
	}
	if r.release != nil {
		if err := r.release(ctx, tx, row); err != nil {
			return nil, err
		}
	}
	if err := r.table.Delete(ctx, tx, row); err != nil {
		if store.IsReference(err) {
			// Somebody began to use it between the look and the deletion.
			return nil, billing.Fail(billing.InUse, "id", "The %s is in use and cannot be deleted.", r.words)
		}
		return nil, err
	}
	return row, audit(ctx, tx, r.name+"Delete", r.name, int64(id), billing.Changes(row, nil))
}

// operation runs do once. When it was done before, the row is shown as it is
// now, or as it was if it is gone.
func (r resource[T, K]) operation(ctx context.Context, s *Service, do func(context.Context, *store.Tx) (*T, error)) (*T, error) {
	row, replayed, err := write(ctx, s, r.alone(do))
	if err != nil || !replayed {
		return row, err
	}
	now, err := r.table.Get(ctx, s.Read(), r.id(row))
	if err != nil || now == nil {
		return row, err
	}
	return now, nil
}

// alone lets changes of the catalog happen one after the other.
func (r resource[T, K]) alone(do func(context.Context, *store.Tx) (*T, error)) func(context.Context, *store.Tx) (*T, error) {
	if !r.catalog {
		return do
	}
	return func(ctx context.Context, tx *store.Tx) (*T, error) {
		if err := store.LockCatalog(ctx, tx); err != nil {
			return nil, err
		}
		return do(ctx, tx)
	}
}

func (r resource[T, K]) lock(ctx context.Context, tx *store.Tx, id K) (*T, error) {
	row, err := r.table.Lock(ctx, tx, id)
	if err == nil && row == nil {
		err = billing.Missing("id", r.words, id)
	}
	return row, err
}

// edited applies the caller's edit and checks the outcome; what is wrong with
// either is told together.
func (r resource[T, K]) edited(ctx context.Context, tx *store.Tx, before, row *T, edit change[T]) error {
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
	found, err := r.check(ctx, tx, before, row)
	if err != nil {
		return err
	}
	return append(problems, found...).Err()
}

// and adds problems to what else is wrong.
func and(err error, more ...*billing.Error) error {
	problems, known := billing.AsProblems(err)
	if err != nil && !known {
		return err
	}
	return append(problems, more...).Err()
}

// explain turns a violated constraint into words.
func (r resource[T, K]) explain(err error, row *T) error {
	switch {
	case store.IsDuplicate(err) && r.taken != nil:
		return r.taken(row)
	case store.IsReference(err):
		return billing.Fail(billing.NotFound, "", "Something that the %s refers to was deleted meanwhile.", r.words)
	}
	return err
}

func all[T any](ctx context.Context, tx *store.Tx, row *T, then []extra[T]) error {
	for _, do := range then {
		if err := do(ctx, tx, row); err != nil {
			return err
		}
	}
	return nil
}

// find returns what a table has under an id that a caller gave, or a problem
// with that field.
func find[T any, K ~int64](ctx context.Context, tx *store.Tx, table *store.Table[T, K], field, words string, id K) (*T, error) {
	row, err := table.Get(ctx, tx.Queries, id)
	if err == nil && row == nil {
		return nil, billing.Missing(field, words, id)
	}
	return row, err
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
