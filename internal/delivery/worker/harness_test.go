package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestMain also plays the processes that some tests kill: the test binary starts
// itself with a role in its environment.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	storetest.Main(m)
}

// speed is how much faster than real the clock of these tests goes: a retry
// after five seconds is one after fifty milliseconds.
const speed = 100

// world is a platform with an endpoint that does as it is told, and tenants.
type world struct {
	t        *testing.T
	clock    shared
	now      func() time.Time // nil for the database's clock
	url      string
	store    *store.Store
	service  *service.Service
	receiver *receiver
	platform billing.PlatformID
	tenants  []billing.TenantID
	log      *slog.Logger
}

func newWorld(t *testing.T, db *storetest.Database, tenants int) *world {
	t.Helper()
	clock := shared{begin: time.Now(), speed: speed}
	return newWorldAt(t, db, tenants, clock, clock.Now)
}

// newWorldAt is newWorld with another clock.
func newWorldAt(t *testing.T, db *storetest.Database, tenants int, clock shared, now func() time.Time) *world {
	t.Helper()
	w := &world{t: t, clock: clock, now: now, url: db.URL, receiver: newReceiver(t), log: slog.New(slog.NewTextHandler(testWriter{t}, nil))}
	w.store = w.open()
	box, err := secret.NewBox(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	w.service = service.New(w.store, box, nil)
	platform, err := w.service.Delivery.PlatformCreate(t.Context(), func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = "cloud", "Cloud", true, &w.receiver.URL
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		t.Fatal(err)
	}
	w.platform = platform.ID
	w.tenants = w.addTenants(platform.ID, tenants)
	return w
}

func (w *world) open() *store.Store {
	w.t.Helper()
	st, err := store.Open(w.t.Context(), store.Options{URL: w.url, Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { st.Close() })
	return st
}

func (w *world) addTenants(platform billing.PlatformID, n int) (ids []billing.TenantID) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *store.Tx) error {
		ids = nil
		account := &billing.Account{Name: "A", BillingDay: 1}
		if err := store.Accounts.Insert(ctx, tx, account); err != nil {
			return err
		}
		for i := range n {
			tenant := &billing.Tenant{PlatformID: platform, AccountID: account.ID, Code: fmt.Sprintf("t-%d-%d", platform, i), Name: "T"}
			if err := store.Tenants.Insert(ctx, tx, tenant); err != nil {
				return err
			}
			ids = append(ids, tenant.ID)
		}
		return nil
	})
	return ids
}

func (w *world) write(do func(context.Context, *store.Tx) error) {
	w.t.Helper()
	if err := w.store.Write(w.t.Context(), do); err != nil {
		w.t.Fatal(err)
	}
}

// tell records an event for a tenant, in a transaction of its own.
func (w *world) tell(tenant billing.TenantID) (event webhook.Event) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *store.Tx) (err error) {
		event, err = record(ctx, tx, tenant, w.platform)
		return err
	})
	return event
}

func record(ctx context.Context, tx *store.Tx, tenant billing.TenantID, platform billing.PlatformID) (webhook.Event, error) {
	position, err := outbox.NextPosition(ctx, tx, tenant)
	if err != nil {
		return webhook.Event{}, err
	}
	event := webhook.Event{
		Type: webhook.EventType, Subject: webhook.OfTenant(tenant), PlatformID: platform, Sequence: position.Sequence, Reason: "test",
		Body: fmt.Sprintf(`{"tenant":%d,"n":%d}`, tenant, position.Sequence),
	}
	return event, outbox.InsertEvent(ctx, tx, &event, position)
}

// start runs an engine on the world's database until the test ends.
func (w *world) start(options ...func(*worker.Options)) *worker.Engine {
	w.t.Helper()
	e := w.engine(w.store, options...)
	e.Start()
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Stop(ctx)
	})
	return e
}

func (w *world) engine(st *store.Store, options ...func(*worker.Options)) *worker.Engine {
	o := worker.Options{
		Store: st, Sender: send.New(target.New(true, nil), send.Options{Now: w.clock.Now}), Secrets: w.service.Delivery.RouteSecrets,
		Log: w.log, Now: w.clock.Now, Speed: speed, UserAgent: "Tenantry/test",
		// A busy machine must not lose a lease.
		Slack: time.Hour, Leap: time.Millisecond,
	}
	for _, option := range options {
		option(&o)
	}
	return worker.New(o)
}

// diesWhileSending is what a process leaves that dies during a request.
func (w *world) diesWhileSending(tenant billing.TenantID) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *store.Tx) error {
		claims, err := outbox.DueStreams(ctx, tx, w.platform, tx.Now, 10)
		if err != nil {
			return err
		}
		for i := range claims {
			stream := &claims[i].Stream
			if stream.Subject.Tenant() != tenant {
				continue
			}
			id, err := outbox.ReserveAttempts(ctx, tx, 1)
			if err != nil {
				return err
			}
			stream.Tries++
			stream.Begin(id, tx.Now, tx.Now.Add(40*time.Second))
			return outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream})
		}
		w.t.Fatalf("nothing is due for tenant %d", tenant)
		return nil
	})
}

// recipe changes the workflow of the platform.
func (w *world) recipe(edit func(*webhook.Workflow)) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *store.Tx) error {
		flows, err := store.WorkflowsOf(ctx, tx.Queries, []billing.PlatformID{w.platform})
		if err != nil {
			return err
		}
		edit(&flows[0])
		return store.Workflows.Update(ctx, tx, &flows[0])
	})
}

func (w *world) stream(tenant billing.TenantID) *webhook.Stream {
	w.t.Helper()
	streams, err := outbox.StreamsOf(w.t.Context(), w.store.Queries(), []billing.TenantID{tenant})
	if err != nil {
		w.t.Fatal(err)
	}
	return streams[tenant]
}

func (w *world) endpoint() webhook.Endpoint {
	w.t.Helper()
	routes, err := outbox.RoutesOf(w.t.Context(), w.store.Queries(), []billing.PlatformID{w.platform})
	if err != nil || len(routes) != 1 {
		w.t.Fatal(routes, err)
	}
	return routes[0].Endpoint
}

// attempts returns how the requests for an event went, in order.
func (w *world) attempts(id billing.EventID) (attempts []webhook.Attempt) {
	w.t.Helper()
	deliveries, err := outbox.DeliveriesOf(w.t.Context(), w.store.Queries(), []billing.EventID{id})
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []billing.DeliveryID
	for _, d := range deliveries {
		ids = append(ids, d.ID)
	}
	attempts, err = outbox.AttemptsOf(w.t.Context(), w.store.Queries(), ids)
	if err != nil {
		w.t.Fatal(err)
	}
	return attempts
}

// state is the kept state of an event's latest delivery.
func (w *world) state(id billing.EventID) string {
	w.t.Helper()
	deliveries, err := outbox.DeliveriesOf(w.t.Context(), w.store.Queries(), []billing.EventID{id})
	if err != nil || len(deliveries) == 0 {
		w.t.Fatal(deliveries, err)
	}
	return deliveries[len(deliveries)-1].State
}

// await waits until something is true, for a minute at most. It asks ever less often:
// what is waited for needs the processor too.
func (w *world) await(what string, is func() bool) {
	w.t.Helper()
	for started := time.Now(); !is(); {
		waited := time.Since(started)
		if waited > time.Minute {
			w.t.Fatalf("waited in vain until %s; received %v", what, w.receiver.sequences())
		}
		<-time.After(min(2*time.Millisecond+waited/8, 100*time.Millisecond))
	}
}

// settled waits until nothing waits in any stream.
func (w *world) settled() {
	w.t.Helper()
	w.await("nothing waits", func() bool {
		s, err := log.ReadBacklog(w.t.Context(), w.store.Queries())
		if err != nil && !store.IsOutage(err) {
			w.t.Fatal(err)
		}
		return err == nil && s.Waiting == 0
	})
}

// request is one that the receiver got.
type request struct {
	tenant   billing.TenantID
	sequence int
	attempt  int
	id       string
	forced   bool
	header   http.Header
	body     string
	gone     <-chan struct{} // closed when the sender has given up
}

// receiver is an application that answers as it is told.
type receiver struct {
	*httptest.Server
	// answer decides what to answer; nil accepts.
	answer atomic.Pointer[func(http.ResponseWriter, *request)]
	// most is the highest number of requests that were there at once.
	now, most atomic.Int64

	mu       sync.Mutex
	requests []*request
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.receive))
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	r.Start()
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

// answers sets what the receiver does from now on.
func (r *receiver) answers(f func(http.ResponseWriter, *request)) { r.answer.Store(&f) }

// status answers all with a status.
func status(code int) func(http.ResponseWriter, *request) {
	return func(w http.ResponseWriter, _ *request) { w.WriteHeader(code) }
}

func (r *receiver) receive(w http.ResponseWriter, req *http.Request) {
	now := r.now.Add(1)
	defer r.now.Add(-1)
	for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	var told struct{ Tenant billing.TenantID }
	_ = json.Unmarshal(body, &told) // what a program made of it may be anything
	number := func(name string) int { n, _ := strconv.Atoi(req.Header.Get(name)); return n }
	got := &request{
		tenant: told.Tenant, sequence: number("Webhook-Sequence"), attempt: number("Webhook-Attempt"), id: req.Header.Get("Webhook-Id"),
		forced: req.Header.Get("Webhook-Forced") == "true", header: req.Header, body: string(body),
		gone: req.Context().Done(),
	}
	r.mu.Lock()
	r.requests = append(r.requests, got)
	r.mu.Unlock()
	if f := r.answer.Load(); f != nil {
		(*f)(w, got)
	}
}

// got returns the requests so far.
func (r *receiver) got() []*request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// sequences returns what each tenant was told, in order.
func (r *receiver) sequences() map[billing.TenantID][]int {
	told := map[billing.TenantID][]int{}
	for _, q := range r.got() {
		told[q.tenant] = append(told[q.tenant], q.sequence)
	}
	return told
}

// hang keeps a request until the test ends or the sender gives up.
func hang(t *testing.T) func(http.ResponseWriter, *request) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return func(_ http.ResponseWriter, r *request) {
		select {
		case <-over:
		case <-r.gone:
		}
	}
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter, _ *request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		conn.Close()
	}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

func same[T any](t *testing.T, what string, have, want T) {
	t.Helper()
	a, b := fmt.Sprintf("%+v", have), fmt.Sprintf("%+v", want)
	if a != b {
		t.Errorf("%s:\nhave %s\nwant %s", what, a, b)
	}
}

func ptr[T any](v T) *T { return &v }

// overlaps has every request take a while, and counts those that come for a
// tenant while another one is there.
func (r *receiver) overlaps(takes time.Duration) *atomic.Int64 {
	var mu sync.Mutex
	there := map[billing.TenantID]int{}
	var count atomic.Int64
	r.answers(func(_ http.ResponseWriter, q *request) {
		mu.Lock()
		if there[q.tenant]++; there[q.tenant] > 1 {
			count.Add(1)
		}
		mu.Unlock()
		timer := time.NewTimer(takes)
		<-timer.C
		mu.Lock()
		there[q.tenant]--
		mu.Unlock()
	})
	return &count
}

// signed is when a request was signed, as it says.
func (q *request) signed() time.Time {
	seconds, _ := strconv.ParseInt(q.header.Get("Webhook-Timestamp"), 10, 64)
	return time.Unix(seconds, 0)
}
