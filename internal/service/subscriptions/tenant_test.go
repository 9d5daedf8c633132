package subscriptions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestTenantRename tells the application the new code. What is not in the
// webhook is told to nobody, and subscriptions are found by the new name.
func TestTenantRename(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		w.Tenant(w.Subscriptions.TenantUpdate(w.Ctx, *s.TenantID, servicetest.Rename("apex", "Apex")))
		w.WasTold(*s.TenantID, "subscription.created", "tenant.changed")
		w.Equal("the audit entry", w.LastAudit(), servicetest.Actor+" tenantUpdate Tenant "+servicetest.Itoa(*s.TenantID))
		body := w.Events(*s.TenantID)[1].Body
		if !strings.Contains(body, `"code":"apex","name":"Apex"`) {
			w.T.Errorf("the tenant was told %s", body)
		}
		w.Equal("found by the new name", found(w, "apex"), 1)
		w.Equal("found by the account", found(w, "acme"), 1)

		w.Tenant(w.Subscriptions.TenantUpdate(w.Ctx, *s.TenantID, servicetest.Rename("apex", "Apex")))
		w.Tenant(w.Subscriptions.TenantUpdate(w.Ctx, *s.TenantID, func(t *billing.Tenant) error {
			t.Subdomain = new("apex")
			return nil
		}))
		w.WasTold(*s.TenantID, "subscription.created", "tenant.changed")

		empty := w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("empty", s.AccountID), new("app"), nil))
		w.Tenant(w.Subscriptions.TenantUpdate(w.Ctx, empty.ID, servicetest.Rename("void", "Void")))
		w.WasTold(empty.ID)
		_, err := w.Subscriptions.TenantUpdate(w.Ctx, empty.ID, servicetest.Rename("apex", "Apex"))
		w.Refused("a code that is taken", err, "TAKEN code")
	})
}

// found counts the subscriptions that a word finds.
func found(w *servicetest.World, word string) int {
	w.T.Helper()
	filter, err := billing.ParseFilter(word)
	w.OK(err)
	n, err := store.Subscriptions.Count(w.Ctx, w.Read(), filter)
	w.OK(err)
	return n
}

// TestTenantMove takes a subscription from one tenant to another and back. Both
// are told each time, whichever has the lower id.
func TestTenantMove(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		from := *s.TenantID
		moved := w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, s.ID, subscriptions.TenantRef{Code: "other", Name: new("Other")}))
		to := *moved.TenantID
		w.WasTold(from, "subscription.created", "tenant.changed")
		w.WasTold(to, "tenant.changed")
		w.Equal("who has the features", []string{w.Features(from), w.Features(to)}, []string{"", "users=1 region:eu"})
		w.Equal("the history", w.LastHistory(s.ID), servicetest.Actor+" tenant.changed ACTIVE>ACTIVE 2026-01-15 12:00")
		w.Equal("the audit entry", w.LastAudit(), servicetest.Actor+" subscriptionTenantUpdate Subscription "+servicetest.Itoa(s.ID))
		w.Equal("found by the new tenant", found(w, "other"), 1)

		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, s.ID, subscriptions.TenantRef{Code: "acme"}))
		w.WasTold(from, "subscription.created", "tenant.changed", "tenant.changed")
		w.WasTold(to, "tenant.changed", "tenant.changed")
		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, s.ID, subscriptions.TenantRef{Code: "acme"}))
		w.WasTold(from, "subscription.created", "tenant.changed", "tenant.changed")

		// Into its first tenant, of a subscription that had none.
		bare := w.Subscribe("basic-monthly", "acme", servicetest.WithoutTenant)
		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, bare.ID, subscriptions.TenantRef{Code: "other"}))
		w.WasTold(to, "tenant.changed", "tenant.changed", "tenant.changed")
	})
}

// TestTenantCreateFor makes a tenant for a subscription that exists.
func TestTenantCreateFor(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		tenant := w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("second", s.AccountID), new("app"), &s.ID))
		w.Equal("its name", tenant.Name, "second")
		w.Equal("the subscription's tenant", *w.Now(s).TenantID, tenant.ID)
		w.WasTold(*s.TenantID, "subscription.created", "tenant.changed")
		w.WasTold(tenant.ID, "tenant.changed")

		stranger := w.Account("stranger")
		w.Unchanged("a tenant of another account", func() {
			_, err := w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("third", stranger.ID), new("app"), &s.ID)
			w.Refused("a tenant of another account", err, "INVALID subscriptionId")
			_, err = w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("third", s.AccountID), new("app"), new(billing.SubscriptionID(99)))
			w.Refused("a subscription that is not there", err, "NOT_FOUND subscriptionId")
			_, err = w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("third", s.AccountID), new("nowhere"), nil)
			w.Refused("a platform that is not there", err, "NOT_FOUND platformCode")
			_, err = w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("", 0), nil, nil)
			w.Refused("nothing at all", err, "REQUIRED name", "REQUIRED code", "REQUIRED accountId", "REQUIRED platformId")
		})
	})
}

// TestTenantDelete removes a tenant with what it was told, unless it has ever
// had a subscription that is still on record.
func TestTenantDelete(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		old := *s.TenantID
		w.Unchanged("deleting a tenant in use", func() {
			_, err := w.Subscriptions.TenantDelete(w.Ctx, old)
			w.Refused("a tenant in use", err, "IN_USE id")
			_, err = w.Subscriptions.TenantDelete(w.Ctx, 99)
			w.Refused("no tenant", err, "NOT_FOUND id")
		})
		w.Sub(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, s.ID, subscriptions.TenantRef{Code: "other"}))
		w.Tenant(w.Subscriptions.TenantDelete(w.Ctx, old))
		w.Equal("its events", w.QueryText(`SELECT count(*) FROM webhook_event WHERE stream_id NOT IN (SELECT id FROM webhook_stream)`), "0")
		w.Equal("its stream", w.QueryText(`SELECT count(*) FROM webhook_stream WHERE subject_id = $1`, int64(old)), "0")
	})
}

// TestTenantMetrics keeps what an application reports, and tells nobody.
func TestTenantMetrics(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		report := subscriptions.TenantMetrics{LastLogin: new(servicetest.Moment("2026-01-14 08:00")), UserCount: new(4), UtilizationMetrics: json.RawMessage(`{"disk":0.5}`)}
		w.Tenant(w.Subscriptions.TenantMetricsUpdate(w.Ctx, "acme", nil, report))
		w.Tenant(w.Subscriptions.TenantMetricsUpdate(w.Ctx, "acme", new("app"), subscriptions.TenantMetrics{UserCount: new(6)}))
		kept, err := store.Tenants.Get(w.Ctx, w.Read(), *s.TenantID)
		w.OK(err)
		w.Equal("what is kept", []any{*kept.LastLogin, *kept.UserCount, string(kept.UtilizationMetrics)}, []any{servicetest.Moment("2026-01-14 08:00"), 6, `{"disk":0.5}`})
		w.WasTold(*s.TenantID, "subscription.created")

		_, err = w.Subscriptions.TenantMetricsUpdate(w.Ctx, "nobody", nil, report)
		w.Refused("no tenant", err, "NOT_FOUND code")
		_, err = w.Subscriptions.TenantMetricsUpdate(w.Ctx, "acme", new("nowhere"), report)
		w.Refused("no platform", err, "NOT_FOUND platformCode")
		_, err = w.Subscriptions.TenantMetricsUpdate(w.Ctx, "acme", nil, subscriptions.TenantMetrics{UserCount: new(-1)})
		w.Refused("fewer than no users", err, "INVALID userCount")
	})
}
