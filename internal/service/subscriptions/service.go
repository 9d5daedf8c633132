// Package subscriptions contains the operations on subscriptions, tenants and test
// clocks, and performs transitions when they are due.
package subscriptions

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// Service has the operations on subscriptions, tenants and test clocks.
type Service struct {
	*operation.Runner
	Jobs         *jobs.Service
	Provisioning *provisioning.Service
	// Batch is how many due subscriptions are looked up at once, and AdvanceWait
	// how long a call waits for a test clock.
	Batch       int
	AdvanceWait time.Duration

	// Billing bills accounts; nil if nothing is billed.
	Billing Billing

	passes passes
}

// Billing bills accounts: on test clocks, as passing time does with the others, and
// at once where a caller asks for that.
type Billing interface {
	// RunClock bills a batch of accounts on which something is due by a day, and
	// returns how many it looked at.
	RunClock(ctx context.Context, clock billing.TestClockID, day billing.Date) (looked int, err error)
	// NextDunningOnClock is when a step of an unpaid invoice is due next on a test clock,
	// and whether there is one.
	NextDunningOnClock(ctx context.Context, tx *store.Tx, clock billing.TestClockID) (time.Time, bool, error)
	// BillIn bills the accounts of subscriptions, which are locked, in the transaction
	// that changed these.
	BillIn(ctx context.Context, tx *store.Tx, subs []subscription.Subscription) (Issued, error)
}

// New returns the operations on subscriptions, tenants and test clocks.
func New(r *operation.Runner, j *jobs.Service, p *provisioning.Service) *Service {
	return &Service{
		Runner: r, Jobs: j, Provisioning: p,
		Batch: dueBatch, AdvanceWait: advanceWait, passes: passes{maxDowntime: MaxDowntime},
	}
}
