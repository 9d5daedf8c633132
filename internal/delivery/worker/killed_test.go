package worker_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// process starts another process on the world's database.
func (w *world) process(name string, slack time.Duration) *process {
	w.t.Helper()
	p := setting{url: w.url, name: name, clock: w.clock, slack: slack}.launch(w.t, roleServer)
	p.await("ready")
	return p
}

func (w *world) outcomes(id billing.EventID) (list []string) {
	w.t.Helper()
	for _, a := range w.attempts(id) {
		list = append(list, a.Outcome)
	}
	return list
}

// TestKilledInDelivery: a process is killed while a receiver holds its request.
// Nobody can tell how that went, so the event is sent again under the same id
// when the lease has run out; what waits behind it waits.
func TestKilledInDelivery(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		w.receiver.answers(hang(t))
		first, second := w.tell(w.tenants[0]), w.tell(w.tenants[0])
		p := w.process("first", 20*time.Second)
		w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
		p.kill()
		w.receiver.answers(status(200))
		w.start()
		w.settled()
		got := w.receiver.got()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 1, 2})
		same(t, "the second request", []any{got[1].id, got[1].attempt, got[1].body}, []any{got[0].id, 2, got[0].body})
		same(t, "outcomes", append(w.outcomes(first.ID), w.outcomes(second.ID)...), []string{"unknown", "delivered", "delivered"})
		attempts := w.attempts(first.ID)
		if early := attempts[1].StartedAt.Sub(attempts[0].StartedAt); early < 30*time.Second {
			t.Errorf("it was sent again after %s, while its lease ran", early)
		}
	})
}

// TestKilledBeforeTheRecord: the receiver has accepted, and the process dies
// before it can write that down. The receiver gets the event twice, and the
// log says why.
func TestKilledBeforeTheRecord(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		first, second := w.tell(w.tenants[0]), w.tell(w.tenants[0])
		locked, unlock, unlocked := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		w.receiver.answers(func(rw http.ResponseWriter, _ *request) { <-locked })
		p := w.process("first", 20*time.Second)
		w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
		go func() { // from now on nobody can record anything
			unlocked <- w.store.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
				_, err := outbox.LockRoute(ctx, tx, w.platform)
				close(locked)
				<-unlock
				return err
			})
		}()
		<-locked
		w.await("it is answered", func() bool { return w.receiver.now.Load() == 0 })
		p.kill()
		close(unlock)
		if err := <-unlocked; err != nil {
			t.Fatal(err)
		}
		w.receiver.answers(status(200))
		w.start()
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 1, 2})
		same(t, "outcomes", append(w.outcomes(first.ID), w.outcomes(second.ID)...), []string{"unknown", "delivered", "delivered"})
	})
}

// TestKilledAroundTheCommit kills processes that change a subscription as fast
// as they can. There is an event for every change and none without one; every
// change that was answered is there.
func TestKilledAroundTheCommit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 0)
		ctx := operation.As(t.Context(), operation.Caller{Actor: "test"})
		if _, err := openHall(ctx, w.service, "hall", w.receiver.URL); err != nil {
			t.Fatal(err)
		}
		sub, err := subscribe(ctx, w.service, "hall-basic", "acme", false, nil)
		if err != nil {
			t.Fatal(err)
		}
		tenant := *sub.TenantID
		for _, changes := range []int{1, 7, 20} {
			p := setting{url: w.url, name: "changes", clock: w.clock}.launch(t, roleChanges)
			var last string
			for range changes {
				last = p.await("did")
			}
			p.kill()
			history, err := store.HistoryOf(ctx, w.service.Read(), []billing.SubscriptionID{sub.ID})
			if err != nil {
				t.Fatal(err)
			}
			events, err := outbox.EventsOfTenant(ctx, w.service.Read(), tenant, 0, 10_000)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "events", len(events), len(history))
			state, err := w.service.Provisioning.State(ctx, tenant)
			if err != nil {
				t.Fatal(err)
			}
			newest := events[len(events)-1]
			same(t, "what the newest tells", featuresIn(t, newest.Body), string(webhook.FeaturesJSON(state.Features())))
			if !slices.ContainsFunc(events, func(e webhook.Event) bool { return strings.Contains(e.Body, `"quantity":`+last+`}`) }) {
				t.Errorf("the quantity %s was answered, but no event tells of it", last)
			}
		}
		w.start()
		w.settled()
		told := w.receiver.got()
		n, err := strconv.Atoi(told[len(told)-1].header.Get("Webhook-Sequence"))
		same(t, "told", []any{len(told), n, err}, []any{w.stream(tenant).LastSequence, w.stream(tenant).LastSequence, error(nil)})
	})
}

func featuresIn(t *testing.T, body string) string {
	t.Helper()
	var told struct {
		Payload struct {
			Change struct{ Features json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil {
		t.Fatal(err)
	}
	return string(told.Payload.Change.Features)
}

// TestThreeOnOneStream: three processes share the events of one tenant. They
// are told one at a time, in order and once each.
func TestThreeOnOneStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"), 1)
	for _, name := range []string{"one", "two", "three"} {
		w.process(name, time.Hour)
	}
	const events = 60
	var want []int
	for i := range events {
		w.tell(w.tenants[0])
		want = append(want, i+1)
	}
	w.settled()
	same(t, "what was told", w.receiver.sequences()[w.tenants[0]], want)
	same(t, "requests at once", w.receiver.most.Load(), int64(1))
}
