package service_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

func (w *world) provision(enabled bool) {
	w.t.Helper()
	_, err := w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error {
		p.ProvisioningEnabled = enabled
		return nil
	}, delivery.PlatformSecrets{})
	w.ok(err)
}

// TestProvisioning records nothing while it is disabled. Enabling it tells every
// tenant with a live subscription how things are, once.
func TestProvisioning(t *testing.T) {
	each(t, func(w *world) {
		w.provision(false)
		live, onTrial := w.subscribe("basic-monthly", "live"), w.subscribe("basic-monthly", "trial", trial)
		later, over := w.subscribe("basic-monthly", "later", starting("2026-03-01")), w.subscribe("basic-monthly", "over")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(over), nil, false))
		w.sub(quantity(3, nil)(w, live))
		w.tenant(w.Subscriptions.TenantUpdate(w.ctx, *live.TenantID, rename("alive", "Alive")))
		w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, onTrial.ID, subscriptions.TenantRef{Code: "other"}))
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.runJobs()
		w.same("events while disabled", w.text(`SELECT count(*) FROM webhook_event`), "0")
		w.same("history all the same", len(w.history(live.ID)), 2)

		w.provision(true)
		w.provision(true) // it is so already
		w.runJobs()
		w.told(*live.TenantID, "provisioning.enabled")
		w.told(*w.now(onTrial).TenantID, "provisioning.enabled")
		for _, s := range []*subscription.Subscription{later, over, onTrial} {
			w.told(*s.TenantID)
		}
		w.same("the jobs", w.text(`SELECT count(*) FROM job WHERE kind = 'provisioning' AND state = 'done' AND done = 2 AND total = 2`), "1")
		w.sub(quantity(4, nil)(w, live))
		w.told(*live.TenantID, "provisioning.enabled", "quantity.changed")
	})
}
