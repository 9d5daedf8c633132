package provisioning

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// State returns all that webhooks tell about a tenant now.
func (s *Service) State(ctx context.Context, id billing.TenantID) (*webhook.ProvisioningState, error) {
	states, err := s.States(ctx, []billing.TenantID{id})
	if err != nil || len(states) == 0 {
		return nil, err
	}
	return states[0], nil
}

// States is ProvisioningState for several tenants.
func (s *Service) States(ctx context.Context, ids []billing.TenantID) ([]*webhook.ProvisioningState, error) {
	return LoadStates(ctx, s.Store.Snapshot(), ids, nil)
}
