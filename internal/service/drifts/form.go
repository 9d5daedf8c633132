package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// TenantStateReportOf is TenantStateReport for tenants as the application sent them: in
// the standard form, or in the one that the platform's state program reads.
func (s *Service) TenantStateReportOf(ctx context.Context, r Report, body []byte) (*Outcome, error) {
	form, err := s.formOf(ctx, r.PlatformCode)
	if err != nil {
		return nil, err
	}
	if form != nil {
		// A program may have changed since the request was carried out under its key.
		if done, found, err := operation.RecordedBefore[Outcome](ctx, s.Runner); err != nil || found {
			return done, err
		}
	}
	if r.States, err = drift.Parse(body, form); err != nil {
		return nil, err
	}
	return s.TenantStateReport(ctx, r)
}

// formOf returns what brings the reports for a platform into the standard form, nil if
// they are in it. No program runs for a platform that takes no reports.
func (s *Service) formOf(ctx context.Context, platformCode string) (drift.Form, error) {
	p, err := store.Platforms.ByCode(ctx, s.Read(), platformCode)
	if err == nil && p == nil {
		err = noPlatform(platformCode)
	}
	if err != nil {
		return nil, err
	}
	workflows, err := store.WorkflowsOf(ctx, s.Read(), []billing.PlatformID{p.ID})
	if err != nil || len(workflows) == 0 || workflows[0].StateProgram == nil {
		return nil, err
	}
	if err := platformToCompare(p, "platformCode"); err != nil {
		return nil, err
	}
	if s.newForm == nil {
		return nil, billing.Fail(billing.NotAllowed, "", "This process does not run state programs.")
	}
	form, err := s.newForm(ctx, *workflows[0].StateProgram)
	if err != nil {
		return nil, billing.Invalidf("", "The stateProgram of the platform %q cannot be used: %v.", p.Code, err)
	}
	return form, nil
}
