package worker_test

import (
	"context"
	"database/sql"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// takenOverWithin is how long after kill -9 the next process goes on.
const takenOverWithin = 5 * time.Second

// TestTakenOver: a process is killed in the middle of a request whose lease would
// last for minutes. The next one on SQLite, or another one on PostgreSQL, sends it
// again within seconds, also if that one is behind a pooler.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) { takenOver(t, db, db.URL) })
	t.Run("by one behind a pooler", func(t *testing.T) {
		t.Parallel()
		db := storetest.New(t, "postgres")
		direct := db.URL
		db.URL = storetest.PgBouncer(t, direct)
		takenOver(t, db, direct)
	})
}

// takenOver kills a process on the database at url, in the world of db.
func takenOver(t *testing.T, db *storetest.Database, url string) {
	w := newWorld(t, db, 1)
	w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = webhook.MaxTimeoutSeconds })
	sqlite := db.Engine == "sqlite"
	w.receiver.answers(hang(t))
	s := setting{url: url, name: "first", clock: w.clock, slack: 10 * time.Hour, alone: sqlite, patient: true}
	p := s.launch(t, roleServer)
	p.await("ready")
	if !sqlite { // a lease from before would have no holder, and nobody could take it over
		w.await("the process shows that it lives", func() bool { return w.presences(url, `SELECT count(pid) FROM`) > 0 })
	}
	first := w.tell(w.tenants[0])
	w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
	if !sqlite {
		w.await("its lease has a holder", func() bool { return w.oneHolder(true) })
		w.start()
	}
	w.receiver.answers(status(200))
	p.kill()
	killed := time.Now()
	if sqlite {
		s.launch(t, roleServer).await("ready")
	}
	took := w.beats(func() bool { return len(w.receiver.got()) == 2 })
	t.Logf("from kill -9 to the next delivery: %s, in beats %s", time.Since(killed).Round(time.Millisecond), took)
	if took > takenOverWithin {
		t.Errorf("it took %s", took)
	}
	w.settled()
	same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 1})
	same(t, "outcomes", w.outcomes(first.ID), []string{"unknown", "delivered"})
}

// beats waits until something is so, and returns how long that took on a clock
// that stands still while the machine is too busy to do anything: each of its beats
// is a moment and a statement.
func (w *world) beats(is func() bool) (took time.Duration) {
	w.t.Helper()
	const beat = 50 * time.Millisecond
	for ; !is(); took += beat {
		if took > time.Minute {
			w.t.Fatal("waited in vain")
		}
		timer := time.NewTimer(beat)
		<-timer.C
		if _, err := outbox.StreamsOf(w.t.Context(), w.store.Queries(), w.tenants); err != nil {
			w.t.Fatal(err)
		}
	}
	return took
}

// TestNobodyTakesOverBehindAPooler: a process behind a pooler has no lock that
// would end with it. If it is killed, its lease runs out, and another one goes on
// then and not before.
func TestNobodyTakesOverBehindAPooler(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	db.URL = storetest.PgBouncer(t, db.URL)
	w := newWorld(t, db, 1)
	w.receiver.answers(hang(t))
	p := w.process("first", 20*time.Second)
	first := w.tell(w.tenants[0])
	w.await("the request is there", func() bool { return len(w.receiver.got()) == 1 })
	if holders, err := outbox.LeaseHolders(t.Context(), w.store); err != nil || len(holders) != 0 {
		t.Errorf("the processes that show whether they live are %v (%v)", holders, err)
	}
	p.kill()
	w.receiver.answers(status(200))
	w.start()
	w.settled()
	same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 1})
	attempts := w.attempts(first.ID)
	if early := attempts[1].StartedAt.Sub(attempts[0].StartedAt); early < 30*time.Second {
		t.Errorf("it was sent again after %s, while its lease ran", early)
	}
}

// TestNobodyIsDeadWhileNobodyCanLook: how long a process gives no sign of life
// counts from anew when the database could not be asked in between.
func TestNobodyIsDeadWhileNobodyCanLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"), 1)
	w.receiver.answers(hang(t))
	p := w.process("first", 10*time.Hour)
	w.tell(w.tenants[0])
	w.await("it shows that it lives", func() bool { return w.oneHolder(true) })
	p.kill()
	w.await("it is dead", func() bool { return w.oneHolder(false) })
	e := w.engine(w.store, func(o *worker.Options) { o.Grace = time.Nanosecond })
	missing := map[int64]time.Time{}
	outage, cancel := context.WithCancel(t.Context())
	cancel()
	for i, look := range []struct {
		ctx   context.Context
		fails bool
		ends  bool // the lease
	}{{t.Context(), false, false}, {outage, true, false}, {t.Context(), false, false}, {t.Context(), false, true}} {
		if err := e.TakeOver(look.ctx, missing); (err != nil) != look.fails {
			t.Errorf("look %d: %v", i, err)
		}
		if ended := !w.stream(w.tenants[0]).DueAt.After(w.clock.Now()); ended != look.ends {
			t.Errorf("after look %d the lease has ended is %t", i, ended)
		}
	}
}

// oneHolder says whether exactly one process has leases, and lives or not.
func (w *world) oneHolder(lives bool) bool {
	w.t.Helper()
	holders, err := outbox.LeaseHolders(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, alive := range holders {
		if alive == lives {
			return len(holders) == 1
		}
	}
	return false
}

// TestFrozenIsNotDead: a process that is frozen keeps its lock; its leases are
// left to run out.
func TestFrozenIsNotDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"), 1)
	w.receiver.answers(hang(t))
	p := w.process("first", 10*time.Hour)
	w.tell(w.tenants[0])
	w.await("it shows that it lives", func() bool { return w.oneHolder(true) })
	p.freeze()
	for range 3 { // longer than it would take to find out
		tick := time.NewTimer(time.Second)
		<-tick.C
		if !w.oneHolder(true) {
			t.Fatal("a frozen process counts as dead")
		}
	}
	p.kill()
	w.await("it is dead", func() bool { return w.oneHolder(false) })
}

// TestLostLock: the connection that shows that a process lives is cut. It takes
// the lock again before others take over, and what is under way goes on.
func TestLostLock(t *testing.T) {
	t.Parallel()
	clock := shared{begin: time.Now(), speed: 1} // so that no lease runs out meanwhile
	w := newWorldAt(t, storetest.New(t, "postgres"), 1, clock, clock.Now)
	w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = webhook.MaxTimeoutSeconds })
	answer := make(chan struct{})
	release := sync.OnceFunc(func() { close(answer) })
	w.receiver.answers(func(http.ResponseWriter, *request) { <-answer })
	w.start(func(o *worker.Options) { o.Speed = 1 })
	t.Cleanup(release) // nobody waits for an answer if the test fails
	w.await("the process shows that it lives", func() bool { return w.presences(w.url, `SELECT count(pid) FROM`) > 0 })
	first := w.tell(w.tenants[0]) // a lease from before would have no holder
	w.await("the request is there, by a process that shows that it lives", func() bool { return w.oneHolder(true) })
	other := w.engine(w.open(), func(o *worker.Options) { o.Speed, o.Grace = 1, time.Minute })
	other.Start()
	t.Cleanup(func() { <-stopping(other) })
	w.cutPresence()
	w.await("it has its lock again", func() bool { return w.oneHolder(true) })
	release()
	w.settled()
	w.tell(w.tenants[0])
	w.settled()
	same(t, "what was told", w.receiver.sequences()[w.tenants[0]], []int{1, 2})
	same(t, "outcomes", w.outcomes(first.ID), []string{webhook.AttemptDelivered})
}

// cutPresence ends the connections whose locks show that processes live.
func (w *world) cutPresence() {
	w.t.Helper()
	if n := w.presences(w.url, `SELECT count(pg_terminate_backend(pid)) FROM`); n == 0 {
		w.t.Fatal("there are none")
	}
}

// presences asks about the locks that show that processes live.
func (w *world) presences(url, question string) (n int) {
	w.t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	const locks = ` pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	if err := db.QueryRowContext(w.t.Context(), question+locks).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestSkewedClocks: the clocks of two processes are 90 seconds apart, which is
// longer than a lease. They go by the database's, so a tenant never gets two
// requests at once.
func TestSkewedClocks(t *testing.T) {
	t.Parallel()
	const tenants, each = 8, 12
	w := newWorldAt(t, storetest.New(t, "postgres"), tenants, shared{begin: time.Now(), speed: 1}, nil)
	overlaps := w.receiver.overlaps(400 * time.Millisecond)
	for range each {
		for _, tenant := range w.tenants {
			w.tell(tenant)
		}
	}
	for name, skew := range map[string]time.Duration{"slow": -45 * time.Second, "right": 0, "fast": 45 * time.Second} {
		setting{url: w.url, name: name, clock: w.clock, database: true, skew: skew}.launch(t, roleServer).await("ready")
	}
	w.settled()
	same(t, "requests", len(w.receiver.got()), tenants*each)
	same(t, "requests for a tenant at once", overlaps.Load(), 0)
	for _, r := range w.receiver.got() {
		if off := time.Since(r.signed()).Abs(); off > 30*time.Second {
			t.Fatalf("a request says that it was signed %s from now", off)
		}
	}
}
