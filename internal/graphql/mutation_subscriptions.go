package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

func (r mutation) SubscriptionCreate(ctx context.Context, attributes gen.SubscriptionAttributes) (*gen.SubscriptionCreatePayload, error) {
	n, problems := newSubscription(attributes)
	return r.subscriptionCreatePayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionCreate(ctx, n)
	}))
}

func (r mutation) SubscriptionUpdate(ctx context.Context, id int64, attributes gen.SubscriptionUpdateAttributes) (*gen.SubscriptionUpdatePayload, error) {
	u, problems := subscriptionUpdate(attributes)
	return r.subscriptionUpdatePayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionUpdate(ctx, billing.SubscriptionID(id), u)
	}))
}

func (r mutation) SubscriptionCancel(ctx context.Context, list []int64, cancellationDate *string, atTermEnd *bool, unused *subscription.UnusedDays) (*gen.SubscriptionCancelPayload, error) {
	on, problems := oneDate("cancellationDate", cancellationDate)
	rows, err := ifRight(problems, func() ([]subscription.Subscription, error) {
		c := subscription.Cancellation{On: on, AtTermEnd: valueOf(atTermEnd), Unused: valueOf(unused)}
		return r.service.Subscriptions.SubscriptionCancel(ctx, ids[billing.SubscriptionID](list), c)
	})
	p := &gen.SubscriptionCancelPayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionReinstate(ctx context.Context, list []int64, effectiveDate *string) (*gen.SubscriptionReinstatePayload, error) {
	on, problems := oneDate("effectiveDate", effectiveDate)
	rows, err := ifRight(problems, func() ([]subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionReinstate(ctx, ids[billing.SubscriptionID](list), on)
	})
	p := &gen.SubscriptionReinstatePayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionSetAutoRenew(ctx context.Context, list []int64, evergreen bool) (*gen.SubscriptionSetAutoRenewPayload, error) {
	rows, err := r.service.Subscriptions.SubscriptionSetAutoRenew(ctx, ids[billing.SubscriptionID](list), evergreen)
	p := &gen.SubscriptionSetAutoRenewPayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionQuantityUpdate(ctx context.Context, subscriptionID int64, quantities []*gen.QuantityAttributes, startDate *string, atTermEnd *bool, scheduled *subscription.Scheduled, unused *subscription.UnusedDays) (*gen.SubscriptionQuantityUpdatePayload, error) {
	var given patch
	update := subscription.QuantityUpdate{
		Orders: given.orders(quantities), StartDate: given.date("startDate", startDate), AtTermEnd: valueOf(atTermEnd), Scheduled: valueOf(scheduled),
		Unused: valueOf(unused),
	}
	return r.subscriptionQuantityUpdatePayload(ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionQuantityUpdate(ctx, billing.SubscriptionID(subscriptionID), update)
	}))
}

func (r mutation) SubscriptionPlanChange(ctx context.Context, id int64, priceListCode *string, priceListID *int64, atTermEnd *bool, quantities []*gen.QuantityAttributes, term *subscription.TermChange, scheduled *subscription.Scheduled) (*gen.SubscriptionPlanChangePayload, error) {
	var given patch
	update := subscription.PlanUpdate{
		Quantities: given.orders(quantities), AtTermEnd: valueOf(atTermEnd), Term: valueOf(term), Scheduled: valueOf(scheduled),
	}
	return r.subscriptionPlanChangePayload(ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionPlanChange(ctx, billing.SubscriptionID(id), priceListRef(priceListID, priceListCode), update)
	}))
}

func (r mutation) SubscriptionScheduledChangeCancel(ctx context.Context, id string) (*gen.SubscriptionScheduledChangeCancelPayload, error) {
	return r.subscriptionScheduledChangeCancelPayload(r.service.Subscriptions.SubscriptionScheduledChangeCancel(ctx, id))
}

func (r mutation) SubscriptionTrialExtend(ctx context.Context, id int64, trialEndDate string) (*gen.SubscriptionTrialExtendPayload, error) {
	end, problems := oneDate("trialEndDate", &trialEndDate)
	return r.subscriptionTrialExtendPayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTrialExtend(ctx, billing.SubscriptionID(id), *end)
	}))
}

func (r mutation) SubscriptionTrialConvert(ctx context.Context, subscriptionID int64, priceListCode *string, priceListID *int64, quantities []*gen.QuantityAttributes) (*gen.SubscriptionTrialConvertPayload, error) {
	var given patch
	orders := given.orders(quantities)
	return r.subscriptionTrialConvertPayload(ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTrialConvert(ctx, billing.SubscriptionID(subscriptionID), priceListRef(priceListID, priceListCode), orders)
	}))
}

func (r mutation) SubscriptionTenantUpdate(ctx context.Context, id int64, attributes gen.SubscriptionTenantAttributes) (*gen.SubscriptionTenantUpdatePayload, error) {
	ref, problems := tenantRef(attributes)
	return r.subscriptionTenantUpdatePayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTenantUpdate(ctx, billing.SubscriptionID(id), ref)
	}))
}

// outcomes is outcome for a call that changes several subscriptions.
func (r mutation) outcomes(rows []subscription.Subscription, failure error) ([]*node.Subscription, []string, []*node.UserError, error) {
	if failure == nil {
		return r.reader.Subscriptions(rows), nil, nil, nil
	}
	_, errors, userErrors, err := outcome[subscription.Subscription, node.Subscription](nil, failure, nil)
	return nil, errors, userErrors, err
}

// valueOf is what an argument says, or its zero value if it is left out.
func valueOf[T any](argument *T) (value T) {
	if argument != nil {
		value = *argument
	}
	return value
}

// ifRight runs an operation unless what the caller gave for it is wrong.
func ifRight[T any](problems billing.Problems, run func() (T, error)) (T, error) {
	if err := problems.Err(); err != nil {
		var none T
		return none, err
	}
	return run()
}
