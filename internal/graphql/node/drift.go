package node

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/store"
)

// TenantDrift is what came of comparing a tenant.
type TenantDrift struct{ *drift.Tenant }

// Drift is what came of comparing the tenant the last time, nil if it never was.
func (t *Tenant) Drift(ctx context.Context) (*TenantDrift, error) {
	of, err := together(t.group, "drift", func(rows []billing.Tenant) (map[billing.TenantID]*drift.Tenant, error) {
		return store.DriftOf(ctx, t.group.reader.q(), keys(rows, always(func(t *billing.Tenant) billing.TenantID { return t.ID })))
	})
	if err != nil || of[t.ID] == nil {
		return nil, err
	}
	return &TenantDrift{of[t.ID]}, nil
}

// Features are those that differ.
func (t *TenantDrift) Features() []*FeatureDrift { return featureDrifts(t.Differences) }

// FeatureDrift is a feature that differs.
type FeatureDrift struct{ drift.Difference }

func featureDrifts(differences []drift.Difference) []*FeatureDrift {
	list := make([]*FeatureDrift, len(differences))
	for i, d := range differences {
		list[i] = &FeatureDrift{d}
	}
	return list
}

// Expected is what was told.
func (f *FeatureDrift) Expected() any { return side(f.Difference.Expected) }

// Actual is what the application has.
func (f *FeatureDrift) Actual() any { return side(f.Difference.Actual) }

func side(s *drift.Side) any {
	if s == nil {
		return nil
	}
	return map[string]any{"value": s.Value, "quantity": s.Quantity}
}

// DriftOutcomes counts the outcomes of a report.
type DriftOutcomes struct{ drift.Counts }

// InSync counts the tenants that are in sync.
func (o *DriftOutcomes) InSync() int { return o.Counts[drift.InSync] }

// Behind counts the tenants that are behind.
func (o *DriftOutcomes) Behind() int { return o.Counts[drift.Behind] }

// Drifted counts the tenants that have drifted.
func (o *DriftOutcomes) Drifted() int { return o.Counts[drift.Drifted] }

// Ahead counts the tenants that are ahead.
func (o *DriftOutcomes) Ahead() int { return o.Counts[drift.Ahead] }

// UnknownTenant counts the tenants that are only in the application.
func (o *DriftOutcomes) UnknownTenant() int { return o.Counts[drift.UnknownTenant] }

// Missing counts the tenants that are not in the application.
func (o *DriftOutcomes) Missing() int { return o.Counts[drift.Missing] }

// DriftReport is a full report.
type DriftReport struct{ *drift.FullReport }

// Report is the application's id of it.
func (r *DriftReport) Report() string { return r.Name }

// Outcomes counts its tenants.
func (r *DriftReport) Outcomes() *DriftOutcomes { return &DriftOutcomes{r.FullReport.Outcomes} }

// DriftReports are the newest full reports of the platform.
func (n *Platform) DriftReports(ctx context.Context, limit *int) ([]*DriftReport, error) {
	most := 50
	if limit != nil {
		if most = *limit; most < 1 || most > 1000 {
			return nil, billing.Fail(billing.Invalid, "limit", "limit must be from 1 to 1000, not %d.", most)
		}
	}
	of, err := together(n.group, fmt.Sprintf("driftReports %d", most), func(rows []webhook.Platform) (map[billing.PlatformID][]drift.FullReport, error) {
		return store.DriftReportsOf(ctx, n.group.reader.q(), keys(rows, always(func(p *webhook.Platform) billing.PlatformID { return p.ID })), most)
	})
	reports := make([]*DriftReport, len(of[n.ID]))
	for i := range of[n.ID] {
		reports[i] = &DriftReport{&of[n.ID][i]}
	}
	return reports, err
}

// TenantStateOutcome is a tenant in a report that is not in sync.
type TenantStateOutcome struct{ *drifts.Differing }

// Features are those that differ.
func (t *TenantStateOutcome) Features() []*FeatureDrift { return featureDrifts(t.Differences) }
