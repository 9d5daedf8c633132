package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/store"
)

func editEventEndpoint(in gen.EventEndpointAttributes, creating bool) func(*webhook.EventEndpoint) error {
	return edit(setEventEndpoint, in, creating, func(_ *patch, e *webhook.EventEndpoint) {
		types, set := in.Types.ValueOK()
		if !set {
			return
		}
		e.Types = make([]webhook.BusinessType, len(types))
		for i, t := range types {
			e.Types[i] = webhook.BusinessType(t)
		}
	})
}

func (r mutation) EventEndpointSigningSecretRotate(ctx context.Context, id int64, overlapHours *int) (*gen.EventEndpointSigningSecretRotatePayload, error) {
	hours := defaultOverlapHours
	if overlapHours != nil {
		hours = *overlapHours
	}
	return r.eventEndpointSigningSecretRotatePayload(r.service.Delivery.EventEndpointSigningSecretRotate(ctx, billing.EventEndpointID(id), hours))
}

func (r mutation) EventEndpointTest(ctx context.Context, id int64) (*gen.EventEndpointTestPayload, error) {
	test, err := r.service.Delivery.EventEndpointTest(ctx, billing.EventEndpointID(id))
	p := &gen.EventEndpointTestPayload{}
	var endpoint *webhook.EventEndpoint
	if test != nil {
		p.Attempt = &node.WebhookAttempt{Attempt: &test.Attempt}
		if endpoint, err = store.EventEndpoints.Get(ctx, r.service.Read(), billing.EventEndpointID(id)); err != nil {
			return nil, err
		}
	}
	p.EventEndpoint, p.Errors, p.UserErrors, err = outcome(endpoint, err, r.reader.EventEndpoints)
	return p, err
}
