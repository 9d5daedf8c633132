package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestSearchesThatStopEarly looks for old entries of a long audit log: a page
// says how far it looked and leads on.
func TestSearchesThatStopEarly(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.multiply(10_500)
	v := s.as(billing.Admin)
	older := regexp.MustCompile(`href="([^"]*)" rel="next"`)
	for _, filter := range []string{"subjectType:Platform+subjectId:%3C2", "platformcreate+subjectId:%3C=1"} { // comparisons have no index
		first := v.wants(v.get("/audit?q="+filter), 200, "These are the matches among 10,000 entries.", "“Older” looks through the next ones.", "Nothing matches")
		link := older.FindStringSubmatch(first.body)
		if link == nil {
			t.Fatalf("it does not lead on: %s", first.text())
		}
		second := v.wants(v.get(unescape(link[1])), 200, "Created the platform", "/platforms/1")
		if strings.Contains(second.text(), "matches among") || strings.Contains(second.body, `rel="next"`) {
			t.Errorf("the end is not told: %s", second.text())
		}
	}
	for _, path := range []string{"/audit", "/audit?q=accountcreate", "/audit?q=nobody", "/audit?q=subjectType:Platform+subjectId:1", "/audit?q=at:%3C2000-01-01"} {
		if text := v.wants(v.get(path), 200).text(); strings.Contains(text, "matches among") {
			t.Errorf("%s stops early: %s", path, text)
		}
	}
	for _, filter := range []string{"platformcreate", "action:platformCreate", "platformCREATE+1"} {
		if text := v.wants(v.get("/audit?q="+filter), 200, "Created the platform", "/platforms/1").text(); strings.Contains(text, "matches among") {
			t.Errorf("%s is not found by an index: %s", filter, text)
		}
	}
	if text := v.wants(v.get("/events?state=delivered"), 200).text(); strings.Contains(text, "matches among") {
		t.Errorf("a full page stops early: %s", text)
	}
}

// TestAuditTellsOfCustomers finds what was done to a customer by its name, with
// the quantities before and after, and says when a word names too many.
func TestAuditTellsOfCustomers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		s.fill()
		v := s.as(billing.Admin)
		found := v.wants(v.get("/audit?q=acme"), 200, "Created the account", "Created the contact", "Created the tenant", "Created the subscription", "Changed quantities",
			"quantity of seats 12 → 40", "quantity of seats none → 12")
		if strings.Contains(found.text(), "Account 2") || strings.Contains(found.text(), "Subscription 2") || strings.Contains(found.text(), "Created the product") {
			t.Errorf("it finds what was done to others: %s", found.text())
		}
		page := regexp.MustCompile(`href="(/audit/\d+)">Changed quantities`).FindStringSubmatch(v.get("/audit?q=acme+quantity").body)
		if page == nil {
			t.Fatal("the change of a quantity is not found by the customer and what was done")
		}
		v.wants(v.get(page[1]), 200, "Quantity of seats 12 40", "<code>subscriptionQuantityUpdate</code>", "Subscription 1 Acme Inc")
		v.wants(v.get("/audit?q=acme"), 200, "Subscription 1 Acme Inc", "Account 1 Acme Inc", "Tenant 1 Acme Inc")
		list := billing.PriceListID(6)
		must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionPlanChange(s.ctx, 1, subscriptions.PriceListRef{ID: &list}, subscription.PlanUpdate{
			AtTermEnd: true, Quantities: []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(50)}},
		}))
		planned := regexp.MustCompile(`href="(/audit/\d+)">Changed the plan`).FindStringSubmatch(v.get("/audit?q=acme+plan").body)
		if planned == nil {
			t.Fatal("the change of plan is not found")
		}
		if text := v.wants(v.get(planned[1]), 200, "Next price list — Enterprise: Yearly from 1 Jun 2026, seats 50").text(); strings.Contains(text, "2026-") {
			t.Errorf("there is a raw day: %s", text)
		}
		made := regexp.MustCompile(`href="(/audit/\d+)">Created the subscription`).FindStringSubmatch(v.get("/audit?q=acme").body)
		if text := v.wants(v.get(made[1]), 200, "Price list — Team: Yearly", "Start date — 1 Jun 2025").text(); strings.Contains(text, "list id") {
			t.Errorf("there is a raw id: %s", text)
		}
		v.wants(v.get("/audit?q=nordwind+quantity"), 200, "Nothing matches")
		for i := range store.MostCustomers + 1 {
			must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error { a.Name, a.BillingDay = fmt.Sprintf("Crowd %d", i), 1; return nil }, nil))
		}
		v.wants(v.get("/audit?q=crowd"), 200, "More than 100 customers match these words")
	})
}

// TestAuditLeadsToWhatItIsAbout has links to what has a page, of every kind.
func TestAuditLeadsToWhatItIsAbout(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Admin)
	for kind, path := range map[string]string{
		"Account": "/accounts/1", "Subscription": "/subscriptions/1", "Tenant": "/tenants/1", "PriceListCharge": "/charges/1", "Entity": "/entities/1", "TestClock": "/test-clocks/1",
		"Platform": "/platforms/1",
	} {
		v.wants(v.get("/audit?q=subjectType:"+kind+"+subjectId:1"), 200, `href="`+path+`"`)
	}
}
