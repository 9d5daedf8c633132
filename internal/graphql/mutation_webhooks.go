package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/provisioning"
)

// defaultOverlapHours is how long an old signing secret goes on signing unless
// the caller says otherwise.
const defaultOverlapHours = 24

func (r mutation) WorkflowUpdate(ctx context.Context, id int64, attributes gen.WorkflowAttributes, release *webhook.Release) (*gen.WorkflowUpdatePayload, error) {
	return r.workflowUpdatePayload(r.service.Delivery.WorkflowUpdate(ctx, billing.WorkflowID(id), editWorkflow(attributes), releaseOf(release)))
}

func (r mutation) PlatformEndpointResume(ctx context.Context, id int64, release *webhook.Release) (*gen.PlatformEndpointResumePayload, error) {
	return r.platformEndpointResumePayload(r.service.Delivery.PlatformEndpointResume(ctx, billing.PlatformID(id), releaseOf(release)))
}

func (r mutation) PlatformSigningSecretRotate(ctx context.Context, id int64, overlapHours *int) (*gen.PlatformSigningSecretRotatePayload, error) {
	hours := defaultOverlapHours
	if overlapHours != nil {
		hours = *overlapHours
	}
	return r.platformSigningSecretRotatePayload(r.service.Delivery.PlatformSigningSecretRotate(ctx, billing.PlatformID(id), hours))
}

func (r mutation) PlatformWebhookTest(ctx context.Context, id int64) (*gen.PlatformWebhookTestPayload, error) {
	test, err := r.service.Delivery.PlatformWebhookTest(ctx, billing.PlatformID(id))
	p := &gen.PlatformWebhookTestPayload{}
	var platform *webhook.Platform
	if test != nil {
		platform, p.Attempt = &test.Platform, &node.WebhookAttempt{Attempt: &test.Attempt}
	}
	p.Platform, p.Errors, p.UserErrors, err = outcome(platform, err, r.reader.Platforms)
	return p, err
}

func (r mutation) WebhookEventResend(ctx context.Context, id int64, force *bool) (*gen.WebhookEventResendPayload, error) {
	row, err := r.service.Delivery.WebhookEventResend(ctx, billing.EventID(id), force != nil && *force)
	p := &gen.WebhookEventResendPayload{}
	p.WebhookEvent, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.WebhookEvents)
	return p, err
}

func (r mutation) WebhookEventsResend(ctx context.Context, filter string, latestPerTenant, dryRun *bool) (*gen.WebhookEventsResendPayload, error) {
	many, err := r.service.Delivery.WebhookEventsResend(ctx, filter, latestPerTenant == nil || *latestPerTenant, dryRun != nil && *dryRun)
	p := &gen.WebhookEventsResendPayload{}
	if err == nil {
		p.Count = &many.Count
		if many.Job != nil {
			p.Job = &node.Job{Job: many.Job}
		}
		return p, nil
	}
	_, p.Errors, p.UserErrors, err = outcome[billing.Job](nil, err, r.reader.Jobs)
	return p, err
}

func (r mutation) TenantSync(ctx context.Context, id *int64, code, platformCode *string) (*gen.TenantSyncPayload, error) {
	p := &gen.TenantSyncPayload{}
	synced, err := r.syncTenant(ctx, id, code, platformCode)
	if err != nil {
		_, p.Errors, p.UserErrors, err = outcome[billing.Tenant](nil, err, r.reader.Tenants)
		return p, err
	}
	if synced.EventID != 0 {
		if p.WebhookEvent, err = query(r).WebhookEvent(ctx, int64(synced.EventID)); err != nil {
			return nil, err
		}
	}
	p.Tenant = r.reader.Tenants([]billing.Tenant{synced.Tenant})[0]
	return p, nil
}

// syncTenant finds the tenant by whichever the caller gave.
func (r mutation) syncTenant(ctx context.Context, id *int64, code, platformCode *string) (*provisioning.TenantSync, error) {
	switch {
	case id == nil && code == nil:
		return nil, billing.Fail(billing.Required, "id", "Give the id or the code of the tenant.")
	case id != nil && code != nil:
		return nil, billing.Fail(billing.Invalid, "code", "Give the id or the code of the tenant, not both.")
	case id != nil:
		return r.service.Provisioning.TenantSync(ctx, billing.TenantID(*id))
	}
	tenant, err := r.service.Subscriptions.TenantNamed(ctx, *code, platformCode)
	if err != nil {
		return nil, err
	}
	return r.service.Provisioning.TenantSync(ctx, tenant.ID)
}
