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
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestRepairsAreExplained repairs a tenant twice. The event of each repair says for ever
// what it was for, and both are found from the pages of the platform and of the tenant.
func TestRepairsAreExplained(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.receive()
		s.fill()
		s.settled("delivered")
		must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, s.platform.ID, func(p *webhook.Platform) error { p.DriftPolicy = drift.Repair; return nil }, delivery.PlatformSecrets{}))
		tenant := must[*billing.Tenant](s)(store.Tenants.Get(s.ctx, s.service.Read(), 1))
		by := operation.As(s.ctx, operation.Caller{Actor: "client first"})
		report := func(complete bool, sequence int, features ...drift.Feature) {
			must[*drifts.Outcome](s)(s.service.Drifts.TenantStateReport(by, drifts.Report{
				PlatformCode: s.platform.Code, Complete: complete, States: []drift.State{{Code: tenant.Code, Sequence: sequence, Features: features}},
			}))
		}
		var all []drift.Feature
		for _, f := range must[*webhook.ProvisioningState](s)(s.service.Provisioning.State(s.ctx, 1)).Features() {
			all = append(all, drift.Feature{Code: f.Code, Value: f.Value, Quantity: f.Quantity})
		}
		report(true, 2, all...)
		report(false, 2, append([]drift.Feature{{Code: "spare", Quantity: ptr(2)}}, all...)...)
		s.settled("delivered")
		s.clock.Advance(2 * time.Minute)
		report(false, 3, all...)
		report(false, 3, append([]drift.Feature{{Code: "attic"}}, all...)...)
		s.settled("delivered")

		v := s.as(billing.Admin)
		const noticed = "that the application had something else than it was told with event number "
		first := v.wants(v.get("/tenants/1/events/3"), 200, "What it repaired", noticed+"2:", "Feature Was told Had Difference", "spare not in the catalog nothing 2 not told")
		if strings.Contains(first.text(), "attic") {
			t.Error("the first repair is explained by the second")
		}
		v.wants(v.get("/tenants/1/events/4"), 200, "What it repaired", noticed+"3:", "attic not in the catalog nothing ✓ included not told")
		if strings.Contains(v.get("/tenants/1/events/2").text(), "What it repaired") {
			t.Error("an event that repaired nothing says that it did")
		}
		v.wants(v.get("/tenants/1"), 200, "Last repaired", "event number 4 told the tenant its state again. A report of", `<a class="button small" href="/tenants/1/events/4">Event number 4, which repaired it</a>`, "attic")

		page := fmt.Sprintf("/platforms/%d/drift", s.platform.ID)
		listed := fmt.Sprintf("/events?q=platform%%3A%d+reason%%3Adrift.repair", s.platform.ID)
		drifted := v.wants(v.get(page), 200, "Repaired in the last 7 days 2 events", "Tenant Outcome Differences Noticed Looked at", "Unknown Repaired for it", "Events that repaired")
		if n := strings.Count(unescape(drifted.body), `href="`+listed+`"`); n != 2 {
			t.Errorf("%d links lead to the events that repaired", n)
		}
		for _, list := range []string{listed, "/events?q=tenant%3A1+reason%3Adrift.repair", "/events?q=reason%3Adrift.repair"} {
			if found := v.wants(v.get(list), 200, "event #3", "event #4"); strings.Contains(found.text(), "event #2") {
				t.Errorf("%s finds others too: %s", list, found.text())
			}
		}
		client := must[*billing.Client](s)(store.ClientByClientID(s.ctx, s.service.Read(), "first"))
		v.wants(v.get("/audit?q=action:tenantStateReport"), 200, client.Name+" client first")
	})
}

// TestAuditLinksOperations leads from an entry to all entries of its kind.
func TestAuditLinksOperations(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	entry := v.get("/audit/" + between(v.get("/audit?q=accountCreate").body, `<a href="/audit/`, `"`))
	v.wants(entry, 200, `href="/audit?q=action%3AaccountCreate"`)
}

// TestNewFeaturesAskForPlansAtOnce shows the plans of a product as soon as it is chosen, and
// keeps what was typed.
func TestNewFeaturesAskForPlansAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	v.wants(v.get("/features/new"), 200, `<select id="f-productId" name="productId" hx-get="/features/new"`)
	again := v.wants(v.get("/features/new?fields=productId+name+code+kind&productId=1&name=Labels&code=labels&kind=QUANTITY"), 200, "Plans that include it", "Starter: 2 tenants", `value="Labels"`, `value="labels"`)
	if !strings.Contains(again.body, `value="QUANTITY" selected`) {
		t.Error("the kind is forgotten")
	}
}

// TestTablesHaveNoColumnOfTheirPage leaves out of the tables on a page what is the same in
// all rows, so that the others are seen. A subscription is opened by its plan then.
func TestTablesHaveNoColumnOfTheirPage(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	v.wants(v.get("/tenants/1"), 200, "Account Plan Price State Term")
	account := v.get("/accounts/1")
	v.wants(account, 200, "Subscriptions New subscription Plan Price State Tenant Term Team", "renews 1 Jun 2026", "New contact Name E-mail Created", "Tenants Name Code Platform Created")
	if want := `<a href="/subscriptions/1">Team</a>`; !strings.Contains(account.body, want) {
		t.Errorf("the page of the account has no %s", want)
	}
	v.wants(v.get("/platforms/1"), 200, "Tenants Name Code Account Created")
}
