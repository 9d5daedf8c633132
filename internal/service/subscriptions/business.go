package subscriptions

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// tellBusiness has event endpoints told of what happened to a subscription. Of standings
// they are told by TellStandings.
func tellBusiness(ctx context.Context, tx *store.Tx, sub *subscription.Subscription, change subscription.Change) error {
	if change.IsStanding() {
		return nil
	}
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

// StandingChange is a subscription with another standing than before.
type StandingChange struct {
	sub    *subscription.Subscription
	change subscription.Change
	// was is the invoice that was the reason before.
	was *billing.InvoiceID
}

// Restores reports whether a running subscription of an account has all its features back.
func (c StandingChange) Restores(account billing.AccountID) bool {
	return c.sub.AccountID == account && c.sub.State.Live() && c.change.Kind == subscription.KindStandingRestored
}

// TellStandings has event endpoints told of standings, and why they changed. It comes after
// what is told of invoices, when these are written.
func TellStandings(ctx context.Context, tx *store.Tx, changes []StandingChange) error {
	if len(changes) == 0 {
		return nil
	}
	wanted, err := store.HasEventEndpoints(ctx, tx.Queries)
	if err != nil || !wanted {
		return err
	}
	events := make([]webhook.BusinessEvent, len(changes))
	for n, c := range changes {
		told := webhook.StandingChange{From: fmt.Sprint(c.change.Detail["from"]), To: fmt.Sprint(c.change.Detail["to"])}
		if told.Subscription, err = FactsOf(ctx, tx, c.sub); err != nil {
			return err
		}
		if reason := cmp.Or(c.sub.StandingInvoiceID, c.was); reason != nil {
			if told.Invoice, err = store.Invoices.Get(ctx, tx.Queries, *reason); err != nil {
				return err
			}
		}
		if told.Why, err = whyStanding(ctx, tx, c.sub, told.Invoice); err != nil {
			return err
		}
		events[n] = webhook.StandingEvent(told)
	}
	return outbox.RecordBusiness(ctx, tx, events...)
}

// FactsOf is a subscription as business events tell it.
func FactsOf(ctx context.Context, tx *store.Tx, sub *subscription.Subscription) (webhook.SubscriptionFacts, error) {
	names, err := store.NamesOf(ctx, tx.Queries, sub.PriceListID, sub.TenantID)
	return webhook.SubscriptionFacts{
		Subscription: *sub, PlanID: names.PlanID, ProductCode: names.Product, PriceListCode: names.PriceList, PlanCode: names.Plan, TenantCode: names.Tenant,
	}, err
}
