package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

func (r query) WorkflowPreview(ctx context.Context, workflowID int64, payloadProgram *string, tenantID *int64) (any, error) {
	return r.service.Delivery.WorkflowPreview(ctx, billing.WorkflowID(workflowID), payloadProgram, (*billing.TenantID)(tenantID))
}

func (r query) WebhookEvent(ctx context.Context, id int64) (*node.WebhookEvent, error) {
	rows, err := log.LoggedEvents(ctx, r.q(), []billing.EventID{billing.EventID(id)})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return r.reader.WebhookEvents(rows)[0], nil
}

func (r query) WebhookEvents(ctx context.Context, filter *string, limit *int) ([]*node.WebhookEvent, error) {
	page, err := pageOf(filter, "limit", limit)
	if err != nil {
		return nil, err
	}
	rows, err := log.ListEvents(ctx, r.q(), page)
	return r.reader.WebhookEvents(rows), err
}

func (r query) WebhookEventsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.WebhookEventConnection, error) {
	id := func(n *node.WebhookEvent) int64 { return int64(n.ID) }
	return connectBy(ctx, r.resolver, log.ListEvents, log.CountEvents, r.reader.WebhookEvents, id, first, after, filter)
}
