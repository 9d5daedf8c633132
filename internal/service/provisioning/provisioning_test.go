package provisioning_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestProvisioning records nothing while it is disabled. Enabling it tells every
// tenant with a live subscription how things are, once.
func TestProvisioning(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SetProvisioning(false)
		live, onTrial := w.Subscribe("basic-monthly", "live"), w.Subscribe("basic-monthly", "trial", servicetest.Trial)
		later, over := w.Subscribe("basic-monthly", "later", servicetest.Starting("2026-03-01")), w.Subscribe("basic-monthly", "over")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		w.Sub(servicetest.Quantity(3, nil)(w, live))
		w.Tenant(w.Subscriptions.TenantUpdate(w.Ctx, *live.TenantID, servicetest.Rename("alive", "Alive")))
		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, onTrial.ID, subscriptions.TenantRef{Code: "other"}))
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.RunJobs()
		w.Equal("events while disabled", w.QueryText(`SELECT count(*) FROM webhook_event`), "0")
		w.Equal("history all the same", len(w.History(live.ID)), 2)

		w.SetProvisioning(true)
		w.SetProvisioning(true) // it is so already
		w.RunJobs()
		w.WasTold(*live.TenantID, "provisioning.enabled")
		w.WasTold(*w.Now(onTrial).TenantID, "provisioning.enabled")
		for _, s := range []*subscription.Subscription{later, over, onTrial} {
			w.WasTold(*s.TenantID)
		}
		w.Equal("the jobs", w.QueryText(`SELECT count(*) FROM job WHERE kind = 'provisioning' AND state = 'done' AND done = 2 AND total = 2`), "1")
		w.Sub(servicetest.Quantity(4, nil)(w, live))
		w.WasTold(*live.TenantID, "provisioning.enabled", "quantity.changed")
	})
}

// TestProvisioningAgain ends and moves subscriptions while provisioning is disabled.
// Enabling it again takes from tenants what they were told to have, and tells nothing to
// those that had nothing anyway. Until then they are not in sync.
func TestProvisioningAgain(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		over, ended, moved := w.Subscribe("basic-monthly", "over"), w.Subscribe("basic-monthly", "ended"), w.Subscribe("basic-monthly", "moved")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		w.SetProvisioning(false)
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(ended), subscription.Cancellation{}))
		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, moved.ID, subscriptions.TenantRef{Code: "other"}))
		w.SetProvisioning(true)
		coming, err := w.Provisioning.JobsToReach(w.Ctx, []billing.Tenant{{ID: *over.TenantID, PlatformID: w.Platform.ID}, {ID: *ended.TenantID, PlatformID: w.Platform.ID}})
		w.OK(err)
		w.Equal("jobs to reach tenants", []int{len(coming[*over.TenantID]), len(coming[*ended.TenantID])}, []int{0, 1})
		w.RunJobs()
		w.WasTold(*over.TenantID, "subscription.created", "state.changed")
		w.WasTold(*ended.TenantID, "subscription.created", "provisioning.enabled")
		w.WasTold(*moved.TenantID, "subscription.created", "provisioning.enabled")
		w.WasTold(*w.Now(moved).TenantID, "provisioning.enabled")
	})
}
