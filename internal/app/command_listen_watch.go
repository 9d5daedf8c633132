package app

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// watch says, while a listener has nothing to print, what its platform's
// webhooks wait for: a retry that is minutes away looks like a fault otherwise.
func (at *attached) watch(ctx context.Context, p Process, busy func() bool) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	said, seen := "", ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := at.waitsFor(ctx)
		if err != nil || busy() {
			now = "" // for this moment it is not known
		}
		// Twice the same: between the two a request could have been on its way.
		if now != "" && now == seen && now != said {
			fmt.Fprintln(p.Stderr, now)
			said = now
		}
		seen = now
	}
}

// waitsFor is what the platform's webhooks wait for, nothing if that is seconds
// away or nothing waits.
func (at *attached) waitsFor(ctx context.Context) (string, error) {
	due, err := outbox.DuePlatforms(ctx, at.store.Queries())
	if err != nil {
		return "", err
	}
	for _, d := range due {
		if d.ID != at.platform.ID {
			continue
		}
		routes, err := outbox.RoutesOf(ctx, at.store.Queries(), []billing.PlatformID{d.ID})
		if err != nil || len(routes) == 0 {
			return "", err
		}
		return waiting(&routes[0], d.DueAt, at.now()), nil
	}
	return "", nil
}

// waiting says what a platform's webhooks wait for, of which the first is due.
func waiting(r *outbox.Route, due, now time.Time) string {
	switch r.State() {
	case webhook.EndpointPaused:
		return "webhooks wait: the endpoint is paused; Resume on the platform's page in the console, or platformEndpointResume, goes on"
	case webhook.EndpointWorkflowDisabled:
		return "webhooks wait: the platform's workflow is switched off"
	case webhook.EndpointSecretsNeeded:
		return "webhooks wait: " + webhook.WereSet(r.NeededSecrets()) + ", and secrets are sent to no other host"
	}
	if until := r.Endpoint.OpenUntil; until != nil && until.After(due) {
		due = *until
	}
	if due.Sub(now) < 3*time.Second {
		return ""
	}
	return "what failed is tried again at " + due.In(now.Location()).Format("15:04:05")
}
