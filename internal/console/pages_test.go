package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// everyPage is an address of every kind that an admin can open, once the demo
// is there.
func (s *site) everyPage() []string {
	pages := []string{"/", "/profile", "/subscriptions", "/subscriptions?state=active", "/subscriptions/new", "/jobs", "/audit", "/audit/2"}
	one := map[string]int64{
		"accounts": int64(s.accounts[0].ID), "contacts": 1, "platforms": int64(s.platform.ID), "products": int64(s.product.ID),
		"features": int64(s.features[0].ID), "plans": int64(s.plans[0].ID), "price-lists": int64(s.lists[0].ID), "charges": 1,
		"tenants": 1, "api-clients": 1, "users": 1, "test-clocks": int64(s.demo.clock.ID),
	}
	for path, id := range one {
		pages = append(pages, "/"+path, fmt.Sprintf("/%s/%d", path, id), fmt.Sprintf("/%s/%d/delete", path, id))
		if path != "tenants" {
			pages = append(pages, "/"+path+"/new")
		}
		if path != "test-clocks" {
			pages = append(pages, fmt.Sprintf("/%s/%d/edit", path, id))
		}
	}
	actions := map[subscription.State][]string{
		subscription.StateActive: {"", "/quantities", "/plan", "/renewal", "/tenant", "/cancel"}, subscription.StateTrial: {"", "/extend-trial", "/convert-trial"},
		subscription.StatePending: {""}, subscription.StateCanceled: {"", "/reinstate"},
	}
	for state, paths := range actions {
		for _, path := range paths {
			pages = append(pages, fmt.Sprintf("/subscriptions/%d%s", s.subs[string(state)].ID, path))
		}
	}
	return append(append(pages, s.billingPages()...),
		fmt.Sprintf("/subscriptions/new?priceListId=%d&accountId=%d", s.lists[0].ID, s.accounts[0].ID),
		fmt.Sprintf("/products/%d/matrix", s.product.ID), "/tenants/1/sync", "/workflows", "/platforms/1/workflow", "/platforms/1/test", "/platforms/1/resume", "/platforms/1/signing", "/platforms/1/drift", "/platforms/1/drift/repair", "/platforms/1/drift-policy", "/tenants/1/repair", "/events", "/events?state=delivered", "/events/1", "/events/2", "/events/1/resend", "/events/resend", "/api-clients/1/renew", "/users/1/password",
		fmt.Sprintf("/test-clocks/%d/advance", s.demo.clock.ID))
}

// wrongInHTML finds what templates leave behind when something went wrong, and
// what the policy of the console forbids.
var wrongInHTML = regexp.MustCompile(`ZgotmplZ|<no value>|%!|\sstyle="|\son[a-z]+="|<script>|<style|javascript:`)

// menuPattern finds the menu, which a page has once for wide screens and once
// for narrow ones.
var menuPattern = regexp.MustCompile(`(?s)<nav aria-label="Main">.*?</nav>`)

func TestEveryPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		v := s.as(billing.Admin)
		for _, path := range []string{"/", "/accounts", "/subscriptions", "/jobs"} {
			v.wants(v.get(path), 200) // with nothing there
		}
		s.receive()
		s.fill()
		s.bill()
		s.unanswered(s.accounts[1].ID)
		s.settled("delivered")
		s.drifts(1)
		for _, path := range s.everyPage() {
			a := v.wants(v.get(path), 200)
			if found := wrongInHTML.FindString(a.body); found != "" {
				t.Errorf("%s has %q", path, found)
			}
			for _, menu := range menuPattern.FindAllString(a.body, -1) {
				if lit := strings.Count(menu, "aria-current"); lit > 1 || lit == 0 && path != "/profile" {
					t.Errorf("%s lights %d items of the menu", path, lit)
				}
			}
			if !strings.Contains(a.body, "<h1>") && !strings.Contains(a.body, "<h1 ") {
				t.Errorf("%s has no heading", path)
			}
			for name, want := range map[string]string{
				"Cache-Control": "no-store", "X-Frame-Options": "DENY", "Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff",
			} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: %s is %q", path, name, got)
				}
			}
			if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s has the policy %q", path, policy)
			}
		}
		if strings.Contains(s.log.String(), "level=ERROR") {
			t.Errorf("the log has errors:\n%s", s.log)
		}
	})
}

var assetPattern = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// pageBudget is how much a page may bring over the wire with all it loads.
const pageBudget = 150 << 10

func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	for i := range 195 {
		s.addFeature(catalog.Feature{Code: fmt.Sprintf("f-%d", i), Name: fmt.Sprintf("Feature number %d with a longer name", i), Kind: []catalog.FeatureKind{catalog.Boolean, catalog.Quantity, catalog.Value}[i%3]})
	}
	for i := range 60 {
		must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
			a.Name, a.BillingDay = fmt.Sprintf("%03d %s", i, strings.Repeat("long name ", 24)), 1
			return nil
		}, nil))
	}
	v := s.as(billing.Admin)
	v.header.Set("Accept-Encoding", "gzip")
	for _, path := range s.everyPage() {
		a := v.get(path)
		total := len(a.body)
		for _, asset := range assetsOf(v, path) {
			total += len(v.get(asset).body)
		}
		t.Logf("%6d bytes, %6d with all it loads: %s", len(a.body), total, path)
		if total > pageBudget || total < 1000 {
			t.Errorf("%s takes %d bytes, of which %d are its own", path, total, len(a.body))
		}
	}
}

// assetsOf are the files a page loads.
func assetsOf(v *visitor, path string) (assets []string) {
	plain := *v
	plain.header = map[string][]string{"Accept-Encoding": {"identity"}}
	for _, match := range assetPattern.FindAllStringSubmatch(plain.get(path).body, -1) {
		assets = append(assets, match[1])
	}
	return assets
}

func TestAssetsAreKeptForEver(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.visit()
	assets := assetsOf(v, "/sign-in")
	if len(assets) != 4 {
		t.Fatalf("the page loads %q", assets)
	}
	for _, asset := range assets {
		a := v.get(asset)
		if a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s answers %d, %s", asset, a.status, a.header.Get("Cache-Control"))
		}
	}
	if a := v.get("/assets/ui.000000000000.css"); a.status != 404 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an old file answers %d, %s", a.status, a.header.Get("Cache-Control"))
	}
}

// TestListsGoBackAndForth goes through a list that has several pages.
func TestListsGoBackAndForth(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	for i := range 120 {
		must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error { a.Name, a.BillingDay = fmt.Sprintf("Account %03d", i), 1; return nil }, nil))
	}
	v := s.as(billing.Viewer)
	link := func(a answer, rel string) string {
		match := regexp.MustCompile(`href="([^"]*)" rel="` + rel + `"`).FindStringSubmatch(a.body)
		if match == nil {
			return ""
		}
		return unescape(match[1])
	}
	first := v.wants(v.get("/accounts"), 200, "Account 119", "Account 070")
	if strings.Contains(first.body, "Account 069") || link(first, "prev") != "" {
		t.Error("the first page has too much")
	}
	second := v.wants(v.get(link(first, "next")), 200, "Account 069", "Account 020")
	third := v.wants(v.get(link(second, "next")), 200, "Account 019", "Account 000")
	if link(third, "next") != "" {
		t.Error("there is a page after the last")
	}
	back := v.wants(v.get(link(third, "prev")), 200, "Account 069", "Account 020")
	v.wants(v.get(link(back, "prev")), 200, "Account 119", "Account 070")
	found := v.wants(v.get("/accounts?q=Account+00"), 200, "Account 009")
	if strings.Contains(found.body, "Account 010") {
		t.Error("the search finds too much")
	}
	v.wants(v.get("/accounts?q=nobody"), 200, "Nothing matches")
	v.wants(v.get("/accounts?q=size:3"), 422, `There is no filter field "size" here`, `value="size:3"`)
}

func TestCountsAreOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Viewer)
	if text := v.get("/").text(); !strings.Contains(text, "Set up") {
		t.Errorf("an empty system has no guide: %s", text)
	}
	s.fill()
	home := v.get("/").text()
	for state, word := range map[subscription.State]string{subscription.StateActive: "active", subscription.StateTrial: "trial", subscription.StatePending: "pending"} {
		n := must[int](s)(store.CountSubscriptions(s.ctx, s.service.Read(), state, 100))
		if n == 0 || !strings.Contains(home, fmt.Sprintf("%d %s", n, word)) {
			t.Errorf("home does not say that %d are %s: %s", n, word, home)
		}
	}
	if strings.Contains(home, "Set up") {
		t.Error("the guide is still there")
	}
}
