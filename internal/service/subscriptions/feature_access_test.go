package subscriptions_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestFeatureAccess answers whether a tenant may use a feature, and why not.
func TestFeatureAccess(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(3))
		over := w.Subscribe("basic-monthly", "over")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		for _, c := range []struct {
			tenant, feature string
			want            subscription.FeatureAccess
		}{
			{"acme", "users", subscription.FeatureAccess{Allowed: true, Quantity: new(3), Reason: "A subscription of the tenant includes the feature."}},
			{"acme", "region", subscription.FeatureAccess{Allowed: true, Value: "eu", Reason: "A subscription of the tenant includes the feature."}},
			{"acme", "sso", subscription.FeatureAccess{Reason: `No subscription of the tenant includes the feature "sso".`}},
			{"acme", "flight", subscription.FeatureAccess{Reason: `No subscription of the tenant includes the feature "flight".`}},
			{"over", "users", subscription.FeatureAccess{Reason: "The tenant has no trial or active subscription."}},
			{"nobody", "users", subscription.FeatureAccess{Reason: `There is no tenant with the code "nobody".`}},
		} {
			have, err := w.Subscriptions.FeatureAccess(w.Ctx, c.tenant, nil, c.feature)
			w.OK(err)
			w.Equal(c.tenant+" and "+c.feature, *have, c.want)
		}
		_, err := w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
			p.Code, p.Name = "web", "The Web"
			return nil
		}, delivery.PlatformSecrets{})
		w.OK(err)
		w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("acme", over.AccountID), new("web"), nil))
		_, err = w.Subscriptions.FeatureAccess(w.Ctx, "acme", nil, "users")
		w.Refused("a tenant of two platforms", err, "INVALID platformCode")
		have, err := w.Subscriptions.FeatureAccess(w.Ctx, "acme", new("app"), "users")
		w.OK(err)
		w.Equal("of the one", have.Allowed, true)
	})
}

// TestPreview shows what a change would tell, does not do it and leaves no
// trace, not even of what is due.
func TestPreview(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.Trial)
		w.Clock.Set(servicetest.Moment("2026-02-01 10:00"))
		w.Unchanged("a preview", func() {
			for _, c := range []struct {
				what   string
				change subscriptions.Preview
				want   []string
			}{
				{"nothing", subscriptions.Preview{}, []string{`"state":"active"`, `"code":"users","name":"Users","value":"","quantity":1`}},
				{"seats", subscriptions.Preview{Quantities: servicetest.Seats(8)}, []string{`"code":"users","name":"Users","value":"","quantity":8`}},
				{"a plan and seats", subscriptions.Preview{PriceList: servicetest.ByCode("pro-monthly"), Quantities: servicetest.Seats(9)}, []string{`"code":"sso"`, `"quantity":9`, `"price_list":{"code":"pro-monthly"`}},
				{"a cancellation", subscriptions.Preview{CancellationDate: servicetest.On("2026-02-01")}, []string{`"state":"canceled"`, `"change":{"features":[]`}},
			} {
				body, err := w.Subscriptions.SubscriptionPreview(w.Ctx, s.ID, c.change)
				w.OK(err)
				for _, part := range c.want {
					if !strings.Contains(string(body), part) {
						w.T.Errorf("a preview of %s lacks %s: %s", c.what, part, body)
					}
				}
			}
			_, err := w.Subscriptions.SubscriptionPreview(w.Ctx, s.ID, subscriptions.Preview{Quantities: servicetest.Seats(501)})
			w.Refused("a preview of too much", err, "INVALID quantities.0.quantity")
			_, err = w.Subscriptions.SubscriptionPreview(w.Ctx, 99, subscriptions.Preview{})
			w.Refused("a preview of nothing", err, "NOT_FOUND id")
		})
		bare := w.Subscribe("basic-monthly", "bare", servicetest.WithoutTenant)
		_, err := w.Subscriptions.SubscriptionPreview(w.Ctx, bare.ID, subscriptions.Preview{})
		w.Refused("a preview without a tenant", err, "NOT_ALLOWED id")

		// The same change done in earnest sends just that.
		body, err := w.Subscriptions.SubscriptionPreview(w.Ctx, s.ID, subscriptions.Preview{Quantities: servicetest.Seats(8)})
		w.OK(err)
		w.Sub(servicetest.Quantity(8, nil)(w, s))
		events := w.Events(*s.TenantID)
		w.Equal("the body", string(body), events[len(events)-1].Body)
	})
}
