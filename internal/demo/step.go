package demo

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// step is something that a customer did on a day of the year; the last day is
// today.
type step struct {
	day int
	do  func(y *year, c *customer) error
}

func did(steps ...step) []step { return steps }

// buy is a subscription that renews itself.
func buy(day int, list string, quantity int) step {
	return subscribe(day, list, quantity, subscription.Draft{Evergreen: true})
}

// buyFixed is a subscription for one term.
func buyFixed(day int, list string, quantity int) step {
	return subscribe(day, list, quantity, subscription.Draft{})
}

// buyAhead is a subscription that begins some days later.
func buyAhead(day, later int, list string, quantity int) step {
	return ahead(day, later, list, quantity, subscription.Draft{Evergreen: true})
}

// try begins with a trial.
func try(day int, list string, quantity int) step {
	return subscribe(day, list, quantity, subscription.Draft{Evergreen: true, Trial: true})
}

// tryOnly is a trial that ends with nothing bought.
func tryOnly(day int, list string, quantity int) step {
	cancel := catalog.TrialCancel
	return subscribe(day, list, quantity, subscription.Draft{Evergreen: true, Trial: true, TrialExpirationAction: &cancel})
}

// tryAhead is a trial that begins some days later.
func tryAhead(day, later int, list string, quantity int) step {
	return ahead(day, later, list, quantity, subscription.Draft{Evergreen: true, Trial: true})
}

func ahead(day, later int, list string, quantity int, draft subscription.Draft) step {
	return step{day, func(y *year, c *customer) error {
		start := y.date(day + later)
		draft.StartDate = &start
		return subscribe(day, list, quantity, draft).do(y, c)
	}}
}

func subscribe(day int, list string, quantity int, draft subscription.Draft) step {
	return step{day, func(y *year, c *customer) error {
		account, err := y.account(c)
		if err != nil {
			return err
		}
		sold := y.sold[list]
		draft.Quantities = quantities(sold, quantity)
		sub, err := y.service.Subscriptions.SubscriptionCreate(y.ctx, subscriptions.NewSubscription{
			AccountID: &account, PriceList: subscriptions.PriceListRef{Code: &list}, Draft: draft,
			Tenant: &subscriptions.TenantRef{Code: c.code, Name: &c.name},
		})
		if err != nil {
			return err
		}
		y.subscriptions[mine{c.code, sold.code}] = sub.ID
		return nil
	}}
}

func quantities(p *product, n int) []subscription.QuantityOrder {
	return []subscription.QuantityOrder{{Code: p.sold.code, Quantity: &n}}
}

// act is something done to a customer's subscription to a product.
func act[R any](day int, code string, do func(y *year, p *product, id billing.SubscriptionID) (R, error)) step {
	return step{day, func(y *year, c *customer) error {
		id, has := y.subscriptions[mine{c.code, code}]
		if !has {
			return fmt.Errorf("has no subscription to %s on day %d", code, day)
		}
		_, err := do(y, y.product(code), id)
		return err
	}}
}

// set changes the quantity.
func set(day int, code string, quantity int) step {
	return act(day, code, func(y *year, p *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionQuantityUpdate(y.ctx, id, subscription.QuantityUpdate{Orders: quantities(p, quantity)})
	})
}

// setLater changes the quantity some days later.
func setLater(day int, code string, quantity, later int) step {
	return act(day, code, func(y *year, p *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		from := y.date(day + later)
		return y.service.Subscriptions.SubscriptionQuantityUpdate(y.ctx, id, subscription.QuantityUpdate{Orders: quantities(p, quantity), StartDate: &from})
	})
}

// move goes to another price list.
func move(day int, code, list string) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionPlanChange(y.ctx, id, subscriptions.PriceListRef{Code: &list}, subscription.PlanUpdate{})
	})
}

// moveLater goes to another price list when the term ends.
func moveLater(day int, code, list string) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionPlanChange(y.ctx, id, subscriptions.PriceListRef{Code: &list}, subscription.PlanUpdate{AtTermEnd: true})
	})
}

// leave cancels at once.
func leave(day int, code string) step { return cancel(day, code, false) }

// leaveLater cancels when the term ends.
func leaveLater(day int, code string) step { return cancel(day, code, true) }

func cancel(day int, code string, atTermEnd bool) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) ([]subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionCancel(y.ctx, []billing.SubscriptionID{id}, subscription.Cancellation{AtTermEnd: atTermEnd})
	})
}

// comeBack takes up what was canceled.
func comeBack(day int, code string) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) ([]subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionReinstate(y.ctx, []billing.SubscriptionID{id}, nil)
	})
}

// convert buys before the trial is over.
func convert(day int, code, list string) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionTrialConvert(y.ctx, id, subscriptions.PriceListRef{Code: &list}, nil)
	})
}

// extend makes a trial longer.
func extend(day int, code string, days int) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) (*subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionTrialExtend(y.ctx, id, y.date(day+days))
	})
}

// stopRenewal lets the subscription run out.
func stopRenewal(day int, code string) step {
	return act(day, code, func(y *year, _ *product, id billing.SubscriptionID) ([]subscription.Subscription, error) {
		return y.service.Subscriptions.SubscriptionSetAutoRenew(y.ctx, []billing.SubscriptionID{id}, false)
	})
}
