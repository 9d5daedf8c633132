package service_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestFeatureAccess answers whether a tenant may use a feature, and why not.
func TestFeatureAccess(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("basic-monthly", "acme", withSeats(3))
		over := w.subscribe("basic-monthly", "over")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(over), nil, false))
		for _, c := range []struct {
			tenant, feature string
			want            subscription.FeatureAccess
		}{
			{"acme", "users", subscription.FeatureAccess{Allowed: true, Quantity: ptr(3), Reason: "A subscription of the tenant includes the feature."}},
			{"acme", "region", subscription.FeatureAccess{Allowed: true, Value: "eu", Reason: "A subscription of the tenant includes the feature."}},
			{"acme", "sso", subscription.FeatureAccess{Reason: `No subscription of the tenant includes the feature "sso".`}},
			{"acme", "flight", subscription.FeatureAccess{Reason: `No subscription of the tenant includes the feature "flight".`}},
			{"over", "users", subscription.FeatureAccess{Reason: "The tenant has no trial or active subscription."}},
			{"nobody", "users", subscription.FeatureAccess{Reason: `There is no tenant with the code "nobody".`}},
		} {
			have, err := w.Subscriptions.FeatureAccess(w.ctx, c.tenant, nil, c.feature)
			w.ok(err)
			w.same(c.tenant+" and "+c.feature, *have, c.want)
		}
		_, err := w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
			p.Code, p.Name = "web", "The Web"
			return nil
		}, delivery.PlatformSecrets{})
		w.ok(err)
		w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("acme", over.AccountID), ptr("web"), nil))
		_, err = w.Subscriptions.FeatureAccess(w.ctx, "acme", nil, "users")
		w.refused("a tenant of two platforms", err, "INVALID platformCode")
		have, err := w.Subscriptions.FeatureAccess(w.ctx, "acme", ptr("app"), "users")
		w.ok(err)
		w.same("of the one", have.Allowed, true)
	})
}

// TestPreview shows what a change would tell, does not do it and leaves no
// trace, not even of what is due.
func TestPreview(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme", trial)
		w.clock.Set(moment("2026-02-01 10:00"))
		w.untouched("a preview", func() {
			for _, c := range []struct {
				what   string
				change subscriptions.Preview
				want   []string
			}{
				{"nothing", subscriptions.Preview{}, []string{`"state":"active"`, `"code":"users","name":"Users","value":"","quantity":1`}},
				{"seats", subscriptions.Preview{Quantities: seats(8)}, []string{`"code":"users","name":"Users","value":"","quantity":8`}},
				{"a plan and seats", subscriptions.Preview{PriceList: byCode("pro-monthly"), Quantities: seats(9)}, []string{`"code":"sso"`, `"quantity":9`, `"price_list":{"code":"pro-monthly"`}},
				{"a cancellation", subscriptions.Preview{CancellationDate: on("2026-02-01")}, []string{`"state":"canceled"`, `"change":{"features":[]`}},
			} {
				body, err := w.Subscriptions.SubscriptionPreview(w.ctx, s.ID, c.change)
				w.ok(err)
				for _, part := range c.want {
					if !strings.Contains(string(body), part) {
						w.t.Errorf("a preview of %s lacks %s: %s", c.what, part, body)
					}
				}
			}
			_, err := w.Subscriptions.SubscriptionPreview(w.ctx, s.ID, subscriptions.Preview{Quantities: seats(501)})
			w.refused("a preview of too much", err, "INVALID quantities.0.quantity")
			_, err = w.Subscriptions.SubscriptionPreview(w.ctx, 99, subscriptions.Preview{})
			w.refused("a preview of nothing", err, "NOT_FOUND id")
		})
		bare := w.subscribe("basic-monthly", "bare", withoutTenant)
		_, err := w.Subscriptions.SubscriptionPreview(w.ctx, bare.ID, subscriptions.Preview{})
		w.refused("a preview without a tenant", err, "NOT_ALLOWED id")

		// The same change done in earnest sends just that.
		body, err := w.Subscriptions.SubscriptionPreview(w.ctx, s.ID, subscriptions.Preview{Quantities: seats(8)})
		w.ok(err)
		w.sub(quantity(8, nil)(w, s))
		events := w.events(*s.TenantID)
		w.same("the body", string(body), events[len(events)-1].Body)
	})
}
