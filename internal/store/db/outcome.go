package db

import "context"

// Outcome is how a transaction ended.
type Outcome int

// What became of a transaction.
const (
	Committed Outcome = iota
	// RolledBack means that nothing of it was done; it may be run again, as
	// another transaction.
	RolledBack
	// InDoubt means that nobody knows whether it is committed: see IsInDoubt.
	InDoubt
)

// OnEnd has hook called once, with its outcome, when the transaction has ended.
// Others may wait for the hook: it must not block.
func (tx *Tx) OnEnd(hook func(Outcome)) { tx.hooks = append(tx.hooks, hook) }

// BeforeCommit has hook called when the transaction has done everything else, as its
// last part: for what is locked or written behind all others.
func (tx *Tx) BeforeCommit(hook func(context.Context, *Tx) error) { tx.last = append(tx.last, hook) }

// finish runs what BeforeCommit was given.
func (tx *Tx) finish(ctx context.Context) error {
	for _, hook := range tx.last {
		if err := hook(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) end(outcome Outcome) {
	hooks := tx.hooks
	tx.hooks = nil
	for _, hook := range hooks {
		hook(outcome)
	}
}
