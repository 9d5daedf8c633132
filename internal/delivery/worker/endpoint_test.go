package worker_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestBreaker stops sending to an endpoint that fails for everybody, probes it
// and goes on when it is back; what is held spends no attempts.
func TestBreaker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 40)
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency = 4 })
		w.receiver.answers(status(500))
		var events []webhook.Event
		for _, tenant := range w.tenants {
			events = append(events, w.tell(tenant))
		}
		w.start()
		w.await("the breaker has probed twice", func() bool { return w.endpoint().OpenDelay >= 20*time.Second })
		tried := 0
		for _, e := range events {
			tried += min(1, len(w.attempts(e.ID)))
		}
		if tried > 20 {
			t.Errorf("%d tenants were tried at an endpoint that is down", tried)
		}
		w.receiver.answers(status(204))
		w.settled()
		for _, tenant := range w.tenants {
			if !w.stream(tenant).InSync() {
				t.Errorf("tenant %d is not in sync", tenant)
			}
		}
		if e := w.endpoint(); e.OpenUntil != nil || e.Failures != 0 {
			t.Errorf("the endpoint is %+v", e)
		}
	})
}

// TestPoison: a tenant that always fails keeps nobody else waiting.
func TestPoison(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"), 5)
	w.recipe(func(f *webhook.Workflow) {
		f.RetryDelays = []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	})
	w.receiver.answers(func(rw http.ResponseWriter, r *request) {
		if r.tenant == w.tenants[0] {
			rw.WriteHeader(500)
		}
	})
	w.start()
	poison := w.tell(w.tenants[0])
	w.await("it is given up", func() bool { return w.state(poison.ID) == webhook.DeliveryExhausted })
	if e := w.endpoint(); e.OpenUntil != nil {
		t.Errorf("one tenant opened the breaker: %+v", e)
	}
	for _, tenant := range w.tenants[1:] {
		w.tell(tenant)
	}
	w.settled()
}

// TestGone pauses an endpoint that answers 410, until it is resumed.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"), 2)
	w.receiver.answers(status(http.StatusGone))
	w.start()
	first := w.tell(w.tenants[0])
	w.await("the endpoint is paused", func() bool { return w.endpoint().PausedAt != nil })
	w.receiver.answers(status(200))
	w.tell(w.tenants[1])
	w.await("a poll has found nothing to send", func() bool { return w.clock.Now().Sub(*w.endpoint().PausedAt) > 2*speed*time.Second })
	same(t, "requests", len(w.receiver.got()), 1)
	same(t, "the state", w.state(first.ID), webhook.DeliveryWaiting)
	w.write(func(ctx context.Context, tx *store.Tx) error {
		route, err := outbox.LockRoute(ctx, tx, w.platform)
		if err != nil {
			return err
		}
		route.Endpoint.Resume()
		return outbox.SaveEndpoint(ctx, tx, &route.Endpoint)
	})
	w.settled()
}

// TestHeld sends nothing while the workflow is disabled, and then, as asked,
// only the latest of what was queued before.
func TestHeld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		w.recipe(func(f *webhook.Workflow) { f.Enabled = false })
		w.start()
		a, b := w.tenants[0], w.tenants[1]
		for range 3 {
			w.tell(a)
		}
		w.tell(b)
		begin := w.clock.Now()
		w.await("a poll has found nothing to send", func() bool { return w.clock.Now().Sub(begin) > 2*speed*time.Second })
		same(t, "requests", len(w.receiver.got()), 0)
		w.write(func(ctx context.Context, tx *store.Tx) error {
			route, err := outbox.LockRoute(ctx, tx, w.platform)
			if err != nil {
				return err
			}
			route.Endpoint.LatestBefore = tx.Now.Add(time.Millisecond)
			return outbox.SaveEndpoint(ctx, tx, &route.Endpoint)
		})
		w.await("it is later", func() bool { return w.clock.Now().After(w.endpoint().LatestBefore) })
		for range 2 {
			w.tell(a)
		}
		w.recipe(func(f *webhook.Workflow) { f.Enabled = true })
		w.settled()
		same(t, "what one was told", w.receiver.sequences()[a], []int{3, 4, 5})
		same(t, "what the other was told", w.receiver.sequences()[b], []int{1})
	})
}

// TestAtMost keeps to the number of requests at once, and lets a receiver that
// hangs take no more than its time.
func TestAtMost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 12)
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency, f.TimeoutSeconds = 3, 20 })
		w.receiver.answers(hang(t))
		w.start()
		var last webhook.Event
		var events []billing.EventID
		for _, tenant := range w.tenants {
			last = w.tell(tenant)
			events = append(events, last.ID)
		}
		w.await("all were tried", func() bool { return len(w.attempts(last.ID)) > 0 || w.endpoint().OpenUntil != nil })
		w.await("as many as there may be", func() bool { return w.receiver.most.Load() >= 3 })
		w.receiver.answers(status(200))
		w.settled()
		var attempts []webhook.Attempt
		for _, id := range events {
			attempts = append(attempts, w.attempts(id)...)
		}
		same(t, "requests at once", atOnce(attempts), 3)
		attempt := w.attempts(last.ID)[0]
		if attempt.Outcome == webhook.AttemptFailed && !strings.Contains(*attempt.Error, "may have seen the request") {
			t.Errorf("a timeout is said to be: %s", *attempt.Error)
		}
	})
}

// atOnce is how many of those requests were under way at the same time, as the
// sender has it: the receiver may notice later that one was given up.
func atOnce(attempts []webhook.Attempt) (most int) {
	for _, a := range attempts {
		n := 0
		for _, b := range attempts {
			if !b.StartedAt.After(a.StartedAt) && b.FinishedAt != nil && b.FinishedAt.After(a.StartedAt) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestStopCutsOff records what was cut off as unknown; it spends no attempt and
// is sent again at once by the next one.
func TestStopCutsOff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		w.receiver.answers(hang(t))
		e := w.engine(w.store)
		e.Start()
		event := w.tell(w.tenants[0])
		w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		e.Stop(stopped)
		same(t, "the outcome", w.attempts(event.ID)[0].Outcome, webhook.AttemptUnknown)
		if l := w.stream(w.tenants[0]); l.Attempts != 0 || l.AttemptID != nil {
			t.Errorf("the stream is %+v", l)
		}
		w.receiver.answers(status(200))
		w.start()
		w.settled()
		got := w.receiver.got()
		same(t, "the second request", []any{got[1].id, got[1].attempt, got[1].sequence}, []any{got[0].id, 2, 1})
	})
}

// TestLostLease: what the process before did not live to record is unknown, and
// sent again when its lease has run out.
func TestLostLease(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		event := w.tell(w.tenants[0])
		w.diesWhileSending(w.tenants[0])
		w.start()
		w.settled()
		attempts := w.attempts(event.ID)
		same(t, "outcomes", []string{attempts[0].Outcome, attempts[1].Outcome}, []string{webhook.AttemptUnknown, webhook.AttemptDelivered})
		same(t, "the number of the second", w.receiver.got()[0].attempt, 2)
		if waited := attempts[1].StartedAt.Sub(attempts[0].StartedAt); waited < 40*time.Second {
			t.Errorf("it was sent again after %s, while its lease ran", waited)
		}
	})
}

// TestRequest is signed by the standard, by the plain signature and the bearer
// token that the platform asks for; the log shows no secret.
func TestRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"), 1)
	token, key := "the-bearer-token", "the-plain-key"
	platform, err := w.service.Delivery.PlatformUpdate(t.Context(), w.platform, func(p *webhook.Platform) error {
		p.PlainSignatureHeader, p.PlainSignatureAlgorithm = ptr("X-Hub-Signature"), ptr(webhook.SHA1)
		return nil
	}, delivery.PlatformSecrets{AuthToken: &token, PlainSignatureKey: &key})
	if err != nil {
		t.Fatal(err)
	}
	w.receiver.answers(hangUp)
	w.start()
	event := w.tell(w.tenants[0])
	w.await("one connection was closed", func() bool { return len(w.receiver.got()) > 0 })
	w.receiver.answers(status(200))
	w.settled()
	secrets, err := w.service.Delivery.RouteSecrets(&outbox.Route{Platform: *platform}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	judge, err := standard.NewWebhook(secrets.Signing[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range w.receiver.got() {
		if err := judge.VerifyIgnoringTimestamp([]byte(r.body), r.header); err != nil {
			t.Errorf("the signature of attempt %d: %v", r.attempt, err)
		}
		same(t, "the body", r.body, event.Body)
		same(t, "the bearer token", r.header.Get("Authorization"), "Bearer "+token)
		same(t, "the agent", r.header.Get("User-Agent"), "Tenantry/test")
		same(t, "the type", r.header.Get("Content-Type"), "application/json")
		if len(r.header.Get("X-Hub-Signature")) != 40 {
			t.Errorf("the plain signature is %q", r.header.Get("X-Hub-Signature"))
		}
	}
	for _, a := range w.attempts(event.ID) {
		if strings.Contains(string(a.RequestHeaders), token) || !strings.Contains(string(a.RequestHeaders), "Webhook-Signature") {
			t.Errorf("the log shows the headers %s", a.RequestHeaders)
		}
	}
}
