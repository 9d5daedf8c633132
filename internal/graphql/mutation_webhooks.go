package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

// defaultOverlapHours is how long an old signing secret goes on signing unless
// the caller says otherwise.
const defaultOverlapHours = 24

func (r mutation) WorkflowUpdate(ctx context.Context, id int64, attributes gen.WorkflowAttributes, release *billing.Release) (*gen.WorkflowUpdatePayload, error) {
	row, err := r.service.WorkflowUpdate(ctx, billing.WorkflowID(id), editWorkflow(attributes), releaseOf(release))
	p := &gen.WorkflowUpdatePayload{}
	p.Workflow, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Workflows)
	return p, err
}

func (r mutation) PlatformEndpointResume(ctx context.Context, id int64, release *billing.Release) (*gen.PlatformEndpointResumePayload, error) {
	row, err := r.service.PlatformEndpointResume(ctx, billing.PlatformID(id), releaseOf(release))
	p := &gen.PlatformEndpointResumePayload{}
	p.Platform, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Platforms)
	return p, err
}

func (r mutation) PlatformSigningSecretRotate(ctx context.Context, id int64, overlapHours *int) (*gen.PlatformSigningSecretRotatePayload, error) {
	hours := defaultOverlapHours
	if overlapHours != nil {
		hours = *overlapHours
	}
	row, err := r.service.PlatformSigningSecretRotate(ctx, billing.PlatformID(id), hours)
	p := &gen.PlatformSigningSecretRotatePayload{}
	p.Platform, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Platforms)
	return p, err
}

func (r mutation) PlatformWebhookTest(ctx context.Context, id int64) (*gen.PlatformWebhookTestPayload, error) {
	test, err := r.service.PlatformWebhookTest(ctx, billing.PlatformID(id))
	p := &gen.PlatformWebhookTestPayload{}
	var platform *billing.Platform
	if test != nil {
		platform, p.Attempt = &test.Platform, &node.WebhookAttempt{Attempt: &test.Attempt}
	}
	p.Platform, p.Errors, p.UserErrors, err = outcome(platform, err, r.reader.Platforms)
	return p, err
}
