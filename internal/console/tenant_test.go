package console_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store"
)

func TestTenantsAreInSyncOrNot(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	viewer, v := s.as(billing.Viewer), s.as(billing.Editor)
	page := viewer.wants(viewer.get("/tenants/1"), 200, `<span class="badge good">delivered</span>`, "number 2", "delivered", "/events?q=tenant%3A1")
	if strings.Contains(page.body, "/tenants/1/sync") {
		t.Error("a viewer is offered to send the state")
	}
	viewer.wants(viewer.post("/tenants/1/sync"), 403)
	viewer.wants(viewer.get("/subscriptions/1"), 200, "In the application", `<span class="badge good">delivered</span>`)

	before := r.got.Load()
	v.wants(v.submit(v.wants(v.get("/tenants/1/sync"), 200, "behind any that are waiting")), 200, "The current state is being sent.", "Tenant sync")
	eventually(t, "the state to come", func() bool { return r.got.Load() > before })
	s.settled("delivered")
	v.wants(v.get("/tenants/1"), 200, `<span class="badge good">delivered</span>`, "number 3")

	r.refuses.Store(true)
	v.wants(v.submit(v.get("/tenants/1/sync")), 200)
	eventually(t, "the failure to be told", func() bool {
		return strings.Contains(v.get("/tenants/1").text(), "The last attempt failed; the next is due at")
	})
	v.wants(v.get("/tenants/1"), 200, "out of sync", "number 4", "number 3", "The endpoint answered 503")
	v.wants(v.get("/subscriptions/1"), 200, "out of sync")
	v.wants(v.get("/events?state=retry_wait"), 200, "Acme Inc", "503")

	must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, s.platform.ID, func(p *webhook.Platform) error { p.ProvisioningEnabled = false; return nil }, delivery.PlatformSecrets{}))
	v.wants(v.submit(v.get("/tenants/1/sync")), 409, "Provisioning is off")
	v.wants(v.get("/tenants/1"), 200, "Provisioning is off on the platform")
}

// TestTenantsNameTheJobsToCome has two jobs that somebody else works on: one
// that has yet to reach a tenant, and one that has passed it.
func TestTenantsNameTheJobsToCome(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.settled("delivered")
	add := func(cursor int64) *billing.Job {
		j := &billing.Job{
			Kind: billing.JobFanOut, State: billing.JobRunning, Total: 9, Done: 3, Params: []byte(`{"productId": 1, "reason": "feature.updated"}`),
			Cursor: cursor, Claim: "somebody else", ClaimedUntil: s.clock.Now().Add(time.Hour),
		}
		err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error { return store.Jobs.Insert(ctx, tx, j) })
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	v := s.as(billing.Viewer)
	passed, first := add(1), add(0)
	page := v.wants(v.get("/tenants/1"), 200, `<span class="badge info">sending…</span>`, "The application has all events, but job "+strconv.FormatInt(int64(first.ID), 10)+" has yet to reach this tenant.",
		"Jobs still to reach it", "3 of 9", jobHref(first))
	if strings.Contains(page.body, jobHref(passed)) {
		t.Error("a job that has passed the tenant is named")
	}
	second := add(0)
	v.wants(v.get("/tenants/1"), 200, fmt.Sprintf("jobs %d and %d have yet to reach this tenant", first.ID, second.ID))
	v.wants(v.get("/subscriptions/1"), 200, fmt.Sprintf("jobs %d and %d have yet to reach this tenant", first.ID, second.ID))
}

func jobHref(j *billing.Job) string { return fmt.Sprintf("/jobs/%d", j.ID) }
