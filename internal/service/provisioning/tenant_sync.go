package provisioning

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// TenantSync is a tenant whose state is being sent, and the event that carries
// it: 0 if its platform has provisioning switched off.
type TenantSync struct {
	Tenant  billing.Tenant
	EventID billing.EventID
}

// TenantSync records an event of the current state of a tenant, whether that
// has changed or not.
func (s *Service) TenantSync(ctx context.Context, id billing.TenantID) (*TenantSync, error) {
	row, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*TenantSync, error) {
		tenant, err := operation.Find(ctx, tx, store.Tenants, "id", "tenant", id)
		if err != nil {
			return nil, err
		}
		recorded, err := RecordNumbered(ctx, tx, []billing.TenantID{id}, subscription.KindTenantSync)
		if err != nil {
			return nil, err
		}
		done := &TenantSync{Tenant: *tenant, EventID: recorded[id].ID}
		return done, operation.Audit(ctx, tx, "tenantSync", "tenant", int64(id), map[string]billing.Change{
			"webhookEvent": {From: operation.MustJSON(nil), To: operation.MustJSON(done.EventID)},
		})
	})
	return row, err
}

// Status says of tenants how far their applications are up to date. One
// is not while a job runs that still has to tell it something.
func (s *Service) Status(ctx context.Context, rows []billing.Tenant) (map[billing.TenantID]webhook.ProvisioningStatus, error) {
	ids := make([]billing.TenantID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	// Jobs first: whatever one has done by then is in the streams.
	coming, err := s.JobsToReach(ctx, rows)
	if err != nil {
		return nil, err
	}
	streams, err := outbox.StreamsOf(ctx, s.Read(), ids)
	if err != nil {
		return nil, err
	}
	status := make(map[billing.TenantID]webhook.ProvisioningStatus, len(rows))
	for _, id := range ids {
		one := streams[id].Status()
		one.InSync = one.InSync && len(coming[id]) == 0
		status[id] = one
	}
	return status, nil
}

// JobsToReach returns of tenants the open jobs that have yet to tell them
// something, the oldest first.
func (s *Service) JobsToReach(ctx context.Context, rows []billing.Tenant) (map[billing.TenantID][]billing.Job, error) {
	var open []billing.Job
	for _, kind := range []string{billing.JobFanOut, billing.JobProvisioning} {
		jobs, err := store.OpenJobs(ctx, s.Read(), kind)
		if err != nil {
			return nil, err
		}
		open = append(open, jobs...)
	}
	if len(open) == 0 {
		return nil, nil
	}
	slices.SortFunc(open, func(a, b billing.Job) int { return cmp.Compare(a.ID, b.ID) })
	ids := make([]billing.TenantID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	products, err := store.LiveProducts(ctx, s.Read(), ids)
	if err != nil {
		return nil, err
	}
	told, err := store.AmongToTell(ctx, s.Read(), ids)
	if err != nil {
		return nil, err
	}
	coming := map[billing.TenantID][]billing.Job{}
	for i := range open {
		params, err := jobs.Params[FanOut](&open[i])
		if err != nil {
			continue // nobody can do that job, so it reaches nobody
		}
		for _, t := range rows {
			if params.covers(&t, products[t.ID], told) && int64(t.ID) > open[i].Cursor {
				coming[t.ID] = append(coming[t.ID], open[i])
			}
		}
	}
	return coming, nil
}

// covers says whether a fan-out tells a tenant with live subscriptions to those
// products. told are the tenants that one to a whole platform tells.
func (p FanOut) covers(t *billing.Tenant, products []billing.ProductID, told []billing.TenantID) bool {
	if p.PlatformID != 0 {
		return t.PlatformID == p.PlatformID && slices.Contains(told, t.ID)
	}
	return slices.Contains(products, p.ProductID)
}
