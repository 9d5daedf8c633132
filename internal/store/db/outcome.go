package db

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

func (tx *Tx) end(outcome Outcome) {
	hooks := tx.hooks
	tx.hooks = nil
	for _, hook := range hooks {
		hook(outcome)
	}
}
