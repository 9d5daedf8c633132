package drifts

import (
	"context"
	"math"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// sweepBatch is how many tenants one transaction looks through for those that a full
// report does not name.
var sweepBatch = 10_000

// everyTenant is behind all tenants.
const everyTenant = billing.TenantID(math.MaxInt64)

// sweepFirst does, for the last request of a full report on a large platform, what would
// keep one transaction busy for long: it compares the tenants of the request, and then
// looks for those that the report does not name, some at a time. It returns what came of
// the request's tenants, which are not compared again; nil if there was nothing to do
// first. A request that is sent again goes on where this was interrupted.
func (s *Service) sweepFirst(ctx context.Context, r *Report) (*Outcome, error) {
	p, err := store.Platforms.ByCode(ctx, s.Read(), r.PlatformCode)
	if err != nil || p == nil || platformToCompare(p, "") != nil {
		return nil, err // which the request is refused for
	}
	if _, large, err := store.TenantBehind(ctx, s.Read(), p.ID, 0, sweepBatch); err != nil || !large {
		return nil, err
	}
	if _, done, err := operation.RecordedBefore[Outcome](ctx, s.Runner); err != nil || done {
		return nil, err
	}
	if r.Name == nil {
		only := secret.UUID()
		r.Name = &only
	}
	first := *r
	first.Complete = false
	var before *Outcome
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		before, err = first.take(ctx, tx, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	for more := true; more; {
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			more, err = sweepSome(ctx, tx, p.ID, *r.Name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	r.States = nil
	return before, nil
}

// sweepSome sweeps the next tenants of a full report, and says whether there is another
// batch of them.
func sweepSome(ctx context.Context, tx *store.Tx, platform billing.PlatformID, name string) (more bool, err error) {
	full, err := store.LockDriftReport(ctx, tx, platform, name, tx.Now)
	if err != nil || full.Continue(tx.Now) != nil {
		return false, err // which the request is refused for
	}
	last, more, err := store.TenantBehind(ctx, tx.Queries, platform, full.Swept, sweepBatch)
	if err != nil || !more {
		return false, err
	}
	if err := sweep(ctx, tx, full, last); err != nil {
		return false, err
	}
	return true, store.SaveDriftReport(ctx, tx, full)
}

// sweep notes of the tenants up to one that a full report does not name that they are
// missing, and forgets those that neither side has.
func sweep(ctx context.Context, tx *store.Tx, full *drift.FullReport, last billing.TenantID) error {
	missing := drift.JudgeMissing()
	some := store.TenantRange{After: full.Swept, Last: last}
	n, err := outbox.MarkMissing(ctx, tx, full, missing.Digest, full.BegunAt.Add(-drift.Grace), some)
	if err != nil {
		return err
	}
	full.Outcomes[drift.Missing] += int(n)
	full.Swept = last
	return store.ForgetDrift(ctx, tx, full, some)
}
