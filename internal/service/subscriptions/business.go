package subscriptions

import (
	"context"
	"fmt"

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
	if !change.IsStanding() {
		return outbox.RecordBusiness(ctx, tx, webhook.SubscriptionEvent(facts, change))
	}
	told := webhook.StandingChange{Subscription: facts, From: fmt.Sprint(change.Detail["from"]), To: fmt.Sprint(change.Detail["to"])}
	if sub.StandingInvoiceID != nil {
		if told.Invoice, err = store.Invoices.Get(ctx, tx.Queries, *sub.StandingInvoiceID); err != nil {
			return err
		}
		if told.Why, err = whyStanding(ctx, tx, sub, told.Invoice); err != nil {
			return err
		}
	}
	return outbox.RecordBusiness(ctx, tx, webhook.StandingEvent(told))
}

// FactsOf is a subscription as business events tell it.
func FactsOf(ctx context.Context, tx *store.Tx, sub *subscription.Subscription) (webhook.SubscriptionFacts, error) {
	names, err := store.NamesOf(ctx, tx.Queries, sub.PriceListID, sub.TenantID)
	return webhook.SubscriptionFacts{
		Subscription: *sub, PlanID: names.PlanID, ProductCode: names.Product, PriceListCode: names.PriceList, PlanCode: names.Plan, TenantCode: names.Tenant,
	}, err
}
