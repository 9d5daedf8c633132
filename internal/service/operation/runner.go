package operation

import (
	"context"

	"github.com/tenantry/tenantry/internal/store"
)

// Runner runs operations on one database, each in one transaction.
type Runner struct {
	Store *store.Store
	// woken gets a signal when there may be something new to do in the
	// background.
	woken chan struct{}
}

// NewRunner returns a runner of operations on a database.
func NewRunner(s *store.Store) *Runner { return &Runner{Store: s, woken: make(chan struct{}, 1)} }

// Woken is signaled after changes that background work may have to follow.
func (r *Runner) Woken() <-chan struct{} { return r.woken }

// Wake says that there may be something new to do in the background.
func (r *Runner) Wake() {
	select {
	case r.woken <- struct{}{}:
	default: // a signal is there already
	}
}

// Read gives the doors what they need to show lists and things.
func (r *Runner) Read() store.Queries { return r.Store.Queries() }

// IsOutage reports whether a failure is the database's.
func (r *Runner) IsOutage(ctx context.Context, err error) bool {
	return ctx.Err() != nil || store.IsOutage(err) || r.Store.Ping(ctx) != nil
}
