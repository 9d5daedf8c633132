package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// TestOtherSearches types words that no index has. The empty list leads to the search that
// is meant.
func TestOtherSearches(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	for typed, link := range map[string]string{
		"/events?q=drift": "/events?q=reason%3Adrift.repair", "/events?q=feature": "/events?q=reason%3Afeature.added", "/audit?q=repaired": "/audit?q=action%3AdriftRepair",
	} {
		v.wants(v.get(typed), 200, "Nothing matches.", "Perhaps you mean: ", `href="`+link+`"`)
		v.wants(v.get(link), 200, "Nothing matches.")
	}
	for _, typed := range []string{"/events?q=zzz", "/audit?q=zzz", "/events?q=drift+state%3Aheld", "/events?q=reason%3Adrift.repair", "/accounts?q=zzz"} {
		if a := v.wants(v.get(typed), 200, "Nothing matches."); strings.Contains(a.text(), "Perhaps") {
			t.Errorf("%s offers %s", typed, a.text())
		}
	}
}

// TestEventsThatChangeNothing adds a feature to one plan. Tenants on others are told as well,
// and the page of their event says so.
func TestEventsThatChangeNothing(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.idle()
	v := s.as(billing.Admin)
	must[*catalog.Feature](s)(s.service.Catalog.FeatureCreate(s.ctx, s.product.ID, []billing.PlanID{s.plans[2].ID}, func(f *catalog.Feature) error {
		f.Code, f.Name = "ai", "AI assistant"
		return nil
	}))
	s.idle()
	const nothing = "All tenants of the product are told of a change to its features, also those that gain or lose nothing by it."
	for tenant, gains := range map[billing.TenantID]bool{1: false, 2: true} {
		event := s.newestEvent(tenant)
		a := v.wants(v.get(fmt.Sprintf("/events/%d", event.ID)), 200, "Reason Feature added in the catalog")
		if strings.Contains(a.text(), nothing) == gains {
			t.Errorf("tenant %d gains a feature: %v, and it says %s", tenant, gains, a.text())
		}
	}
}
