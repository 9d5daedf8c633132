package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testDeadHolders: leases of processes that are dead end at once; those of
// others go on.
func testDeadHolders(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var platform billing.PlatformID
	var tenants []*billing.Tenant
	var closed billing.PlatformID // by its breaker, which has nothing to do with the dead
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		platform = m.provisioningPlatform().ID
		closed = m.provisioningPlatform().ID
		tenants = m.tenants(platform, 3)
		for _, tenant := range tenants {
			m.tell(tenant)
		}
		until := tx.Now.Add(time.Hour)
		for _, id := range []billing.PlatformID{platform, closed} {
			route, err := outbox.LockRoute(ctx, tx, id)
			must(err)
			route.Endpoint.Probe(until)
			must(outbox.SaveEndpoint(ctx, tx, &route.Endpoint))
		}
		var streams []*webhook.Stream
		for i, c := range dueStreams(ctx, tx, platform, tx.Now, 3) {
			c.Stream.Begin(billing.AttemptID(i+1), tx.Now, until)
			c.Stream.Holder = int64(11 + i)
			streams = append(streams, &c.Stream)
		}
		must(outbox.SaveStreams(ctx, tx, streams))
	})
	same(t, "alone", s.Alone(), false)
	under := func(want int) {
		t.Helper()
		n, now := 0, db.Clock.Now()
		for _, tenant := range tenants {
			if l := stream(t, s, tenant); l.AttemptID != nil && l.DueAt.After(now) {
				n++
			}
		}
		same(t, "leases", n, want)
	}
	end := func(want int64, dead ...int64) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := outbox.EndLeases(ctx, tx, dead, tx.Now)
			must(err)
			same(t, "leases that end", n, want)
		})
	}
	endpoint := func(id billing.PlatformID) *webhook.Endpoint {
		return &got[[]outbox.Route](t)(outbox.RoutesOf(t.Context(), s.Queries(), []billing.PlatformID{id}))[0].Endpoint
	}
	wait := func(id billing.PlatformID) time.Duration { return endpoint(id).OpenUntil.Sub(db.Clock.Now()) }
	under(3)
	end(0, 99)
	same(t, "a breaker, after somebody else died", wait(platform), time.Hour)
	end(1, 11, 99)
	under(2)
	same(t, "the breaker that the dead served", wait(platform), time.Duration(0))
	same(t, "another breaker", wait(closed), time.Hour)
	end(1, 13)
	end(1)
	under(0)
	same(t, "another breaker, when all are dead", wait(closed), time.Duration(0))
}

// testAttendance: a process that attends lives for others, until it stops.
func testAttendance(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	if db.Engine == "sqlite" {
		same(t, "attending", s.Attend(t.Context(), 1, func() { t.Error("there is nobody to prove it to") }), nil)
		same(t, "holders", len(got[map[int64]bool](t)(outbox.LeaseHolders(t.Context(), s))), 0)
		return
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenant := m.tenants(m.provisioningPlatform().ID, 1)[0]
		m.tell(tenant)
		claim := dueStreams(ctx, tx, tenant.PlatformID, tx.Now, 1)[0]
		claim.Stream.Begin(1, tx.Now, tx.Now.Add(time.Hour))
		claim.Stream.Holder = 1<<31 - 1
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{&claim.Stream}))
	})
	holders := func() map[int64]bool { return got[map[int64]bool](t)(outbox.LeaseHolders(t.Context(), s)) }
	same(t, "before", holders(), map[int64]bool{1<<31 - 1: false})
	ctx, stop := context.WithCancel(t.Context())
	present, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- s.Attend(ctx, 1<<31-1, func() { close(present) }) }()
	<-present
	same(t, "while it attends", holders(), map[int64]bool{1<<31 - 1: true})
	ended := func(want int64) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			same(t, "leases that end", got[int64](t)(outbox.EndLeases(ctx, tx, []int64{1<<31 - 1}, tx.Now)), want)
		})
	}
	ended(0) // somebody took it for dead
	stop()
	<-done
	for began := time.Now(); holders()[1<<31-1]; { // PostgreSQL ends a session a moment after its connection
		if time.Since(began) > 10*time.Second {
			t.Fatal("it lives on for others")
		}
	}
	same(t, "after", holders(), map[int64]bool{1<<31 - 1: false})
	ended(1)
}

// testClock: without another clock, a store goes by the database's.
func testClock(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	same(t, "a clock that is given", s.Now(), db.Clock.Now())
	same(t, "how that is off", s.Clock().Apart() == nil, true)
	wall := func() time.Time { return time.Now().Add(-90 * time.Second) }
	s = got[*store.Store](t)(store.Open(t.Context(), store.Options{URL: db.URL, Wall: wall}))
	t.Cleanup(func() { s.Close() })
	want := time.Now()
	if db.Engine == "sqlite" {
		want = wall() // it has no other
	}
	if off := s.Now().Sub(want).Abs(); off > 20*time.Second {
		t.Errorf("the clock is %s off", off)
	}
	write(t, s, func(_ context.Context, tx *store.Tx) {
		if off := tx.Now.Sub(s.Now()).Abs(); off > 20*time.Second || tx.Unsure {
			t.Errorf("a transaction is %s off, unsure is %t", off, tx.Unsure)
		}
	})
}

func testPasses(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	last := func(want time.Time, known bool) {
		t.Helper()
		at, found, err := store.LastPass(t.Context(), s.Queries())
		must(err)
		same(t, "the last pass", []any{at.UTC(), found}, []any{want.UTC(), known})
	}
	last(time.Time{}, false)
	now := db.Clock.Now()
	record := func(at time.Time) {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.RecordPass(ctx, tx, at)) })
	}
	record(now)
	record(now.Add(-time.Hour)) // of a replica that is behind
	last(now, true)
	record(now.Add(time.Hour))
	last(now.Add(time.Hour), true)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.Resume(ctx, tx, now)) })
	last(now, true)
	at, found, err := store.Resumed(t.Context(), s.Queries())
	must(err)
	same(t, "what somebody said", []any{at, found}, []any{now, true})
}
