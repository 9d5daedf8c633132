package graphql

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

func (r mutation) TenantCreate(ctx context.Context, attributes gen.TenantAttributes, subscriptionID *int64) (*gen.TenantCreatePayload, error) {
	var subscription *billing.SubscriptionID
	if subscriptionID != nil {
		id := billing.SubscriptionID(*subscriptionID)
		subscription = &id
	}
	return r.tenantCreatePayload(r.service.Subscriptions.TenantCreate(ctx, editTenant(attributes, true), attributes.PlatformCode.Value(), subscription))
}

func (r mutation) TenantMetricsUpdate(ctx context.Context, code string, platformCode *string, attributes gen.TenantMetricsAttributes) (*gen.TenantMetricsUpdatePayload, error) {
	metrics := subscriptions.TenantMetrics{LastLogin: attributes.LastLogin.Value(), UserCount: attributes.UserCount.Value()}
	if value, set := attributes.UtilizationMetrics.ValueOK(); set && value != nil {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		metrics.UtilizationMetrics = text
	}
	return r.tenantMetricsUpdatePayload(r.service.Subscriptions.TenantMetricsUpdate(ctx, code, platformCode, metrics))
}

func (r mutation) TestClockAdvance(ctx context.Context, id int64, to time.Time) (*gen.TestClockAdvancePayload, error) {
	row, job, err := r.service.Subscriptions.TestClockAdvance(ctx, billing.TestClockID(id), to)
	p := &gen.TestClockAdvancePayload{}
	p.TestClock, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.TestClocks)
	if job != nil {
		p.Job = &node.Job{Job: job}
	}
	return p, err
}
