package impact_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestMoneyLater says from which day on customers pay more or less because of a change
// that costs nothing today, or something else.
func TestMoneyLater(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Account("acme")
		w.Account("new")
		sub := w.Subscribe("basic-monthly", "acme")
		said := func(do func(context.Context) error) string {
			var texts []string
			for _, s := range rehearse(w, do).Sentences() {
				if strings.Contains(s.Text, "pay") {
					texts = append(texts, s.Text)
				}
			}
			return strings.Join(texts, " ")
		}
		list := func(code string) subscriptions.PriceListRef { return subscriptions.PriceListRef{Code: &code} }
		plan := func(code string, update subscription.PlanUpdate) func(context.Context) error {
			return func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionPlanChange(ctx, sub.ID, list(code), update))
			}
		}
		price := func(list, charge, to string) func(context.Context) error {
			return func(ctx context.Context) error {
				return servicetest.ErrorOf(w.Catalog.ChargeUpdate(ctx, w.ChargeOf(list, charge).ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
					price, err := billing.ParsePrice(to)
					c.Price = &price
					return err
				}}))
			}
		}
		w.OK(price("pro-monthly", "seats", "30.00")(w.Ctx))
		w.Equal("nobody is to change to it", said(price("pro-monthly", "seats", "31.00")), "")
		atEnd := plan("pro-monthly", subscription.PlanUpdate{AtTermEnd: true})
		w.Equal("another plan at the end of the term", said(atEnd), "1 customer pays EUR 20.00 more a month from 15 Feb 2026 on.")
		w.OK(atEnd(w.Ctx))
		w.Equal("a price that is to count", said(price("pro-monthly", "seats", "31.00")), "1 customer pays EUR 1.00 more a month from 15 Feb 2026 on.")
		w.Equal("a price that has counted", said(price("basic-monthly", "seats", "31.00")), "")
		w.Equal("a further charge", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Catalog.ChargeCreate(ctx, w.Shop.Lists["pro-monthly"].ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
				price, err := billing.ParsePrice("7.00")
				c.Code, c.Name, c.Price = "support", "Support", &price
				return err
			}}))
		}), "1 customer pays EUR 7.00 more a month from 15 Feb 2026 on.")
		w.Equal("the same for now, until then", said(plan("pro-monthly", subscription.PlanUpdate{Scheduled: subscription.ReplaceScheduled})), "1 customer pays EUR 20.00 more a month. From 15 Feb 2026 on, all pay what they would pay anyway.")
		w.Equal("canceled at the end", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(sub), subscription.Cancellation{AtTermEnd: true}))
		}), "1 customer pays EUR 30.00 less a month from 15 Feb 2026 on.")
		w.Equal("a subscription with a trial", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCreate(ctx, w.Order("basic-monthly", "new", func(n *subscriptions.NewSubscription) { n.Draft.Trial = true })))
		}), "1 customer pays EUR 10.00 more a month from 29 Jan 2026 on.")
		w.Equal("a trial of something that does not renew", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCreate(ctx, w.Order("basic-monthly", "new", func(n *subscriptions.NewSubscription) { n.Draft.Trial, n.Draft.Evergreen = true, false })))
		}), "1 customer pays EUR 10.00 more a month from 29 Jan 2026 on. From 28 Feb 2026 on, all pay what they would pay anyway.")

		// Several subscriptions of one customer, on several days.
		half := w.Subscribe("basic-half", "acme")
		trial := w.Subscribe("pro-quarter", "acme")
		w.Equal("one after the other", said(func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(half, trial), subscription.Cancellation{AtTermEnd: true}))
		}), "1 customer pays EUR 10.00 less a month from 15 Apr 2026 on. 1 customer pays EUR 20.00 less a month from 15 Jul 2026 on.")
		w.Equal("one now, one later", said(func(ctx context.Context) error {
			if err := servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(half), subscription.Cancellation{})); err != nil {
				return err
			}
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(trial), subscription.Cancellation{AtTermEnd: true}))
		}), "1 customer pays EUR 10.00 less a month. 1 customer pays EUR 20.00 less a month from 15 Apr 2026 on.")
	})
}

// TestWhoIsBilled computes the bills of those whose subscriptions change, and not of those who
// are merely to change to a price list that costs something else: there may be very many, and
// none of them is billed for that today.
func TestWhoIsBilled(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		acme, other := w.Account("acme"), w.Account("other")
		sub := w.Subscribe("basic-monthly", "acme")
		w.Subscribe("pro-monthly", "other")
		code := "pro-monthly"
		w.OK(servicetest.ErrorOf(w.Subscriptions.SubscriptionPlanChange(w.Ctx, sub.ID, subscriptions.PriceListRef{Code: &code}, subscription.PlanUpdate{AtTermEnd: true})))
		billed := func(do func(context.Context) error) []billing.AccountID {
			found, err := impact.Billed(w.Ctx, w.Impact, do)
			w.OK(err)
			return found
		}
		reprice := func(ctx context.Context) error {
			return servicetest.ErrorOf(w.Catalog.ChargeUpdate(ctx, w.ChargeOf("pro-monthly", "seats").ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
				c.Price = servicetest.Price("99.00")
				return nil
			}}))
		}
		w.Equal("another price", len(billed(reprice)), 0)
		w.Equal("and a subscription that ends", billed(func(ctx context.Context) error {
			if err := reprice(ctx); err != nil {
				return err
			}
			return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(ctx, servicetest.IDs(sub), subscription.Cancellation{}))
		}), []billing.AccountID{acme.ID})
		w.Equal("a change of the account itself", billed(func(ctx context.Context) error {
			if err := reprice(ctx); err != nil {
				return err
			}
			return servicetest.ErrorOf(w.Customers.AccountUpdate(ctx, other.ID, func(a *billing.Account) error { a.BillingDay = 7; return nil }, nil))
		}), []billing.AccountID{other.ID})
	})
}
