package worker_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestInOrder sends what many tenants are told, to each in order.
func TestInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 20)
		w.start()
		for range 5 {
			for _, tenant := range w.tenants {
				w.tell(tenant)
			}
		}
		w.settled()
		for _, tenant := range w.tenants {
			same(t, "what a tenant was told", w.receiver.sequences()[tenant], []int{1, 2, 3, 4, 5})
			if l := w.stream(tenant); !l.InSync() || l.DeliveredAt == nil || l.LastError != nil {
				t.Errorf("its stream is %+v", l)
			}
		}
		same(t, "requests", len(w.receiver.got()), 100)
	})
}

// TestWakesAtTheCommit: an engine that never polls sends what is committed. With
// one request at a time nothing goes direct.
func TestWakesAtTheCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency, f.TimeoutSeconds = 1, 60*speed })
		w.start(func(o *worker.Options) { o.Poll = time.Hour })
		for range 5 {
			for _, tenant := range w.tenants {
				w.tell(tenant)
			}
			w.settled()
		}
		same(t, "what was told", w.receiver.sequences()[w.tenants[1]], []int{1, 2, 3, 4, 5})
	})
}

// TestRetry tries again until the endpoint accepts, and later events wait.
func TestRetry(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		bad, good := w.tenants[0], w.tenants[1]
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			if r.tenant == bad && r.sequence == 1 && r.attempt < 3 {
				rw.WriteHeader(503)
			}
		})
		w.start()
		first := w.tell(bad)
		w.tell(bad)
		w.tell(good)
		w.settled()
		same(t, "what was told", w.receiver.sequences()[bad], []int{1, 1, 1, 2})
		same(t, "what another was told", w.receiver.sequences()[good], []int{1})
		var outcomes []string
		var waits []time.Duration
		attempts := w.attempts(first.ID)
		for i, a := range attempts {
			outcomes = append(outcomes, a.Outcome)
			if i > 0 {
				waits = append(waits, a.StartedAt.Sub(*attempts[i-1].FinishedAt))
			}
		}
		same(t, "outcomes", outcomes, []string{"failed", "failed", "delivered"})
		if waits[0] < 4*time.Second || waits[1] < 24*time.Second {
			t.Errorf("waited only %s", waits)
		}
		same(t, "the error of the first", *attempts[0].Error, "The endpoint answered 503 Service Unavailable.")
		same(t, "state", w.state(first.ID), webhook.DeliveryDelivered)
	})
}

// TestGivesWay: when the head has failed for five minutes and a newer event
// waits, the newest goes next and the others are superseded.
func TestGivesWay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			if r.sequence < 4 {
				rw.WriteHeader(500)
			}
		})
		var events []webhook.Event
		for range 4 {
			events = append(events, w.tell(w.tenants[0]))
		}
		begun := w.clock.Now()
		w.start()
		w.settled()
		var states []string
		for _, e := range events {
			states = append(states, w.state(e.ID))
		}
		same(t, "states", states, []string{"superseded", "superseded", "superseded", "delivered"})
		for _, r := range w.receiver.got() {
			if r.sequence == 2 || r.sequence == 3 {
				t.Errorf("event %d was sent", r.sequence)
			}
		}
		if waited := w.stream(w.tenants[0]).DeliveredAt.Sub(begun); waited < webhook.GiveWayAfter {
			t.Errorf("gave way after %s", waited)
		}
	})
}

// TestStrict supersedes nothing, and a head that is given up lets the next go.
func TestStrict(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *webhook.Workflow) { f.Order, f.RetryDelays = webhook.Strict, []int{1, 600, 1} })
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			if r.sequence == 1 {
				rw.WriteHeader(500)
			}
		})
		first := w.tell(w.tenants[0])
		w.tell(w.tenants[0])
		w.start()
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 1, 1, 1, 2})
		same(t, "the state of the first", w.state(first.ID), webhook.DeliveryExhausted)
		if l := w.stream(w.tenants[0]); !l.InSync() {
			t.Errorf("its stream is %+v", l)
		}
	})
}

// TestLongStreamsGiveWay: tenants with much to be told are told in order, and do
// not keep others waiting until they have heard all.
func TestLongStreamsGiveWay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		const tenants, each, inARow = 36, 25, 10
		w := newWorld(t, db, tenants)
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency = 1 })
		var want []int
		for n := range each {
			for _, tenant := range w.tenants {
				w.tell(tenant)
			}
			want = append(want, n+1)
		}
		w.start()
		w.settled()
		heard := map[billing.TenantID]bool{}
		for before, r := range w.receiver.got() {
			if !heard[r.tenant] && before > 3*tenants*inARow/2 {
				t.Errorf("tenant %d was first told something after %d other events", r.tenant, before)
			}
			heard[r.tenant] = true
		}
		for _, tenant := range w.tenants {
			// On a slow machine a lease may run out: then one is told twice.
			same(t, "what was told", slices.Compact(w.receiver.sequences()[tenant]), want)
		}
	})
}

// TestForcedResendGivenUp: when an older event that was sent by force is given
// up, the tenant is not said to be in sync any more, because its application may
// have acted on it; the current state mends that.
func TestForcedResendGivenUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *webhook.Workflow) { f.RetryDelays = []int{1} })
		tenant := w.tenants[0]
		first := w.tell(tenant)
		w.start()
		second := w.tell(tenant)
		w.settled()
		resend := func(e *webhook.Event, forced bool) {
			t.Helper()
			w.write(func(ctx context.Context, tx *store.Tx) error {
				_, err := outbox.AppendDelivery(ctx, tx, e, forced)
				return err
			})
			w.settled()
		}
		w.receiver.answers(status(500))
		resend(&second, false)
		if l := w.stream(tenant); !l.InSync() || l.LastError == nil {
			t.Errorf("after the newest was given up once more its stream is %+v", l)
		}
		resend(&first, true)
		same(t, "the state of the older one", w.state(first.ID), webhook.DeliveryExhausted)
		if l := w.stream(tenant); l.InSync() || l.DeliveredSequence != 0 || l.HighestSequence != 2 {
			t.Errorf("after the older one was given up its stream is %+v", l)
		}
		w.receiver.answers(status(204))
		resend(&second, false)
		if l := w.stream(tenant); !l.InSync() || l.DeliveredSequence != 2 {
			t.Errorf("after the newest was delivered again its stream is %+v", l)
		}
	})
}

// TestResend sends an event again; one that takes the tenant back in time says
// so, and one that nobody forced is dropped if it would by then.
func TestResend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		tenant := w.tenants[0]
		first := w.tell(tenant)
		w.start()
		second := w.tell(tenant)
		w.settled()
		resend := func(e *webhook.Event, forced bool) {
			t.Helper()
			w.write(func(ctx context.Context, tx *store.Tx) error {
				_, err := outbox.AppendDelivery(ctx, tx, e, forced)
				return err
			})
			w.settled()
		}
		resend(&second, false)
		resend(&first, true)
		if l := w.stream(tenant); l.InSync() || l.DeliveredSequence != 1 || l.HighestSequence != 2 {
			t.Errorf("after going back its stream is %+v", l)
		}
		resend(&first, false) // in time, when it was asked for
		same(t, "the state of one that came too late", w.state(first.ID), webhook.DeliverySuperseded)
		got := w.receiver.got()
		same(t, "what was told", w.receiver.sequences()[tenant], []int{1, 2, 2, 1})
		same(t, "forced", []bool{got[2].forced, got[3].forced}, []bool{false, true})
		same(t, "ids and bodies of the same event", []any{got[2].id, got[2].body, got[2].attempt}, []any{got[1].id, got[1].body, 1})
	})
}

// TestReplicas has three engines share the work: what each tenant is told stays
// in order, and nothing is told twice.
func TestReplicas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"), 10)
	for range 3 {
		e := w.engine(w.open())
		e.Start()
		t.Cleanup(func() { e.Stop(t.Context()) })
	}
	for range 30 {
		for _, tenant := range w.tenants {
			w.tell(tenant)
		}
	}
	w.settled()
	for tenant, told := range w.receiver.sequences() {
		if len(told) != 30 || !slices.IsSorted(told) {
			t.Errorf("tenant %d was told %v", tenant, told)
		}
	}
}
