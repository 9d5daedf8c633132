package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

func (r mutation) SubscriptionCreate(ctx context.Context, attributes gen.SubscriptionAttributes) (*gen.SubscriptionCreatePayload, error) {
	n, problems := newSubscription(attributes)
	row, err := ifRight(problems, func() (*billing.Subscription, error) {
		return r.service.SubscriptionCreate(ctx, n)
	})
	p := &gen.SubscriptionCreatePayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionUpdate(ctx context.Context, id int64, attributes gen.SubscriptionUpdateAttributes) (*gen.SubscriptionUpdatePayload, error) {
	u, problems := subscriptionUpdate(attributes)
	row, err := ifRight(problems, func() (*billing.Subscription, error) {
		return r.service.SubscriptionUpdate(ctx, billing.SubscriptionID(id), u)
	})
	p := &gen.SubscriptionUpdatePayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionCancel(ctx context.Context, list []int64, cancellationDate *string, atTermEnd *bool) (*gen.SubscriptionCancelPayload, error) {
	on, problems := oneDate("cancellationDate", cancellationDate)
	rows, err := ifRight(problems, func() ([]billing.Subscription, error) {
		return r.service.SubscriptionCancel(ctx, ids[billing.SubscriptionID](list), on, atTermEnd != nil && *atTermEnd)
	})
	p := &gen.SubscriptionCancelPayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionReinstate(ctx context.Context, list []int64, effectiveDate *string) (*gen.SubscriptionReinstatePayload, error) {
	on, problems := oneDate("effectiveDate", effectiveDate)
	rows, err := ifRight(problems, func() ([]billing.Subscription, error) {
		return r.service.SubscriptionReinstate(ctx, ids[billing.SubscriptionID](list), on)
	})
	p := &gen.SubscriptionReinstatePayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionSetAutoRenew(ctx context.Context, list []int64, evergreen bool) (*gen.SubscriptionSetAutoRenewPayload, error) {
	rows, err := r.service.SubscriptionSetAutoRenew(ctx, ids[billing.SubscriptionID](list), evergreen)
	p := &gen.SubscriptionSetAutoRenewPayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionQuantityUpdate(ctx context.Context, subscriptionID int64, quantities []*gen.QuantityAttributes, startDate *string) (*gen.SubscriptionQuantityUpdatePayload, error) {
	var given patch
	orders, from := given.orders(quantities), given.date("startDate", startDate)
	row, err := ifRight(given.problems, func() (*billing.Subscription, error) {
		return r.service.SubscriptionQuantityUpdate(ctx, billing.SubscriptionID(subscriptionID), orders, from)
	})
	p := &gen.SubscriptionQuantityUpdatePayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionPlanChange(ctx context.Context, id int64, priceListCode *string, priceListID *int64, atTermEnd *bool) (*gen.SubscriptionPlanChangePayload, error) {
	row, err := r.service.SubscriptionPlanChange(ctx, billing.SubscriptionID(id), priceListRef(priceListID, priceListCode), atTermEnd != nil && *atTermEnd)
	p := &gen.SubscriptionPlanChangePayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionTrialExtend(ctx context.Context, id int64, trialEndDate string) (*gen.SubscriptionTrialExtendPayload, error) {
	end, problems := oneDate("trialEndDate", &trialEndDate)
	row, err := ifRight(problems, func() (*billing.Subscription, error) {
		return r.service.SubscriptionTrialExtend(ctx, billing.SubscriptionID(id), *end)
	})
	p := &gen.SubscriptionTrialExtendPayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionTrialConvert(ctx context.Context, subscriptionID int64, priceListCode *string, priceListID *int64) (*gen.SubscriptionTrialConvertPayload, error) {
	row, err := r.service.SubscriptionTrialConvert(ctx, billing.SubscriptionID(subscriptionID), priceListRef(priceListID, priceListCode))
	p := &gen.SubscriptionTrialConvertPayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

func (r mutation) SubscriptionTenantUpdate(ctx context.Context, id int64, attributes gen.SubscriptionTenantAttributes) (*gen.SubscriptionTenantUpdatePayload, error) {
	ref, problems := tenantRef(attributes)
	row, err := ifRight(problems, func() (*billing.Subscription, error) {
		return r.service.SubscriptionTenantUpdate(ctx, billing.SubscriptionID(id), ref)
	})
	p := &gen.SubscriptionTenantUpdatePayload{}
	p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions)
	return p, err
}

// outcomes is outcome for a call that changes several subscriptions.
func (r mutation) outcomes(rows []billing.Subscription, failure error) ([]*node.Subscription, []string, []*node.UserError, error) {
	if failure == nil {
		return r.reader.Subscriptions(rows), nil, nil, nil
	}
	_, errors, userErrors, err := outcome[billing.Subscription, node.Subscription](nil, failure, nil)
	return nil, errors, userErrors, err
}

// ifRight runs an operation unless what the caller gave for it is wrong.
func ifRight[T any](problems billing.Problems, run func() (T, error)) (T, error) {
	if err := problems.Err(); err != nil {
		var none T
		return none, err
	}
	return run()
}
