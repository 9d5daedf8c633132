package worker_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestTooLateToSend: a process that stood still between its claim and its
// request sends nothing any more when its lease has run out, for others have
// gone on without it.
func TestTooLateToSend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		first := w.tell(w.tenants[0])
		still := newStuck()
		slow := w.engine(w.open(), still.option, slack(time.Minute))
		slow.Start()
		<-still.there
		stopped := stopping(slow)
		w.start()
		w.tell(w.tenants[0])
		w.settled()
		close(still.released)
		<-stopped
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 2})
		same(t, "the outcome of the first", w.attempts(first.ID)[0].Outcome, webhook.AttemptUnknown)
	})
}

// stopping has an engine claim nothing more and finish what it has begun; the
// channel is closed when it has.
func stopping(e *worker.Engine) <-chan struct{} {
	stopped := make(chan struct{})
	go func() { defer close(stopped); e.Stop(context.Background()) }()
	return stopped
}

// TestTooLateToRecord: an answer that comes when the lease has run out and
// another process has gone on changes nothing any more.
func TestTooLateToRecord(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		tenant := w.tenants[0]
		answer := make(chan struct{})
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			if r.attempt == 1 && r.sequence == 1 {
				<-answer
			}
		})
		first := w.tell(tenant)
		// Its requests take as long as the clock of the others goes faster.
		slow := w.engine(w.open(), slack(10*time.Second), func(o *worker.Options) { o.Speed = 1 })
		slow.Start()
		w.await("it has sent", func() bool { return len(w.receiver.got()) == 1 })
		stopped := stopping(slow)
		w.start()
		w.settled()
		hold := make(chan struct{})
		w.receiver.answers(func(http.ResponseWriter, *request) { <-hold })
		second := w.tell(tenant)
		w.await("the next is under way", func() bool { return len(w.receiver.sequences()[tenant]) == 3 })
		close(answer)
		<-stopped
		same(t, "the second, while it is under way", w.state(second.ID), webhook.DeliveryWaiting)
		if l := w.stream(tenant); l.AttemptID == nil || l.DonePosition != 1 {
			t.Errorf("the answer that came too late changed the stream: %+v", l)
		}
		close(hold)
		w.settled()
		same(t, "what was told", w.receiver.sequences()[tenant], []int{1, 1, 2})
		var outcomes []string
		for _, a := range append(w.attempts(first.ID), w.attempts(second.ID)...) {
			outcomes = append(outcomes, a.Outcome)
		}
		same(t, "outcomes", outcomes, []string{webhook.AttemptUnknown, webhook.AttemptDelivered, webhook.AttemptDelivered})
	})
}

// TestTheClockIsSetDuringARequest: the clock that all processes go by is set
// ahead, by less than what counts as a fault, while a request is under way. Its
// lease goes on, and nobody sends it again.
func TestTheClockIsSetDuringARequest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		clock := shared{begin: time.Now(), speed: 1}
		var ahead atomic.Int64
		now := func() time.Time { return clock.Now().Add(time.Duration(ahead.Load())) }
		w := newWorldAt(t, db, 2, clock, now)
		answer := make(chan struct{})
		w.receiver.answers(func(_ http.ResponseWriter, r *request) {
			if r.tenant == w.tenants[0] {
				<-answer
			}
		})
		engines := 2
		if db.Engine == "sqlite" {
			engines = 1
		}
		for range engines {
			st, err := store.Open(t.Context(), store.Options{URL: w.url, Now: now, Exclusive: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			e := w.engine(st, func(o *worker.Options) {
				o.Speed, o.Slack, o.Leap, o.Now, o.Latest, o.Poll = 1, 0, 0, now, now, 10*time.Millisecond
			})
			e.Start()
			t.Cleanup(func() { <-stopping(e) })
			w.await("it shows that it lives", func() bool { return e.ShowsThatItLives() || st.Alone() })
		}
		first := w.tell(w.tenants[0])
		w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
		ahead.Store(int64(4*time.Minute + 50*time.Second))
		for n := range 5 { // others are told meanwhile
			w.tell(w.tenants[1])
			w.await("another tenant is told", func() bool { return len(w.receiver.sequences()[w.tenants[1]]) == n+1 })
		}
		close(answer)
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1})
		same(t, "outcomes", w.outcomes(first.ID), []string{webhook.AttemptDelivered})
	})
}
