package app

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

func TestWhatAListenerWaitsFor(t *testing.T) {
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration) *time.Time { at := now.Add(d); return &at }
	url := "http://127.0.0.1:8090/"
	route := func(change func(*outbox.Route)) *outbox.Route {
		r := &outbox.Route{Platform: webhook.Platform{WebhookURL: &url}, Workflow: webhook.NewWorkflow(1)}
		change(r)
		return r
	}
	for _, c := range []struct {
		name  string
		route *outbox.Route
		due   time.Time
		want  string
	}{
		{"what comes at once", route(func(*outbox.Route) {}), now, ""},
		{"what comes in a moment", route(func(*outbox.Route) {}), *after(2 * time.Second), ""},
		{"a retry", route(func(*outbox.Route) {}), *after(time.Minute), "what failed is tried again at 12:01:00"},
		{"a breaker", route(func(r *outbox.Route) { r.Endpoint.OpenUntil = after(time.Hour) }), now, "what failed is tried again at 13:00:00"},
		{"a pause", route(func(r *outbox.Route) { r.Endpoint.Pause("It said so.", now) }), now,
			"webhooks wait: the endpoint is paused; Resume on the platform's page in the console, or platformEndpointResume, goes on"},
		{"a workflow that is off", route(func(r *outbox.Route) { r.Workflow.Enabled = false }), now, "webhooks wait: the platform's workflow is switched off"},
	} {
		if got := waiting(c.route, c.due, now); got != c.want {
			t.Errorf("%s: it says %q, want %q", c.name, got, c.want)
		}
	}
}
