package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// sender offers as many leases as it has, and remembers what it heard.
type sender struct {
	heard chan *outbox.Commit

	mu     sync.Mutex
	leases []outbox.Lease
	on     billing.PlatformID // the platform it has them for
	back   int                // how many were not used
}

func newSender() *sender { return &sender{heard: make(chan *outbox.Commit, 10)} }

func (s *sender) Offer(id billing.PlatformID) (outbox.Lease, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != s.on || len(s.leases) == 0 {
		return outbox.Lease{}, false
	}
	lease := s.leases[0]
	s.leases = s.leases[1:]
	return lease, true
}

func (s *sender) Withdraw(outbox.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.back++
}

func (s *sender) Queued(c *outbox.Commit) { s.heard <- c }

// has gives the sender leases for a platform.
func (s *sender) has(on billing.PlatformID, leases ...outbox.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.leases, s.back = on, leases, 0
}

func (s *sender) withdrawn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.back
}

// testTaken leases streams to the sender in the transaction that records an event,
// if nothing waits there.
func testTaken(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var tenants []*billing.Tenant
	var elsewhere *billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenants = m.tenants(m.provisioningPlatform().ID, 3)
		elsewhere = m.tenants(m.provisioningPlatform().ID, 1)[0]
	})
	platform := tenants[0].PlatformID
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	version := got[[]outbox.Route](t)(outbox.RoutesOf(t.Context(), s.Queries(), []billing.PlatformID{platform}))[0].Endpoint.Version
	lease := func(id int64) outbox.Lease {
		return outbox.Lease{Attempt: billing.AttemptID(id), Until: until, Version: version}
	}
	old := func(id int64) outbox.Lease {
		return outbox.Lease{Attempt: billing.AttemptID(id), Until: until, Version: version - 1}
	}
	sends := newSender()
	outbox.SetSender(s, sends)
	tell := func(tenants ...*billing.Tenant) (events []webhook.Event, c *outbox.Commit) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			events = nil
			for _, tenant := range tenants {
				events = append(events, maker{ctx, tx}.tell(tenant))
			}
		})
		return events, <-sends.heard
	}

	sends.has(platform, lease(101), lease(102), lease(103), lease(104))
	events, c := tell(tenants[0], tenants[0], elsewhere, tenants[1])
	same(t, "how many are taken", len(c.Taken), 2)
	for i, want := range []webhook.Event{events[0], events[3]} {
		have := c.Taken[i]
		found := got[*outbox.Queued](t)(outbox.QueuedAt(t.Context(), s.Queries(), stream(t, s, &billing.Tenant{ID: want.Subject.Tenant()}), 1))
		have.Delivery.Latest, have.Delivery.UpdatedAt = false, time.Time{} // which one that waits does not say
		same(t, "what is taken", have.Queued, found)
		same(t, "the platform", []any{have.Platform, have.Current}, []any{platform, true})
	}
	same(t, "leases", []outbox.Lease{c.Taken[0].Lease, c.Taken[1].Lease}, []outbox.Lease{lease(101), lease(103)})
	same(t, "the rest", []any{c.Events, c.Platforms}, []any{4, []billing.PlatformID{platform, elsewhere.PlatformID}})
	same(t, "what is not used", sends.withdrawn(), 1) // the second of the first tenant
	l := stream(t, s, tenants[0])
	same(t, "a leased stream", []any{*l.AttemptID, *l.DueAt, *l.StartedAt, l.Tries, l.Attempts, l.Waiting()}, []any{billing.AttemptID(101), until, events[0].CreatedAt, 1, 0, int64(2)})
	l = stream(t, s, elsewhere)
	same(t, "one that is not", []any{l.AttemptID, *l.DueAt, l.StartedAt, l.Tries}, []any{(*billing.AttemptID)(nil), events[2].CreatedAt, (*time.Time)(nil), 0})

	// What is done is done: the next one is taken again.
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		l := stream(t, s, tenants[1])
		l.Delivered(1, tx.Now)
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{l}))
	})
	sends.has(platform, old(105))
	_, c = tell(tenants[1])
	same(t, "what is taken again", []any{c.Taken[0].Attempt, c.Taken[0].Sequence, c.Taken[0].Current, c.Platforms}, []any{billing.AttemptID(105), 2, false, []billing.PlatformID(nil)})

	// Of a transaction that fails, nothing is left.
	sends.has(platform, lease(106), lease(107))
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.tell(tenants[2])
		panic(context.Canceled)
	})
	if err == nil || len(sends.heard) > 0 || sends.withdrawn() != 1 || stream(t, s, tenants[2]) != nil {
		t.Errorf("%v: heard of %d, %d withdrawn, the stream is %v", err, len(sends.heard), sends.withdrawn(), stream(t, s, tenants[2]))
	}
	// Nor of a position that was not used.
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		got[outbox.StreamPosition](t)(outbox.NextPosition(ctx, tx, tenants[2].ID))
	})
	same(t, "what was withdrawn", sends.withdrawn(), 2)
}

// testRouteVersions has another version of a route after each change to where
// and how webhooks go and to whether they do, and the same after others.
func testRouteVersions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var platform, other *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		platform, other = m.platform(), m.platform()
	})
	versions := func() (found []int64) {
		for _, r := range got[[]outbox.Route](t)(outbox.RoutesOf(t.Context(), s.Queries(), []billing.PlatformID{platform.ID, other.ID})) {
			found = append(found, r.Endpoint.Version)
		}
		return found
	}
	endpoint := func(edit func(*webhook.Endpoint)) func(context.Context, *store.Tx) {
		return func(ctx context.Context, tx *store.Tx) {
			r := got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, platform.ID))
			edit(&r.Endpoint)
			must(outbox.SaveEndpoint(ctx, tx, &r.Endpoint))
		}
	}
	soon := time.Now().UTC().Add(time.Minute).Truncate(time.Millisecond)
	for _, c := range []struct {
		name    string
		do      func(context.Context, *store.Tx)
		changes bool
	}{
		{"the address", func(ctx context.Context, tx *store.Tx) {
			platform.WebhookURL = ptr("https://app.example.com/")
			must(store.Platforms.Update(ctx, tx, platform))
		}, true},
		{"the workflow", func(ctx context.Context, tx *store.Tx) {
			flow := got[[]webhook.Workflow](t)(store.WorkflowsOf(ctx, tx.Queries, []billing.PlatformID{platform.ID}))[0]
			flow.Enabled = false
			must(store.Workflows.Update(ctx, tx, &flow))
		}, true},
		{"a pause", endpoint(func(e *webhook.Endpoint) { e.Pause("why", soon) }), true},
		{"its end", endpoint(func(e *webhook.Endpoint) { e.Resume() }), true},
		{"the breaker", endpoint(func(e *webhook.Endpoint) { e.OpenUntil = &soon }), true},
		{"the same again", endpoint(func(*webhook.Endpoint) {}), false},
		{"its end", endpoint(func(e *webhook.Endpoint) { e.OpenUntil = nil }), true},
		{"failures", endpoint(func(e *webhook.Endpoint) { e.Failures = 3 }), false},
	} {
		before := versions()
		write(t, s, c.do)
		after := versions()
		if changed := after[0] != before[0]; changed != c.changes || after[1] != before[1] {
			t.Errorf("%s: %v became %v", c.name, before, after)
		}
		if !slices.IsSorted([]int64{before[0], after[0]}) {
			t.Errorf("%s: %v became %v", c.name, before, after)
		}
	}
}
