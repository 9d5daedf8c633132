package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// Recipe is where and how the webhooks are sent.
func (w *Workflow) Recipe() *WorkflowRecipe { return &WorkflowRecipe{w.Workflow, w} }

// WorkflowRecipe is where and how the webhooks of a workflow are sent, in the
// API.
type WorkflowRecipe struct {
	*webhook.Workflow
	of *Workflow
}

// URL is the address, which is the platform's.
func (r *WorkflowRecipe) URL(ctx context.Context) (*string, error) {
	platform, err := r.of.Platform(ctx)
	if err != nil || platform == nil {
		return nil, err
	}
	return platform.WebhookURL, nil
}

// Headers are the further request headers, without secrets.
func (r *WorkflowRecipe) Headers() (any, error) {
	return r.of.group.reader.Service.Delivery.WorkflowHeaders(r.Workflow)
}

// Workflow is the one of the platform.
func (p *Platform) Workflow(ctx context.Context) (*Workflow, error) {
	r := p.group.reader
	of, err := together(p.group, "workflow", func(rows []webhook.Platform) (map[billing.PlatformID]*Workflow, error) {
		found, err := store.WorkflowsOf(ctx, r.q(), keys(rows, always(platformID)))
		return index(r.Workflows(found), func(w *Workflow) billing.PlatformID { return w.PlatformID }), err
	})
	if err == nil && of[p.ID] == nil {
		return nil, billing.Fail(billing.NotFound, "", "The platform was deleted, and its workflow with it.")
	}
	return of[p.ID], err
}

// EndpointState says whether webhooks can be sent now.
func (p *Platform) EndpointState(ctx context.Context) (webhook.EndpointState, error) {
	r, err := p.route(ctx)
	if err != nil {
		return "", err
	}
	if r == nil {
		return p.Platform.EndpointState(), nil // it is gone: this is what it was set to
	}
	return r.State(), nil
}

// SecretsNeeded are the attributes with secrets to be set again.
func (p *Platform) SecretsNeeded(ctx context.Context) ([]string, error) {
	names := []string{}
	r, err := p.route(ctx)
	if err != nil || r == nil {
		return names, err
	}
	for _, n := range r.NeededSecrets() {
		names = append(names, n.Name)
	}
	return names, nil
}

// route is how the platform's webhooks go, nil if it is gone.
func (p *Platform) route(ctx context.Context) (*outbox.Route, error) {
	of, err := together(p.group, "endpoint", func(rows []webhook.Platform) (map[billing.PlatformID]*outbox.Route, error) {
		routes, err := outbox.RoutesOf(ctx, p.group.reader.q(), keys(rows, always(platformID)))
		of := make(map[billing.PlatformID]*outbox.Route, len(routes))
		for i := range routes {
			of[routes[i].Platform.ID] = &routes[i]
		}
		return of, err
	})
	return of[p.ID], err
}

func platformID(p *webhook.Platform) billing.PlatformID { return p.ID }
