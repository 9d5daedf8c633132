package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// drifts has the application report that tenants lack everything they were told, in a full
// report.
func (s *site) drifts(ids ...billing.TenantID) {
	s.t.Helper()
	events := must[map[billing.TenantID]webhook.Event](s)(outbox.LatestEvents(s.ctx, s.service.Read(), ids))
	report := drifts.Report{PlatformCode: s.platform.Code, Complete: true}
	for _, id := range ids {
		t := must[*billing.Tenant](s)(store.Tenants.Get(s.ctx, s.service.Read(), id))
		report.States = append(report.States, drift.State{Code: t.Code, Sequence: events[id].Sequence, Features: []drift.Feature{{Code: "spare", Quantity: ptr(2)}}})
	}
	must[*drifts.Outcome](s)(s.service.Drifts.TenantStateReport(s.ctx, report))
}

// TestDriftPages shows what the application has instead of what it was told, changes what
// is done about it, and repairs it.
func TestDriftPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.receive()
		s.fill()
		s.settled("delivered")
		v := s.as(billing.Admin)
		page, platform := "/tenants/1", fmt.Sprintf("/platforms/%d", s.platform.ID)
		v.wants(v.get(platform+"/drift"), 200, "Policy Show what differs", "None of those that the application reported.", "None yet.")
		v.wants(v.get(platform+"/drift-policy"), 200, "Repairs a minute, at most")
		v.wants(v.post(platform+"/drift-policy", "driftPolicy", "REPAIR", "driftRepairsPerMinute", "0"), 422, "From 1 to 10000 tenants")
		v.wants(v.post(platform+"/drift-policy", "driftPolicy", "REPAIR", "driftRepairsPerMinute", "7"), 200, "The policy was changed.", "Repairs a minute 7 at most")
		s.drifts(1, 2)
		v.wants(v.get(platform), 200, platform+"/drift")
		v.wants(v.get(page), 200, "delivered differs", "In the application differs", "What the application has instead", "spare not in the catalog nothing 2 not told", "Single sign-on sso ✓ included nothing missing", "It last acted on event number 2, but does not have what that told it:", page+"/repair", "/tenants/1/events/")
		a := v.wants(v.get(platform+"/drift"), 200, "Tenants that differ", "spare not told", "nothing is repaired by itself", "2 tenants wait for a person: look at some of them below", "UTC waits for a person", platform+"/drift/repair",
			"Drift over time", "In numbers Day (UTC) Differ Missing there Behind In sync")
		if found := wrongInHTML.FindString(a.body); found != "" {
			t.Errorf("the page has %q", found)
		}
		v.wants(v.get(page+"/repair"), 200, "its state again?")
		v.wants(v.post(page+"/repair"), 200, "The current state is being sent.", "Drift repair")
		entry := v.wants(v.get("/audit"), 200, "Repaired tenants that differed", "Platform 1 Acme Inc")
		v.wants(v.get("/audit/"+between(entry.body, `<a href="/audit/`, `"`)), 200, "Tenants Tenant Code Acme Inc tenant-1", `href="/tenants/1"`)
		name := "tonight"
		must[*drifts.Outcome](s)(s.service.Drifts.TenantStateReport(s.ctx, drifts.Report{PlatformCode: s.platform.Code, Name: &name, States: []drift.State{{Code: "nobody"}}}))
		const held = "So much of the last full report differs that nothing is repaired by itself"
		v.wants(v.get("/"), 200, held+": a person has to decide.")
		v.wants(v.get(platform+"/drift"), 200, held, "1 tenant waits for a person: look at it below, then repair it.")
		v.wants(v.get(platform+"/drift/repair"), 200, "Repair")
		if a := v.wants(v.post(platform+"/drift/repair"), 200, "being told again."); strings.Contains(a.text(), held) {
			t.Error("a person has decided, and it is held")
		}
		v.wants(v.get("/"), 200, "Repairs are under way.")
		v.wants(v.get(page), 200, "Last repaired", "the application had something else", "spare not in the catalog nothing 2 not told", "which repaired it")

		// Whoever is held back can be repaired one by one as well.
		s.settled("delivered")
		s.clock.Advance(2 * time.Minute)
		s.drifts(1, 2)
		v.wants(v.get(platform+"/drift"), 200, held)
		for _, one := range []string{"/tenants/1", "/tenants/2", "/tenants/3", "/tenants/5"} {
			v.wants(v.post(one+"/repair"), 200, "The current state is being sent.")
		}
		if a := v.wants(v.get(platform+"/drift"), 200, "UTC held"); strings.Contains(a.text(), "nothing is repaired") || strings.Contains(a.text(), "for a person") {
			t.Errorf("all are repaired by hand, and it says %s", a.text())
		}
		v.wants(v.get("/"), 200, "Repairs are under way.")
		viewer := s.as(billing.Viewer)
		if a := viewer.wants(viewer.get(page), 200, "What the application has instead"); strings.Contains(a.body, page+"/repair") {
			t.Error("a viewer is offered a repair")
		}
		viewer.wants(viewer.get(page+"/repair"), 403)
	})
}

// TestHomeTellsOfDrift shows where people look first that tenants differ, what becomes of
// them, and nothing that contradicts it.
func TestHomeTellsOfDrift(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.receive()
		s.fill()
		s.settled("delivered")
		v := s.as(billing.Admin)
		tenant := must[*billing.Tenant](s)(store.Tenants.Get(s.ctx, s.service.Read(), 1))
		report := func(sequence int, features ...drift.Feature) {
			must[*drifts.Outcome](s)(s.service.Drifts.TenantStateReport(s.ctx, drifts.Report{
				PlatformCode: s.platform.Code, States: []drift.State{{Code: tenant.Code, Sequence: sequence, Features: features}},
			}))
		}
		policy := func(p drift.Policy) {
			must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, s.platform.ID, func(one *webhook.Platform) error { one.DriftPolicy = p; return nil }, delivery.PlatformSecrets{}))
		}
		told := must[*webhook.ProvisioningState](s)(s.service.Provisioning.State(s.ctx, 1))
		var all []drift.Feature
		for _, f := range told.Features() {
			all = append(all, drift.Feature{Code: f.Code, Value: f.Value, Quantity: f.Quantity})
		}
		report(2, all...)
		v.wants(v.get("/tenants/1"), 200, `<span class="badge good">in sync</span>`)
		if text := v.get("/").text(); strings.Contains(text, "Needs attention") {
			t.Errorf("all is well, and it says %s", text)
		}

		report(2)
		page := fmt.Sprintf("/platforms/%d/drift", s.platform.ID)
		v.wants(v.get("/"), 200, "Needs attention", "1 tenant of Harbour App differs from what the application was told. Nothing is repaired until a person does it.", page)
		v.wants(v.get("/tenants"), 200, "In the application: differs")
		v.wants(v.get("/subscriptions/1"), 200, "In the application differs")
		if body := v.wants(v.get("/tenants/1"), 200, "delivered differs").body; strings.Contains(body, "in sync") {
			t.Error("the tenant differs and is in sync")
		}

		policy(drift.Repair)
		v.wants(v.get("/"), 200, "differs from what the application was told. They are repaired after the next report.")
		report(2)
		v.wants(v.get("/"), 200, "differs from what the application was told. Repairs are under way.")
		s.settled("delivered")
		s.clock.Advance(2 * time.Minute)
		report(3)
		v.wants(v.get("/"), 200, "1 tenant still after a repair: look at why the application does not act on it.")
		report(99)
		v.wants(v.get("/"), 200, "No event can repair that.")
		v.wants(v.get(page), 200, tenant.Name, "ahead")
	})
}
