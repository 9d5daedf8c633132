package graphql

import (
	"context"
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Subscription(ctx context.Context, id int64) (*node.Subscription, error) {
	row, err := store.Subscriptions.Get(ctx, r.q(), billing.SubscriptionID(id))
	return one(row, err, r.reader.Subscriptions)
}

func (r query) Subscriptions(ctx context.Context, filter *string, limit *int) ([]*node.Subscription, error) {
	return list(ctx, r.resolver, store.Subscriptions, r.reader.Subscriptions, filter, limit)
}

func (r query) SubscriptionsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.SubscriptionConnection, error) {
	id := func(n *node.Subscription) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Subscriptions, r.reader.Subscriptions, id, first, after, filter)
}

func (r query) TestClock(ctx context.Context, id int64) (*node.TestClock, error) {
	row, err := store.TestClocks.Get(ctx, r.q(), billing.TestClockID(id))
	return one(row, err, r.reader.TestClocks)
}

func (r query) TestClocks(ctx context.Context, filter *string, limit *int) ([]*node.TestClock, error) {
	return list(ctx, r.resolver, store.TestClocks, r.reader.TestClocks, filter, limit)
}

func (r query) TestClocksConnection(ctx context.Context, first *int, after *string, filter *string) (*node.TestClockConnection, error) {
	id := func(n *node.TestClock) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.TestClocks, r.reader.TestClocks, id, first, after, filter)
}

func (r query) Job(ctx context.Context, id int64) (*node.Job, error) {
	row, err := store.Jobs.Get(ctx, r.q(), billing.JobID(id))
	return one(row, err, r.reader.Jobs)
}

func (r query) Jobs(ctx context.Context, filter *string, limit *int) ([]*node.Job, error) {
	return list(ctx, r.resolver, store.Jobs, r.reader.Jobs, filter, limit)
}

func (r query) JobsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.JobConnection, error) {
	id := func(n *node.Job) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Jobs, r.reader.Jobs, id, first, after, filter)
}

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

func (r query) Tenants(ctx context.Context, filter *string, limit *int) ([]*node.Tenant, error) {
	return list(ctx, r.resolver, store.Tenants, r.reader.Tenants, filter, limit)
}

func (r query) TenantsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.TenantConnection, error) {
	id := func(n *node.Tenant) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Tenants, r.reader.Tenants, id, first, after, filter)
}

func (r query) FeatureAccess(ctx context.Context, tenantCode string, platformCode *string, featureCode string) (*billing.FeatureAccess, error) {
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
