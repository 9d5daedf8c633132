package graphql

import (
	"context"
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Tenant(ctx context.Context, id *int64, code *string, platformCode *string) (*node.Tenant, error) {
	byCode := func(ctx context.Context, _ store.Queries, code string) (*billing.Tenant, error) {
		tenant, err := r.service.Subscriptions.TenantNamed(ctx, code, platformCode)
		if billing.Is(err, billing.NotFound) {
			return nil, nil
		}
		return tenant, err
	}
	row, err := byIDOrCode(ctx, r.resolver, store.Tenants, id, code, byCode)
	return one(row, err, r.reader.Tenants)
}

func (r query) FeatureAccess(ctx context.Context, tenantCode string, platformCode *string, featureCode string) (*subscription.FeatureAccess, error) {
	return r.service.Subscriptions.FeatureAccess(ctx, tenantCode, platformCode, featureCode)
}

func (r query) SubscriptionPreview(ctx context.Context, id int64, priceListCode *string, quantities []*gen.QuantityAttributes, cancellationDate *string) (any, error) {
	var p patch
	preview := subscriptions.Preview{
		PriceList:        subscriptions.PriceListRef{Code: priceListCode},
		Quantities:       p.orders(quantities),
		CancellationDate: p.date("cancellationDate", cancellationDate),
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	body, err := r.service.Subscriptions.SubscriptionPreview(ctx, billing.SubscriptionID(id), preview)
	return json.RawMessage(body), err
}

func (r query) SubscriptionChangePreview(ctx context.Context, id int64, priceListCode *string, quantities []*gen.QuantityAttributes, startDate, cancellationDate *string, unused *subscription.UnusedDays, invoiceImmediately *bool) (*node.ChangePreview, error) {
	var p patch
	preview := subscriptions.Preview{
		PriceList: subscriptions.PriceListRef{Code: priceListCode}, Quantities: p.orders(quantities), StartDate: p.date("startDate", startDate),
		CancellationDate: p.date("cancellationDate", cancellationDate), Unused: valueOf(unused),
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	sub, err := store.Subscriptions.Get(ctx, r.q(), billing.SubscriptionID(id))
	if err != nil {
		return nil, err
	}
	if sub == nil {
		return nil, billing.Missing("id", "subscription", billing.SubscriptionID(id))
	}
	change, err := r.service.Invoicing.PreviewChange(ctx, sub.AccountID, valueOf(invoiceImmediately), func(ctx context.Context) error {
		_, err := r.service.Subscriptions.SubscriptionChange(ctx, sub.ID, preview)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.reader.ChangePreview(change), nil
}
