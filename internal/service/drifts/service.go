// Package drifts has the operations on drift: it takes the reports of applications,
// compares them with what the applications were told, and repairs tenants that differ.
package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// batch is how many tenants are compared at once: the bodies of their events are in
// memory together.
const batch = 500

// Service has the operations on drift.
type Service struct {
	*operation.Runner
	newForm func(ctx context.Context, program string) (drift.Form, error)
}

// UsePrograms says who runs the state programs of workflows: newForm reads one, to be run
// on tenants while ctx lasts. It comes before all operations.
func (s *Service) UsePrograms(newForm func(ctx context.Context, program string) (drift.Form, error)) {
	s.newForm = newForm
}

func noPlatform(code string) error {
	return billing.Fail(billing.NotFound, "platformCode", "There is no platform with code %q.", billing.Excerpt(code))
}

// platformToCompare finds the platform that an application reports for, if it can be
// compared with what it was told.
func platformToCompare(p *webhook.Platform, field string) error {
	switch {
	case !p.ProvisioningEnabled:
		return billing.Fail(billing.NotAllowed, field, "The platform %q does not provision tenants, so nothing was told that a report could be compared with. Enable provisioning first.", p.Code)
	case p.DriftPolicy == drift.Off:
		return billing.Fail(billing.NotAllowed, field, "The platform %q takes no reports: its driftPolicy is OFF.", p.Code)
	}
	return nil
}
