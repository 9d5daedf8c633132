package worker_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// newPatient is a world in which a busy machine has all the time for a request.
func newPatient(t *testing.T, db *storetest.Database, tenants int) *world {
	t.Helper()
	w := newWorld(t, db, tenants)
	w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = 60 * speed })
	return w
}

var errTakenBack = errors.New("taken back")

// leases says whether an event that is recorded for a tenant is leased to the
// sender at once. It is taken back.
func (w *world) leases(st *store.Store, tenant billing.TenantID) (leased bool) {
	w.t.Helper()
	err := st.Write(w.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := record(ctx, tx, tenant, w.platform); err != nil {
			return err
		}
		streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant})
		if err != nil {
			return err
		}
		leased = streams[tenant].AttemptID != nil
		return errTakenBack
	})
	if !errors.Is(err, errTakenBack) {
		w.t.Fatal(err)
	}
	return leased
}

// warm has an engine on a store send something, so that it knows the way and
// delivers inline.
func (w *world) warm(st *store.Store, tenant billing.TenantID) {
	w.t.Helper()
	w.await("it delivers inline", func() bool {
		if w.leases(st, tenant) {
			return true
		}
		err := st.Write(w.t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := record(ctx, tx, tenant, w.platform)
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
		w.settled()
		return false
	})
}

// TestInline sends what this process commits without looking for it: the stream is
// leased by the transaction that records the event. What waits behind it goes on
// as ever.
func TestInline(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 10)
		release := make(chan struct{})
		w.receiver.answers(func(_ http.ResponseWriter, r *request) {
			if r.tenant != w.tenants[0] {
				<-release
			}
		})
		w.start()
		w.warm(w.store, w.tenants[0])
		for _, tenant := range w.tenants[1:] {
			event := w.tell(tenant)
			if stream := w.stream(tenant); stream.AttemptID == nil || !stream.StartedAt.Equal(event.CreatedAt) || stream.Tries != 1 {
				t.Errorf("the stream is %+v", stream) // a batch would have come later
			}
			w.tell(tenant)
		}
		w.await("the requests are there", func() bool { return len(w.receiver.sequences()) == 10 })
		close(release)
		w.settled()
		for _, tenant := range w.tenants[1:] {
			same(t, "what was told", w.receiver.sequences()[tenant], []int{1, 2})
		}
		w.explained()
	})
}

// TestInlineGoesTheWayOfToday: a change to where webhooks go or to whether they
// do, which this process has not heard of, holds for what is committed after it.
func TestInlineGoesTheWayOfToday(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 3)
		w.start()
		w.warm(w.store, w.tenants[0])
		elsewhere, before := newReceiver(t), len(w.receiver.got())
		w.write(func(ctx context.Context, tx *store.Tx) error {
			found, err := store.Platforms.ByIDs(ctx, tx.Queries, []billing.PlatformID{w.platform})
			if err != nil {
				return err
			}
			found[0].WebhookURL = &elsewhere.URL
			return store.Platforms.Update(ctx, tx, &found[0])
		})
		if !w.leases(w.store, w.tenants[1]) {
			t.Error("it has heard of the change")
		}
		event := w.tell(w.tenants[1])
		w.settled()
		same(t, "requests there", len(elsewhere.got()), 1)
		same(t, "requests here", len(w.receiver.got()), before)
		attempts := w.attempts(event.ID)
		same(t, "attempts", []any{len(attempts), attempts[0].Number, attempts[0].URL}, []any{1, 1, elsewhere.URL})
		w.warm(w.store, w.tenants[2]) // it knows the way again
		before = len(elsewhere.got())
		w.recipe(func(f *webhook.Workflow) { f.Enabled = false })
		if !w.leases(w.store, w.tenants[0]) {
			t.Error("it has heard of the change")
		}
		event = w.tell(w.tenants[0])
		w.await("it is left", func() bool { return w.stream(w.tenants[0]).AttemptID == nil })
		same(t, "requests there", len(elsewhere.got()), before)
		same(t, "the state", w.state(event.ID), webhook.DeliveryWaiting)
		w.recipe(func(f *webhook.Workflow) { f.Enabled = true })
		w.settled()
		same(t, "requests there", len(elsewhere.got()), before+1)
	})
}

// TestInlineTakenBack: what is not committed is not sent, and uses no lease.
func TestInlineTakenBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 2)
		w.start()
		w.warm(w.store, w.tenants[0])
		for range 2 * webhook.DefaultConcurrency {
			if !w.leases(w.store, w.tenants[1]) {
				t.Fatal("the leases are used up")
			}
		}
		w.tell(w.tenants[1])
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[1]], []int{1})
	})
}

// TestInlineKeepsToTheLimit: several processes send what they commit, and what
// they find, and none of them makes more requests at once than it may.
func TestInlineKeepsToTheLimit(t *testing.T) {
	t.Parallel()
	const most, processes, each = 4, 3, 40
	w := newPatient(t, storetest.New(t, "postgres"), processes*each)
	w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency = most })
	var counts [processes]struct{ now, most atomic.Int64 }
	w.receiver.answers(func(_ http.ResponseWriter, r *request) {
		process, err := strconv.Atoi(r.header.Get("User-Agent"))
		if err != nil {
			t.Error(err)
		}
		c := &counts[process]
		now := c.now.Add(1)
		for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
		}
		timer := time.NewTimer(20 * time.Millisecond)
		defer timer.Stop()
		<-timer.C
		c.now.Add(-1)
	})
	var stores []*store.Store
	for i := range processes {
		st := w.open()
		e := w.engine(st, func(o *worker.Options) { o.UserAgent = strconv.Itoa(i) })
		e.Start()
		t.Cleanup(func() { e.Stop(t.Context()) })
		w.warm(st, w.tenants[i*each])
		stores = append(stores, st)
	}
	var writing sync.WaitGroup
	for i, st := range stores {
		for n := range 4 {
			writing.Go(func() {
				for k := n; k < 3*each; k += 4 {
					err := st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
						_, err := record(ctx, tx, w.tenants[i*each+k%each], w.platform)
						return err
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	writing.Wait()
	w.settled()
	for i := range counts {
		if n := counts[i].most.Load(); n > most || n < 1 {
			t.Errorf("process %d made %d requests at once", i, n)
		}
	}
	for tenant, told := range w.receiver.sequences() {
		for i, n := range told {
			if n != i+1 {
				t.Fatalf("tenant %d was told %v", tenant, told)
			}
		}
	}
	w.explained()
}

// TestNoRoom: while as much is taken as may be, a process waits, and does not look
// again and again.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 40)
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency = 3 })
		w.receiver.answers(hang(t))
		for _, tenant := range w.tenants {
			w.tell(tenant)
		}
		e := w.start()
		w.counted(e, map[string]float64{"deliveries in_flight": 6}) // three, and as many prefetched
		before, polled := w.store.Statements(), w.clock.Now()
		w.await("some time has passed", func() bool { return w.clock.Now().Sub(polled) > 2*speed*time.Second })
		if n := w.store.Statements() - before; n > 60 {
			t.Errorf("%d statements in two seconds in which nothing could be done", n)
		}
		same(t, "requests at once", w.receiver.most.Load(), 3)
	})
}

// TestFewerAtOnce: when the limit is lowered, fewer requests are made at once
// from then on.
func TestFewerAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 40)
		w.receiver.answers(func(http.ResponseWriter, *request) {
			timer := time.NewTimer(5 * time.Millisecond)
			defer timer.Stop()
			<-timer.C
		})
		tellAll := func() {
			w.write(func(ctx context.Context, tx *store.Tx) error {
				for _, tenant := range w.tenants {
					if _, err := record(ctx, tx, tenant, w.platform); err != nil {
						return err
					}
				}
				return nil
			})
			w.settled()
		}
		w.start()
		tellAll()
		if n := w.receiver.most.Load(); n < 4 {
			t.Errorf("there were only %d at once", n)
		}
		w.recipe(func(f *webhook.Workflow) { f.MaxConcurrency = 2 })
		w.tell(w.tenants[0]) // it hears of that
		w.settled()
		w.receiver.most.Store(0)
		tellAll()
		if n := w.receiver.most.Load(); n > 2 {
			t.Errorf("there were %d at once", n)
		}
	})
}

// dying is a sender whose process dies as soon as it has committed something.
type dying struct{ outbox.Lease }

func (d dying) Offer(billing.PlatformID) (outbox.Lease, bool) { return d.Lease, true }
func (dying) Withdraw(outbox.Lease)                           {}
func (dying) Queued(*outbox.Commit)                           {}

// TestDiedBeforeTheRequest: what a process has leased with its change and not
// lived to send is unknown, and sent when the lease has run out.
func TestDiedBeforeTheRequest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 1)
		var lease outbox.Lease
		w.write(func(ctx context.Context, tx *store.Tx) (err error) {
			lease.Until = tx.Now.Add(40 * time.Second)
			lease.Attempt, err = outbox.ReserveAttempts(ctx, tx, 1)
			return err
		})
		outbox.SetSender(w.store, dying{lease})
		event, next := w.tell(w.tenants[0]), w.tell(w.tenants[0])
		w.start()
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 2})
		attempts := w.attempts(event.ID)
		same(t, "outcomes", []any{len(attempts), attempts[0].Outcome, attempts[0].ID, attempts[1].Outcome}, []any{2, webhook.AttemptUnknown, lease.Attempt, webhook.AttemptDelivered})
		if sent := attempts[1].StartedAt; sent.Before(lease.Until) {
			t.Errorf("it was sent at %s, while the lease ran until %s", sent, lease.Until)
		}
		same(t, "attempts of the next", len(w.attempts(next.ID)), 1)
	})
}

// begun is a context that tells when somebody waits for its end.
type begun struct {
	context.Context
	once sync.Once
	here chan struct{}
}

func (b *begun) Done() <-chan struct{} {
	b.once.Do(func() { close(b.here) })
	return b.Context.Done()
}

// TestStopLeavesNothingLeased: a transaction that is committed while the engine
// stops has leased a stream. Nothing is sent, and the next engine need not wait.
func TestStopLeavesNothingLeased(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newPatient(t, db, 2)
		e := w.engine(w.store)
		e.Start()
		w.warm(w.store, w.tenants[0])
		stopped, stopping := make(chan struct{}), &begun{Context: t.Context(), here: make(chan struct{})}
		w.write(func(ctx context.Context, tx *store.Tx) error {
			if _, err := record(ctx, tx, w.tenants[1], w.platform); err != nil {
				return err
			}
			streams, err := outbox.StreamsOf(ctx, tx.Queries, w.tenants)
			if err != nil {
				return err
			}
			if streams[w.tenants[1]].AttemptID == nil {
				t.Error("nothing is leased")
			}
			go func() { e.Stop(stopping); close(stopped) }()
			<-stopping.here
			return nil
		})
		<-stopped
		stream := w.stream(w.tenants[1])
		if stream.AttemptID != nil || stream.Tries != 0 || stream.DueAt == nil || stream.DueAt.After(w.clock.Now()) {
			t.Errorf("the stream is %+v", stream)
		}
		same(t, "what was told", len(w.receiver.sequences()[w.tenants[1]]), 0)
		w.start()
		w.settled()
		same(t, "what was told", w.receiver.sequences()[w.tenants[1]], []int{1})
	})
}

// TestStopDoesNotWaitForEver: a transaction that does not end holds nobody up
// for longer than those who stop the engine want to wait.
func TestStopDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	w := newPatient(t, storetest.New(t, "postgres"), 2)
	e := w.engine(w.store)
	e.Start()
	w.warm(w.store, w.tenants[0])
	w.write(func(ctx context.Context, tx *store.Tx) error {
		if _, err := record(ctx, tx, w.tenants[1], w.platform); err != nil {
			return err
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		e.Stop(over)
		return nil
	})
	if stream := w.stream(w.tenants[1]); stream.AttemptID == nil {
		t.Errorf("the stream is %+v", stream) // its lease runs out
	}
}

// TestCommitInDoubt: the connection breaks while a change is committed. What has
// become of its stream is found out, and the lease is free again.
func TestCommitInDoubt(t *testing.T) {
	t.Parallel()
	w := newPatient(t, storetest.New(t, "postgres"), 2)
	w.start()
	w.warm(w.store, w.tenants[0])
	raw, err := sql.Open("pgx", w.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`
	for range 2 * webhook.DefaultConcurrency {
		err := w.store.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := record(ctx, tx, w.tenants[1], w.platform); err != nil {
				return err
			}
			_, err := raw.ExecContext(ctx, kill)
			return err
		})
		if err == nil {
			t.Fatal("it was committed")
		}
	}
	w.warm(w.store, w.tenants[1]) // there are leases still
	w.settled()
	for i, n := range w.receiver.sequences()[w.tenants[1]] {
		same(t, "what was told", n, i+1)
	}
}
