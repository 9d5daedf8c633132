package service_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

func rename(code, name string) func(*billing.Tenant) error {
	return func(t *billing.Tenant) error {
		t.Code, t.Name = code, name
		return nil
	}
}

// TestTenantRename tells the application the new code. What is not in the
// webhook is told to nobody, and subscriptions are found by the new name.
func TestTenantRename(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		w.tenant(w.Subscriptions.TenantUpdate(w.ctx, *s.TenantID, rename("apex", "Apex")))
		w.told(*s.TenantID, "subscription.created", "tenant.changed")
		w.same("the audit entry", w.lastAudit(), actor+" tenantUpdate Tenant "+itoa(*s.TenantID))
		body := w.events(*s.TenantID)[1].Body
		if !strings.Contains(body, `"code":"apex","name":"Apex"`) {
			w.t.Errorf("the tenant was told %s", body)
		}
		w.same("found by the new name", w.found("apex"), 1)
		w.same("found by the account", w.found("acme"), 1)

		w.tenant(w.Subscriptions.TenantUpdate(w.ctx, *s.TenantID, rename("apex", "Apex")))
		w.tenant(w.Subscriptions.TenantUpdate(w.ctx, *s.TenantID, func(t *billing.Tenant) error {
			t.Subdomain = ptr("apex")
			return nil
		}))
		w.told(*s.TenantID, "subscription.created", "tenant.changed")

		empty := w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("empty", s.AccountID), ptr("app"), nil))
		w.tenant(w.Subscriptions.TenantUpdate(w.ctx, empty.ID, rename("void", "Void")))
		w.told(empty.ID)
		_, err := w.Subscriptions.TenantUpdate(w.ctx, empty.ID, rename("apex", "Apex"))
		w.refused("a code that is taken", err, "TAKEN code")
	})
}

// found counts the subscriptions that a word finds.
func (w *world) found(word string) int {
	w.t.Helper()
	filter, err := billing.ParseFilter(word)
	w.ok(err)
	n, err := store.Subscriptions.Count(w.ctx, w.Read(), filter)
	w.ok(err)
	return n
}

func (w *world) newTenant(code string, account billing.AccountID) func(*billing.Tenant) error {
	return func(t *billing.Tenant) error {
		t.Code, t.AccountID = code, account
		return nil
	}
}

// TestTenantMove takes a subscription from one tenant to another and back. Both
// are told each time, whichever has the lower id.
func TestTenantMove(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		from := *s.TenantID
		moved := w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, s.ID, subscriptions.TenantRef{Code: "other", Name: ptr("Other")}))
		to := *moved.TenantID
		w.told(from, "subscription.created", "tenant.changed")
		w.told(to, "tenant.changed")
		w.same("who has the features", []string{w.features(from), w.features(to)}, []string{"", "users=1 region:eu"})
		w.same("the history", w.lastHistory(s.ID), actor+" tenant.changed ACTIVE>ACTIVE 2026-01-15 12:00")
		w.same("the audit entry", w.lastAudit(), actor+" subscriptionTenantUpdate Subscription "+itoa(s.ID))
		w.same("found by the new tenant", w.found("other"), 1)

		w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, s.ID, subscriptions.TenantRef{Code: "acme"}))
		w.told(from, "subscription.created", "tenant.changed", "tenant.changed")
		w.told(to, "tenant.changed", "tenant.changed")
		w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, s.ID, subscriptions.TenantRef{Code: "acme"}))
		w.told(from, "subscription.created", "tenant.changed", "tenant.changed")

		// Into its first tenant, of a subscription that had none.
		bare := w.subscribe("basic-monthly", "acme", withoutTenant)
		w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, bare.ID, subscriptions.TenantRef{Code: "other"}))
		w.told(to, "tenant.changed", "tenant.changed", "tenant.changed")
	})
}

// TestTenantCreateFor makes a tenant for a subscription that exists.
func TestTenantCreateFor(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		tenant := w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("second", s.AccountID), ptr("app"), &s.ID))
		w.same("its name", tenant.Name, "second")
		w.same("the subscription's tenant", *w.now(s).TenantID, tenant.ID)
		w.told(*s.TenantID, "subscription.created", "tenant.changed")
		w.told(tenant.ID, "tenant.changed")

		stranger := w.account("stranger")
		w.untouched("a tenant of another account", func() {
			_, err := w.Subscriptions.TenantCreate(w.ctx, w.newTenant("third", stranger.ID), ptr("app"), &s.ID)
			w.refused("a tenant of another account", err, "INVALID subscriptionId")
			_, err = w.Subscriptions.TenantCreate(w.ctx, w.newTenant("third", s.AccountID), ptr("app"), ptr(billing.SubscriptionID(99)))
			w.refused("a subscription that is not there", err, "NOT_FOUND subscriptionId")
			_, err = w.Subscriptions.TenantCreate(w.ctx, w.newTenant("third", s.AccountID), ptr("nowhere"), nil)
			w.refused("a platform that is not there", err, "NOT_FOUND platformCode")
			_, err = w.Subscriptions.TenantCreate(w.ctx, w.newTenant("", 0), nil, nil)
			w.refused("nothing at all", err, "REQUIRED name", "REQUIRED code", "REQUIRED accountId", "REQUIRED platformId")
		})
	})
}

// TestTenantDelete removes a tenant with what it was told, unless it has ever
// had a subscription that is still on record.
func TestTenantDelete(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		old := *s.TenantID
		w.untouched("deleting a tenant in use", func() {
			_, err := w.Subscriptions.TenantDelete(w.ctx, old)
			w.refused("a tenant in use", err, "IN_USE id")
			_, err = w.Subscriptions.TenantDelete(w.ctx, 99)
			w.refused("no tenant", err, "NOT_FOUND id")
		})
		w.sub(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, s.ID, subscriptions.TenantRef{Code: "other"}))
		w.tenant(w.Subscriptions.TenantDelete(w.ctx, old))
		w.same("its events", w.text(`SELECT count(*) FROM webhook_event WHERE tenant_id = $1`, int64(old)), "0")
		w.same("its stream", w.text(`SELECT count(*) FROM webhook_stream WHERE tenant_id = $1`, int64(old)), "0")
	})
}

// TestTenantMetrics keeps what an application reports, and tells nobody.
func TestTenantMetrics(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		report := subscriptions.TenantMetrics{LastLogin: ptr(moment("2026-01-14 08:00")), UserCount: ptr(4), UtilizationMetrics: json.RawMessage(`{"disk":0.5}`)}
		w.tenant(w.Subscriptions.TenantMetricsUpdate(w.ctx, "acme", nil, report))
		w.tenant(w.Subscriptions.TenantMetricsUpdate(w.ctx, "acme", ptr("app"), subscriptions.TenantMetrics{UserCount: ptr(6)}))
		kept, err := store.Tenants.Get(w.ctx, w.Read(), *s.TenantID)
		w.ok(err)
		w.same("what is kept", []any{*kept.LastLogin, *kept.UserCount, string(kept.UtilizationMetrics)}, []any{moment("2026-01-14 08:00"), 6, `{"disk":0.5}`})
		w.told(*s.TenantID, "subscription.created")

		_, err = w.Subscriptions.TenantMetricsUpdate(w.ctx, "nobody", nil, report)
		w.refused("no tenant", err, "NOT_FOUND code")
		_, err = w.Subscriptions.TenantMetricsUpdate(w.ctx, "acme", ptr("nowhere"), report)
		w.refused("no platform", err, "NOT_FOUND platformCode")
		_, err = w.Subscriptions.TenantMetricsUpdate(w.ctx, "acme", nil, subscriptions.TenantMetrics{UserCount: ptr(-1)})
		w.refused("fewer than no users", err, "INVALID userCount")
	})
}
