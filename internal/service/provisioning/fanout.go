package provisioning

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// FanOut is a change of a product's features that reaches every tenant with a
// live subscription to it.
type FanOut struct {
	ProductID billing.ProductID `json:"productId,omitempty"`
	// PlatformID is set instead when a whole platform is told.
	PlatformID billing.PlatformID `json:"platformId,omitempty"`
	Reason     string             `json:"reason"`
	Actor      string             `json:"actor"`
}

// LockProduct locks the product whose features are about to change. It comes
// before all other locks of such an operation.
func LockProduct(ctx context.Context, tx *store.Tx, field string, id billing.ProductID) (*catalog.Product, error) {
	product, err := store.Products.Lock(ctx, tx, id)
	if err == nil && product == nil {
		err = billing.Missing(field, "product", id)
	}
	return product, err
}

// StartFanOut records, in the transaction of a change to a product's features,
// that its tenants are to be told. The product is locked. However many tenants
// there are, this costs the same.
func StartFanOut(ctx context.Context, tx *store.Tx, product billing.ProductID, reason string) error {
	some, err := store.SubscriptionsForProduct(ctx, tx.Queries, product)
	if err != nil || !some {
		return err
	}
	return jobs.Insert(ctx, tx, billing.JobFanOut, FanOut{ProductID: product, Reason: reason, Actor: operation.CallerOf(ctx).Actor})
}

// RunFanOut tells the next batch of tenants.
func (s *Service) RunFanOut(ctx context.Context, job *billing.Job) error {
	params, err := jobs.Params[FanOut](job)
	if err != nil {
		return s.Jobs.Fail(ctx, job, err)
	}
	if job.Total == 0 {
		if job.Total, err = params.count(ctx, s.Read()); err != nil {
			return err
		}
	}
	_, _, err = s.tellBatch(ctx, job, params, s.Batch, 0)
	if err == nil || s.IsOutage(ctx, err) {
		return err
	}
	// One of them cannot be told. One by one, it stops nobody else.
	for range s.Batch {
		tried, more, err := s.tellBatch(ctx, job, params, 1, jobs.Claim)
		if err != nil && len(tried) == 1 && !s.IsOutage(ctx, err) {
			more, err = s.passOver(ctx, job, params, tried[0], err)
		}
		if err != nil || !more {
			return err
		}
	}
	s.Jobs.LetGo(ctx, job, 0)
	return nil
}

func (p FanOut) count(ctx context.Context, q store.Queries) (int, error) {
	if p.PlatformID != 0 {
		return store.CountTenantsToTell(ctx, q, p.PlatformID)
	}
	return store.CountLiveTenants(ctx, q, p.ProductID)
}

// next returns the tenants to tell after those that were told.
func (p FanOut) next(ctx context.Context, tx *store.Tx, job *billing.Job, size int) ([]billing.TenantID, error) {
	after := billing.TenantID(job.Cursor)
	if p.PlatformID != 0 {
		return store.TenantsToTell(ctx, tx.Queries, p.PlatformID, after, size)
	}
	return store.LiveTenants(ctx, tx.Queries, p.ProductID, after, size)
}

// tellBatch records the events of the next tenants and how far the job has
// come, in one transaction. The job stays the caller's for a while. It returns
// whom it tried to tell, and whether there is more to do.
func (s *Service) tellBatch(ctx context.Context, job *billing.Job, params FanOut, size int, keep time.Duration) (tried []billing.TenantID, more bool, err error) {
	mine, err := s.Jobs.Update(ctx, job, func(ctx context.Context, tx *store.Tx, mine *billing.Job) (err error) {
		if tried, err = params.next(ctx, tx, mine, size); err != nil {
			return err
		}
		if err := RecordEvents(ctx, tx, tried, params.Reason); err != nil {
			return err
		}
		mine.Done += len(tried)
		mine.ClaimedUntil = tx.Now.Add(keep)
		more = advance(tx, job, mine, tried, size)
		return nil
	})
	return tried, more && mine, err
}

// passOver counts a tenant as one that cannot be told, if it is still the next.
func (s *Service) passOver(ctx context.Context, job *billing.Job, params FanOut, id billing.TenantID, why error) (more bool, err error) {
	mine, err := s.Jobs.Update(ctx, job, func(ctx context.Context, tx *store.Tx, mine *billing.Job) error {
		more = true
		ids, err := params.next(ctx, tx, mine, 1)
		if err != nil || len(ids) == 0 || ids[0] != id {
			return err
		}
		text := why.Error()
		mine.Failed++
		mine.Error = &text
		mine.ClaimedUntil = tx.Now.Add(jobs.Claim)
		more = advance(tx, job, mine, ids, 1)
		return nil
	})
	return more && mine, err
}

// advance moves a job behind the tenants that were dealt with, or ends it if
// those were the last. It reports whether there is more to do.
func advance(tx *store.Tx, known, job *billing.Job, ids []billing.TenantID, size int) bool {
	job.Total = max(known.Total, job.Done+job.Failed)
	if len(ids) == size {
		job.Cursor = int64(ids[size-1])
		return true
	}
	jobs.End(tx, job)
	return false
}
