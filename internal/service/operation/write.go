package operation

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// outcome is what is kept of an operation that a caller wants to happen once:
// the thing it was about, or why it was refused.
type outcome struct {
	Row      json.RawMessage  `json:"row,omitempty"`
	Problems billing.Problems `json:"problems,omitempty"`
}

// Write runs one operation in one transaction. For a caller that wants it
// once, the outcome is recorded in that same transaction, and found again
// instead of doing it twice. replayed says that it was found: then row is the
// thing as it was.
func Write[T any](ctx context.Context, s *Runner, do func(context.Context, *store.Tx) (*T, error)) (row *T, replayed bool, err error) {
	caller := CallerOf(ctx)
	if p := PreviewIn(ctx); p != nil {
		before := p.Effects
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			row, err = do(ctx, tx)
			return err
		})
		if err != nil {
			p.Effects = before
		}
		return row, false, err
	}
	if caller.Once == nil {
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			row, err = do(ctx, tx)
			return err
		})
		return row, false, err
	}
	var found *outcome
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if found, err = caller.Once.recorded(ctx, tx, caller.Step); err != nil || found != nil {
			return err
		}
		if row, err = do(ctx, tx); err != nil {
			return err
		}
		return caller.Once.record(ctx, tx, caller.Step, outcome{Row: MustJSON(row)})
	})
	switch {
	case err != nil:
		return nil, false, s.RecordRefusal(ctx, caller, err)
	case found == nil:
		return row, false, nil
	case len(found.Problems) > 0:
		return nil, true, found.Problems
	}
	row = new(T)
	return row, true, json.Unmarshal(found.Row, row)
}

// RecordRefusal keeps a refusal, so that a retry hears the same. Failures that
// are not the caller's are not kept: a retry may do better.
func (s *Runner) RecordRefusal(ctx context.Context, caller Caller, refused error) error {
	problems, known := billing.AsProblems(refused)
	if !known || errors.Is(refused, errLostClaim) {
		return refused
	}
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return caller.Once.record(ctx, tx, caller.Step, outcome{Problems: problems})
	})
	if err != nil {
		return err
	}
	return refused
}

// MustJSON is a value of ours as JSON.
func MustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("service: an outcome must be JSON: " + err.Error())
	}
	return text
}

// Audit records who did what, in the transaction that does it. subject is a
// resource; it is kept as the name of its type in the API.
func Audit(ctx context.Context, tx *store.Tx, action, subject string, id int64, changes map[string]billing.Change) error {
	return store.AuditEntries.InsertLater(ctx, tx, &billing.AuditEntry{
		At: tx.Now, Actor: CallerOf(ctx).Actor, Action: action,
		SubjectType: strings.ToUpper(subject[:1]) + subject[1:], SubjectID: id, Detail: changes,
	})
}

// RecordedBefore returns the outcome of an operation that a caller wants to
// happen once and that has happened, for operations whose effect is outside of
// the database.
func RecordedBefore[T any](ctx context.Context, s *Runner) (row *T, found bool, err error) {
	caller := CallerOf(ctx)
	if caller.Once == nil {
		return nil, false, nil
	}
	var before *outcome
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		before, err = caller.Once.recorded(ctx, tx, caller.Step)
		return err
	})
	switch {
	case err != nil || before == nil:
		return nil, false, err
	case len(before.Problems) > 0:
		return nil, true, before.Problems
	}
	row = new(T)
	return row, true, json.Unmarshal(before.Row, row)
}
