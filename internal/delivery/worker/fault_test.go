package worker_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/target/dnstest"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestDatabaseRestarts while requests are under way: their answers are recorded
// when it is back, and nothing is sent again.
func TestDatabaseRestarts(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]func(*storetest.Server) error{"stopped": (*storetest.Server).Stop, "killed": (*storetest.Server).Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := storetest.PostgresServer(t, storetest.Durable())
			w := newWorld(t, &storetest.Database{Engine: "postgres", URL: server.URL("postgres")}, 8)
			answer := make(chan struct{})
			w.receiver.answers(func(http.ResponseWriter, *request) { <-answer })
			w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = webhook.MaxTimeoutSeconds })
			w.start(func(o *worker.Options) { o.Speed = 1 }) // so that no request takes too long
			var events []webhook.Event
			for _, tenant := range w.tenants {
				events = append(events, w.tell(tenant), w.tell(tenant))
			}
			w.await("all requests are there", func() bool { return len(w.receiver.got()) == len(w.tenants) })
			if err := down(server); err != nil {
				t.Fatal(err)
			}
			w.receiver.answers(status(200))
			close(answer)
			w.await("they are answered", func() bool { return w.receiver.now.Load() == 0 })
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			w.settled()
			for _, tenant := range w.tenants {
				same(t, "what was told", w.receiver.sequences()[tenant], []int{1, 2})
			}
			for _, e := range events {
				same(t, "outcomes", w.outcomes(e.ID), []string{webhook.AttemptDelivered})
			}
		})
	}
}

// TestRebinding: a name that was public when it was saved leads to this machine
// when the webhook goes out. Nothing is sent, the attempt says why, and the
// event waits for somebody to mend it.
func TestRebinding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		address := "http://rebinding.example.com" + w.receiver.URL[strings.LastIndexByte(w.receiver.URL, ':'):]
		_, err := w.service.Delivery.PlatformUpdate(t.Context(), w.platform, func(p *webhook.Platform) error { p.WebhookURL = &address; return nil }, delivery.PlatformSecrets{})
		if err != nil {
			t.Fatal(err)
		}
		resolver := dnstest.Resolver(t, []netip.Addr{netip.MustParseAddr("127.0.0.1")})
		with := func(policy *target.Policy) func(*worker.Options) {
			policy.Resolver = resolver
			return func(o *worker.Options) { o.Sender = send.New(policy, send.Options{Now: w.clock.Now}) }
		}
		event := w.tell(w.tenants[0])
		e := w.engine(w.store, with(target.New(false, nil)))
		e.Start()
		w.await("it was refused", func() bool { a := w.attempts(event.ID); return len(a) > 1 && a[0].Outcome != webhook.AttemptStarted })
		e.Stop(t.Context())
		refused := w.attempts(event.ID)[0]
		same(t, "the outcome", []any{refused.Outcome, refused.Address, refused.Status}, []any{webhook.AttemptFailed, (*string)(nil), (*int)(nil)})
		if !strings.Contains(*refused.Error, "127.0.0.1") || !strings.Contains(*refused.Error, "--webhook-allow") || !strings.Contains(*refused.Error, "not made") {
			t.Errorf("the attempt says %q", *refused.Error)
		}
		same(t, "requests", len(w.receiver.got()), 0)
		w.start(with(target.New(true, nil)))
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1})
	})
}

// TestPoisonHangs: a tenant whose requests hang keeps nobody else waiting, and
// no event of its own is lost.
func TestPoisonHangs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 20)
		poison := w.tenants[0]
		held := hang(t)
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			if r.tenant == poison {
				held(rw, r)
			}
		})
		w.start()
		first, second := w.tell(poison), w.tell(poison)
		w.await("it hangs", func() bool { return len(w.receiver.got()) > 0 })
		for range 3 {
			for _, tenant := range w.tenants[1:] {
				w.tell(tenant)
			}
		}
		w.await("all others were told", func() bool {
			for _, tenant := range w.tenants[1:] {
				if !w.stream(tenant).InSync() {
					return false
				}
			}
			return true
		})
		same(t, "the states of its own", []string{w.state(first.ID), w.state(second.ID)}, []string{webhook.DeliveryWaiting, webhook.DeliveryWaiting})
		if e := w.endpoint(); e.OpenUntil != nil {
			t.Errorf("one tenant opened the breaker: %+v", e)
		}
		w.receiver.answers(status(200))
		w.settled()
		for _, tenant := range w.tenants[1:] {
			same(t, "what the others were told", w.receiver.sequences()[tenant], []int{1, 2, 3})
		}
		w.explained()
	})
}

// explained checks that what the receiver got more than once has an attempt for
// each time, and that all but the last of those failed or are unknown.
func (w *world) explained() {
	w.t.Helper()
	got := map[string]int{}
	for _, r := range w.receiver.got() {
		got[r.id]++
	}
	for id, times := range got {
		var event billing.EventID
		if _, err := fmt.Sscan(id, &event); err != nil {
			w.t.Fatal(err)
		}
		outcomes := w.outcomes(event)
		if len(outcomes) < times {
			w.t.Errorf("event %s was received %d times, but has the attempts %q", id, times, outcomes)
		}
		for i, o := range outcomes {
			if last := i == len(outcomes)-1; last != (o == webhook.AttemptDelivered) {
				w.t.Errorf("event %s has the attempts %q", id, outcomes)
				break
			}
		}
	}
}
