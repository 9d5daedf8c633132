package subscriptions

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// tellBusiness has event endpoints told of what happened to a subscription.
func tellBusiness(ctx context.Context, tx *store.Tx, sub *subscription.Subscription, change subscription.Change) error {
	wanted, err := store.HasEventEndpoints(ctx, tx.Queries)
	if err != nil || !wanted {
		return err
	}
	facts, err := FactsOf(ctx, tx, sub)
	if err != nil {
		return err
	}
	return outbox.RecordBusiness(ctx, tx, webhook.SubscriptionEvent(facts, change))
}

// FactsOf is a subscription as business events tell it.
func FactsOf(ctx context.Context, tx *store.Tx, sub *subscription.Subscription) (webhook.SubscriptionFacts, error) {
	names, err := store.NamesOf(ctx, tx.Queries, sub.PriceListID, sub.TenantID)
	return webhook.SubscriptionFacts{
		Subscription: *sub, PlanID: names.PlanID, ProductCode: names.Product, PriceListCode: names.PriceList, PlanCode: names.Plan, TenantCode: names.Tenant,
	}, err
}
