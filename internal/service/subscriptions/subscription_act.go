package subscriptions

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

// SubscriptionCancel cancels subscriptions: today, on a day, or at the end of
// the term.
func (s *Service) SubscriptionCancel(ctx context.Context, ids []billing.SubscriptionID, c subscription.Cancellation) ([]subscription.Subscription, error) {
	return s.changeSubscriptions(ctx, action{name: "subscriptionCancel", field: "ids", ids: ids,
		decide: func(_ context.Context, _ *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.Cancel(c, cal.Today)
		}})
}

// SubscriptionReinstate takes scheduled cancellations back, and starts a fresh
// term of subscriptions that are over.
func (s *Service) SubscriptionReinstate(ctx context.Context, ids []billing.SubscriptionID, effective *billing.Date) ([]subscription.Subscription, error) {
	return s.changeSubscriptions(ctx, action{name: "subscriptionReinstate", field: "ids", ids: ids,
		decide: func(_ context.Context, _ *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.Reinstate(effective, cal.Today)
		}})
}

// SubscriptionSetAutoRenew says whether terms are followed by another one.
func (s *Service) SubscriptionSetAutoRenew(ctx context.Context, ids []billing.SubscriptionID, evergreen bool) ([]subscription.Subscription, error) {
	return s.changeSubscriptions(ctx, action{name: "subscriptionSetAutoRenew", field: "ids", ids: ids,
		decide: func(_ context.Context, _ *store.Tx, sub subscription.Subscription, _ calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.SetAutoRenew(evergreen)
		}})
}

// SubscriptionUpdate changes settings of a subscription.
func (s *Service) SubscriptionUpdate(ctx context.Context, id billing.SubscriptionID, update subscription.Update) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{name: "subscriptionUpdate", field: "id", ids: []billing.SubscriptionID{id},
		decide: func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.Update(update, OffersIn(ctx, tx.Queries), cal.Today)
		}}))
}

// SubscriptionQuantityUpdate sets quantities from today, a later day of the term
// or the next term on.
func (s *Service) SubscriptionQuantityUpdate(ctx context.Context, id billing.SubscriptionID, update subscription.QuantityUpdate) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{
		name: "subscriptionQuantityUpdate", field: "subscriptionId", ids: []billing.SubscriptionID{id}, decide: quantities(update),
	}))
}

func quantities(update subscription.QuantityUpdate) decision {
	return func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
		return sub.ChangeQuantities(update, OffersIn(ctx, tx.Queries), cal.Today)
	}
}

// SubscriptionPlanChange puts a subscription on another price list of its
// product, now or at the end of the term.
func (s *Service) SubscriptionPlanChange(ctx context.Context, id billing.SubscriptionID, list PriceListRef, update subscription.PlanUpdate) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{
		name: "subscriptionPlanChange", field: "id", ids: []billing.SubscriptionID{id}, decide: planChange(list, update),
	}))
}

func planChange(list PriceListRef, update subscription.PlanUpdate) decision {
	return func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
		offer, err := list.find(ctx, tx)
		if err != nil {
			return sub, subscription.Change{}, err
		}
		if update.AtTermEnd { // charges stay from now on: what is decided about is what there is
			held, err := store.HoldCharges(ctx, tx, offer.PriceList.ID)
			if err == nil && held < len(offer.Charges) {
				err = billing.Fail(billing.Conflict, "", "The price list %q was changed at the same moment. Try again.", offer.PriceList.Code)
			}
			if err != nil {
				return sub, subscription.Change{}, err
			}
		}
		return sub.ChangePlan(offer, update, OffersIn(ctx, tx.Queries), cal.Today)
	}
}

// SubscriptionScheduledChangeCancel takes a scheduled change back.
func (s *Service) SubscriptionScheduledChangeCancel(ctx context.Context, change string) (*subscription.Subscription, error) {
	number, _, _ := strings.Cut(change, "-")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, billing.Fail(billing.NotFound, "id", "There is no scheduled change %q; scheduledChanges of a subscription has their ids.", change)
	}
	return one(s.changeSubscriptions(ctx, action{
		name: "subscriptionScheduledChangeCancel", field: "id", ids: []billing.SubscriptionID{billing.SubscriptionID(id)},
		decide: func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.TakeBack(change, OffersIn(ctx, tx.Queries), cal.Today)
		}}))
}

// SubscriptionTrialExtend moves the end of a trial.
func (s *Service) SubscriptionTrialExtend(ctx context.Context, id billing.SubscriptionID, end billing.Date) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{name: "subscriptionTrialExtend", field: "id", ids: []billing.SubscriptionID{id},
		decide: func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.ExtendTrial(end, OffersIn(ctx, tx.Queries), cal.Today)
		}}))
}

// SubscriptionTrialConvert ends a trial early, on another price list if one is
// named, with other quantities if some are given.
func (s *Service) SubscriptionTrialConvert(ctx context.Context, id billing.SubscriptionID, list PriceListRef, orders []subscription.QuantityOrder) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{name: "subscriptionTrialConvert", field: "subscriptionId", ids: []billing.SubscriptionID{id},
		decide: func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			if list.given() {
				sub.NextPriceList = nil // this one takes its place
			}
			converted, change, err := sub.ConvertTrial(OffersIn(ctx, tx.Queries), cal.Today)
			if err != nil || !list.given() && len(orders) == 0 {
				return converted, change, err
			}
			then := quantities(subscription.QuantityUpdate{Orders: orders, Scheduled: subscription.KeepScheduled})
			if list.given() {
				then = planChange(list, subscription.PlanUpdate{Quantities: orders, Scheduled: subscription.KeepScheduled})
			}
			converted, further, err := then(ctx, tx, converted, cal)
			if err != nil {
				return sub, subscription.Change{}, err
			}
			maps.Copy(change.Detail, further.Detail)
			return converted, change, nil
		}}))
}
