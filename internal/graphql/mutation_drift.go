package graphql

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/store"
)

func (r mutation) TenantStateReport(ctx context.Context, platformCode string, report *string, complete *bool, tenants []*gen.TenantStateAttributes) (*gen.TenantStateReportPayload, error) {
	states, problems := statesOf(tenants)
	done, err := ifRight(problems, func() (*drifts.Outcome, error) {
		return r.service.Drifts.TenantStateReport(ctx, drifts.Report{PlatformCode: platformCode, Name: report, Complete: complete != nil && *complete, States: states})
	})
	p := &gen.TenantStateReportPayload{}
	if err != nil {
		p.Errors, p.UserErrors, err = refused(err)
		return p, err
	}
	platform, err := store.Platforms.Get(ctx, r.q(), done.PlatformID)
	if p.Platform, err = one(platform, err, r.reader.Platforms); err != nil {
		return nil, err
	}
	if done.Full != nil {
		p.DriftReport = &node.DriftReport{FullReport: done.Full}
	}
	p.Outcomes, p.Repaired = &node.DriftOutcomes{Counts: done.Counts}, &done.Repaired
	p.Tenants = make([]*node.TenantStateOutcome, len(done.Differing))
	for i := range done.Differing {
		p.Tenants[i] = &node.TenantStateOutcome{Differing: &done.Differing[i]}
	}
	return p, nil
}

// statesOf are tenants as the caller gave them. What is not said is refused: an
// application that forgets its features has not lost them.
func statesOf(tenants []*gen.TenantStateAttributes) ([]drift.State, billing.Problems) {
	if len(tenants) > drift.MostTenants {
		return make([]drift.State, len(tenants)), nil // which is refused for that
	}
	var problems billing.Problems
	states := make([]drift.State, len(tenants))
	for i, t := range tenants {
		sequence, features := t.Sequence.Value(), t.Features.Value()
		if sequence == nil {
			problems.Add(billing.Requiredf(fmt.Sprintf("tenants.%d.sequence", i), "Tenant %d has no sequence. It is the highest webhook-sequence that was acted on, or 0 for none.", i+1))
			continue
		}
		if features == nil {
			problems.Add(billing.Requiredf(fmt.Sprintf("tenants.%d.features", i), "Tenant %d has no list of features. If it has none, the list is empty.", i+1))
			continue
		}
		states[i] = drift.State{Code: valueOf(t.Code.Value()), Sequence: *sequence, At: t.At.Value(), Features: make([]drift.Feature, len(features))}
		for n, f := range features {
			states[i].Features[n] = drift.Feature{Code: valueOf(f.Code.Value()), Value: valueOf(f.Value.Value()), Quantity: f.Quantity.Value()}
		}
	}
	return states, problems
}

func (r mutation) DriftRepair(ctx context.Context, platformID *int64, tenantIds []int64) (*gen.DriftRepairPayload, error) {
	ids := make([]billing.TenantID, len(tenantIds))
	for i, id := range tenantIds {
		ids[i] = billing.TenantID(id)
	}
	done, err := r.service.Drifts.DriftRepair(ctx, (*billing.PlatformID)(platformID), ids)
	p := &gen.DriftRepairPayload{}
	if err != nil {
		p.Errors, p.UserErrors, err = refused(err)
		return p, err
	}
	tenants, err := store.Tenants.ByIDs(ctx, r.q(), done.Tenants)
	if err != nil {
		return nil, err
	}
	p.Tenants, p.Waiting = r.reader.Tenants(tenants), &done.Waiting
	return p, nil
}
