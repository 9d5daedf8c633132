package provisioning_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestPreviewsAreWhatIsSent does each thing twice: as a preview, which must
// change nothing, and for real, which must send exactly what the preview said.
func TestPreviewsAreWhatIsSent(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		var sub *subscription.Subscription
		account := servicetest.Must[*billing.Account](w)(w.Customers.AccountCreate(w.Ctx, func(a *billing.Account) error { a.Name = "Acme"; return nil }, nil))
		ids := func() []billing.SubscriptionID { return []billing.SubscriptionID{sub.ID} }
		for _, step := range []struct {
			name string
			do   func(context.Context) error
		}{
			{"create", func(ctx context.Context) (err error) {
				sub, err = w.Subscriptions.SubscriptionCreate(ctx, subscriptions.NewSubscription{
					AccountID: &account.ID, PriceList: subscriptions.PriceListRef{Code: new("basic-monthly")},
					Tenant: &subscriptions.TenantRef{Code: "acme"}, Draft: subscription.Draft{Trial: true, Evergreen: true},
				})
				return err
			}},
			{"quantities", func(ctx context.Context) error {
				_, err := w.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: new(7)}}})
				return err
			}},
			{"extend", func(ctx context.Context) error {
				_, err := w.Subscriptions.SubscriptionTrialExtend(ctx, sub.ID, billing.Date{Year: 2026, Month: 2, Day: 20})
				return err
			}},
			{"convert", func(ctx context.Context) error {
				_, err := w.Subscriptions.SubscriptionTrialConvert(ctx, sub.ID, subscriptions.PriceListRef{}, nil)
				return err
			}},
			{"move", func(ctx context.Context) error {
				_, err := w.Subscriptions.SubscriptionTenantUpdate(ctx, sub.ID, subscriptions.TenantRef{Code: "acme-2"})
				return err
			}},
			{"cancel", func(ctx context.Context) error {
				_, err := w.Subscriptions.SubscriptionCancel(ctx, ids(), subscription.Cancellation{})
				return err
			}},
		} {
			before := allEvents(w, account.ID)
			planned, err := w.PreviewOf(w.Ctx, step.do)
			w.OK(err)
			w.Equal(step.name+": events after the preview", allEvents(w, account.ID), before)
			w.OK(step.do(w.Ctx))
			var sent, told []string
			for _, e := range allEvents(w, account.ID)[len(before):] {
				sent = append(sent, e.Reason+" "+e.Body)
			}
			for _, p := range planned {
				told = append(told, p.Reason+" "+p.Body)
			}
			if len(sent) == 0 {
				w.T.Errorf("%s sends nothing", step.name)
			}
			// Ids are given out even to what is taken back, on PostgreSQL.
			if w.DB.Engine == "sqlite" || step.name != "create" && step.name != "move" {
				w.Equal(step.name, told, sent)
			}
		}
		_, err := w.PreviewOf(w.Ctx, func(ctx context.Context) error {
			_, err := w.Subscriptions.SubscriptionCancel(ctx, ids(), subscription.Cancellation{})
			return err
		})
		w.Refused("the preview of what cannot be", err, "NOT_ALLOWED ids")
		w.OK(w.Rehearse(w.Ctx, func(ctx context.Context, effects *operation.Effects) error {
			_, err := w.Subscriptions.SubscriptionReinstate(ctx, ids(), nil)
			if len(effects.Planned) != 1 || effects.Planned[0].Body != "" {
				w.T.Errorf("bodies are kept that nobody wants: %+v", effects.Planned)
			}
			return err
		}))
	})
}

// allEvents are the events of an account's tenants, in the order of ids.
func allEvents(w *servicetest.World, account billing.AccountID) (all []webhook.Event) {
	w.T.Helper()
	tenants := servicetest.Must[[]billing.Tenant](w)(store.ChildrenOf(w.T.Context(), w.Read(), store.Tenants, "accountId", []billing.AccountID{account}, billing.Filter{}))
	for id := billing.EventID(1); ; id++ {
		found := false
		for _, tenant := range tenants {
			for _, e := range servicetest.Must[[]webhook.Event](w)(outbox.EventsOfTenant(w.T.Context(), w.Read(), tenant.ID, 0, 100)) {
				found = found || e.ID >= id
				if e.ID == id {
					all = append(all, e)
				}
			}
		}
		if !found {
			return all
		}
	}
}
