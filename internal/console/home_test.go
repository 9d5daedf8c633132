package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestHomeTellsOfWebhooks lets webhooks fail and pauses an endpoint.
func TestHomeTellsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Editor)
	if text := v.get("/").text(); strings.Contains(text, "Needs attention") || strings.Contains(text, "Set up") {
		t.Errorf("all is well, and it says %s", text)
	}
	r.refuses.Store(true)
	v.wants(v.submit(v.get("/tenants/1/sync")), 200)
	eventually(t, "the failure to be told", func() bool {
		return strings.Contains(v.get("/").text(), "1 tenant is out of sync: the last attempt to notify its application failed.")
	})
	s.pause("It answered 410 Gone.")
	v.wants(v.get("/"), 200, "Needs attention", "Webhooks of Harbour App are waiting: the endpoint is paused. It answered 410 Gone.", "/events?state=retry_wait")
}

// TestHomeShowsTheDemoItsFuture has all customers on a test clock: what comes
// next is what that clock brings.
func TestHomeShowsTheDemoItsFuture(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	made := s.openDemo()
	v := s.as(billing.Viewer)
	v.wants(v.get("/"), 200, "Coming up, on the test clock demo", "renews", fmt.Sprintf("/test-clocks/%d", made.Clock))
}

// TestHomePlotsWebhooks has events delivered and given up, and follows a link of
// the plot's table.
func TestHomePlotsWebhooks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		v := s.as(billing.Viewer)
		if strings.Contains(v.get("/").body, "plot-title") {
			t.Error("there is a plot of nothing")
		}
		s.receive()
		s.fill()
		s.settled("delivered")
		v.wants(v.get("/events"), 200)
		s.clock.Advance(time.Minute)
		if err := s.service.Delivery.CountEventDays(s.ctx, 24*time.Hour); err != nil {
			t.Fatal(err)
		}
		n := must[int](s)(log.CountEvents(s.ctx, s.service.Read(), billing.Filter{}))
		page := v.wants(v.get("/"), 200, "In numbers", fmt.Sprintf("Webhooks recorded in the last 14 days: %d delivered, 0 given up, 0 still in progress.", n),
			fmt.Sprintf("15 Jan 2026: %d delivered, 0 given up, 0 in progress", n), "/events?q=created%3A2026-01-15")
		if bars := strings.Count(page.body, "<rect class="); bars != 1 {
			t.Errorf("there are %d bars", bars)
		}
		rows := strings.Count(v.wants(v.get("/events?q=created%3A2026-01-15"), 200).body, "/events/")
		if rows < n {
			t.Errorf("the link leads to %d events, want %d", rows, n)
		}
	})
}

// TestTheGuideWantsAnEndpoint makes a platform that cannot get webhooks yet.
func TestTheGuideWantsAnEndpoint(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Editor)
	v.wants(v.get("/"), 200, "New platform", `href="/platforms/new"`)
	p := must[*webhook.Platform](s)(s.service.Delivery.PlatformCreate(s.ctx, func(p *webhook.Platform) error { p.Code, p.Name = "app", "App"; return nil }, delivery.PlatformSecrets{}))
	edit := func(f func(*webhook.Platform)) {
		must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, p.ID, func(p *webhook.Platform) error { f(p); return nil }, delivery.PlatformSecrets{}))
	}
	v.wants(v.get("/"), 200, "Switch provisioning on", `href="/platforms/1/edit"`)
	edit(func(p *webhook.Platform) { p.ProvisioningEnabled = true })
	v.wants(v.get("/"), 200, "Give it a webhook URL")
	edit(func(p *webhook.Platform) { p.WebhookURL = ptr("https://app.example.com/hooks") })
	v.wants(v.get("/"), 200, "A platform (done)", "New product")
}
