package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// receiver is an application that webhooks go to.
type receiver struct {
	url string
	// refuses says that it answers 503.
	refuses atomic.Bool
	got     atomic.Int64
	// held keeps it from answering while it is locked.
	held sync.RWMutex
}

// receive starts an application for the demo's webhooks; it comes before fill.
func (s *site) receive() *receiver {
	r := &receiver{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		r.got.Add(1)
		r.held.RLock()
		defer r.held.RUnlock()
		w.Header().Set("X-Receiver", "here")
		if r.refuses.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "come back later")
			return
		}
		_, _ = io.WriteString(w, `{"taken":true}`)
	}))
	s.t.Cleanup(server.Close)
	r.url, s.hooks = server.URL, server.URL
	return r
}

// settled waits until every event of the demo is in a state.
func (s *site) settled(state string) {
	s.t.Helper()
	filter := must[billing.Filter](s)(billing.ParseFilter("state:" + state))
	eventually(s.t, "events to be "+state, func() bool {
		all := must[int](s)(log.CountEvents(s.ctx, s.service.Read(), billing.Filter{}))
		return all > 0 && must[int](s)(log.CountEvents(s.ctx, s.service.Read(), filter)) == all
	})
}

func (s *site) newestEvent(tenant billing.TenantID) webhook.Event {
	return must[[]webhook.Event](s)(outbox.RecentEvents(s.ctx, s.service.Read(), tenant, 0, 1))[0]
}

func TestTheWebhookLog(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Viewer)
	v.wants(v.get("/events"), 200, "Every webhook is listed here")
	s.receive()
	s.fill()
	s.settled("delivered")
	log := v.wants(v.get("/events"), 200, "Acme Inc", "delivered", "Quantity changed", `hx-get="/events"`)
	if strings.Contains(log.body, "/events/resend") {
		t.Error("a viewer is offered to resend")
	}
	v.wants(v.get("/events?state=exhausted"), 200, "Nothing matches")
	v.wants(v.get("/events?q=state:odd"), 422, "write one of pending")
	narrowed := v.wants(v.get("/events?q=tenant:tenant-1&state=delivered"), 200, "Acme Inc", `hx-get="/events?q=tenant:tenant-1&amp;state=delivered"`)
	if strings.Contains(narrowed.body, "Olympia") {
		t.Error("the filter finds too much")
	}
	newest := s.newestEvent(1)
	page := v.wants(v.get(fmt.Sprintf("/events/%d", newest.ID)), 200, "delivered", "Attempt 1", "First byte", "Webhook-Signature", "X-Receiver", `"taken": true`, `"quantity": 40`, "← Previous")
	if !strings.Contains(page.body, `<span class="gone">-`) || !strings.Contains(page.text(), "Features › Users › quantity 12 40") || strings.Contains(page.body, "/resend") {
		t.Error("there is no difference to the event before, or a viewer is offered to resend")
	}
	v.wants(v.get("/events/9999"), 404, "There is no such event")
	for _, path := range []string{"/events/1/resend", "/events/resend"} {
		v.wants(v.get(path), 403)
		v.wants(v.post(path, "force", "on", "step", "confirm"), 403)
	}
}

// TestAnEventHasOneNumber calls an event by its number within the tenant wherever it is
// named; its id is one of the facts about it.
func TestAnEventHasOneNumber(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Editor)
	newest := s.newestEvent(1)
	if int(newest.ID) == newest.Sequence {
		t.Fatal("the id and the number are the same")
	}
	here, name := fmt.Sprintf("/events/%d", newest.ID), fmt.Sprintf("vent #%d", newest.Sequence)
	v.wants(v.get("/tenants/1"), 200, fmt.Sprintf(`<a href="%s">#%d</a>`, here, newest.Sequence))
	v.wants(v.get(here), 200, "<h1>E"+name+" of Acme Inc", fmt.Sprintf("Id %d", newest.ID))
	v.wants(v.get(here+"/resend"), 200, "Resend e"+name+" of Acme Inc?")
	if list := v.wants(v.get("/events?q=tenant:tenant-1"), 200, "e"+name).text(); strings.Contains(list, fmt.Sprintf("event %d", newest.ID)) {
		t.Errorf("the log has another number: %s", list)
	}
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		first := must[[]log.LoggedEvent](s)(log.LoggedEvents(ctx, tx.Queries, []billing.EventID{1}))[0]
		return outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: first.Delivery.ID, State: webhook.DeliverySuperseded, SupersededBy: &newest.ID}})
	})
	if err != nil {
		t.Fatal(err)
	}
	v.wants(v.get("/events/1"), 200, "Superseded by e"+name)
}

func TestEventsAreResent(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Editor)
	newest := fmt.Sprintf("/events/%d", s.newestEvent(1).ID)
	ask := v.wants(v.get(newest+"/resend"), 200, "with the same id and body")
	if strings.Contains(ask.text(), "back in time") {
		t.Errorf("the newest event is warned of: %s", ask.text())
	}
	before := r.got.Load()
	v.wants(v.submit(ask), 200, "Queued for resending.")
	eventually(t, "the webhook to come again", func() bool { return r.got.Load() > before })
	s.settled("delivered")
	v.wants(v.get(newest), 200, "Attempt 2", "resent")

	old := v.wants(v.get("/events/1/resend"), 200, "This takes the tenant back in time", "Send current state", "/tenants/1/sync")
	v.wants(v.post("/events/1/resend"), 409, "Nothing was sent", "back in time") // not forced
	before = r.got.Load()
	v.wants(v.submit(old), 200, "Queued for resending.")
	eventually(t, "the old webhook to come", func() bool { return r.got.Load() > before })
	s.settled("delivered")
	v.wants(v.get("/events/1"), 200, "resent, back in time")
}

func TestManyEventsAreResent(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Editor)
	v.wants(v.get("/events?q=acme&state=delivered"), 200, "/events/resend?filter=acme&#43;state%3Adelivered")
	v.wants(v.submit(v.get("/events/resend"), "filter", "state:odd"), 422, "write one of pending")
	v.wants(v.submit(v.get("/events/resend"), "filter", "state:exhausted"), 422, "No matching event")
	counted := v.wants(v.submit(v.get("/events/resend"), "filter", "platform:app"), 200, "Resend 6 events?", "the newest match of each tenant")
	before := r.got.Load()
	job := v.wants(v.submit(counted), 200, "The events are being queued.", "Webhook resend")
	if !strings.HasPrefix(job.path, "/jobs/") {
		t.Errorf("it ends at %s", job.path)
	}
	eventually(t, "the webhooks to come again", func() bool { return r.got.Load() == before+6 })
}

func failedTest(_ context.Context, r *outbox.Route, _ *webhook.Event) *webhook.Attempt {
	return &webhook.Attempt{
		Number: 1, Outcome: webhook.AttemptFailed, URL: *r.Platform.WebhookURL, Error: ptr("The request was not made: no such host"),
		RequestHeaders: []byte("{}"), StartedAt: r.Platform.CreatedAt, FinishedAt: &r.Platform.CreatedAt,
	}
}

func TestTestsAreNotResent(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.service.Delivery.UseWebhooks(delivery.Webhooks{Test: failedTest})
	test := must[*delivery.WebhookTest](s)(s.service.Delivery.PlatformWebhookTest(s.ctx, s.platform.ID))
	v := s.as(billing.Editor)
	page := v.wants(v.get(fmt.Sprintf("/events/%d", test.EventID)), 200, "none: a test", "no such host")
	if strings.Contains(page.body, "/resend") {
		t.Error("a test can be resent")
	}
	v.wants(v.get(fmt.Sprintf("/events/%d/resend", test.EventID)), 409, "A test cannot be resent")
}
