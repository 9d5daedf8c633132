package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func testWorkflows(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.platform(), m.platform()
	})
	found := got[[]webhook.Workflow](t)(store.WorkflowsOf(t.Context(), s.Queries(), []billing.PlatformID{a.ID, b.ID, 1 << 40}))
	same(t, "workflows of new platforms", len(found), 2)
	for i, p := range []*webhook.Platform{a, b} {
		want := webhook.NewWorkflow(p.ID)
		want.ID, want.CreatedAt, want.UpdatedAt = found[i].ID, db.Clock.Now(), db.Clock.Now()
		same(t, "a new workflow", found[i], want)
		if problems := want.Check(); len(problems) > 0 {
			t.Errorf("a new workflow has %v", problems)
		}
	}
}

func testEndpoints(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p, other *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		other, p = m.platform(), m.platform()
		p.WebhookURL = ptr("https://app.example.com/")
		must(store.Platforms.Update(ctx, tx, p))
	})
	route := func(id billing.PlatformID) outbox.Route {
		t.Helper()
		found := got[[]outbox.Route](t)(outbox.RoutesOf(t.Context(), s.Queries(), []billing.PlatformID{id}))
		same(t, "routes of one platform", len(found), 1)
		return found[0]
	}
	fresh := route(p.ID)
	same(t, "a new route", []any{fresh.Platform, fresh.Workflow.PlatformID, fresh.State()}, []any{*p, p.ID, webhook.EndpointReady})
	unset := route(other.ID)
	same(t, "a route without an address", unset.State(), webhook.EndpointNoURL)
	elsewhere := fresh
	elsewhere.Platform.AuthTokenSealed, elsewhere.Platform.AuthTokenFor = "sealed", "https://elsewhere.example"
	same(t, "a route with a token for another host", []any{elsewhere.State(), elsewhere.NeededSecrets()},
		[]any{webhook.EndpointSecretsNeeded, []webhook.NeededSecret{{Name: webhook.SecretAuthToken, For: "https://elsewhere.example"}}})
	var full webhook.Endpoint
	fill(&full, 1)
	full.PlatformID, full.OpenDelay = p.ID, 7*time.Second
	for _, e := range []webhook.Endpoint{full, {PlatformID: p.ID, FailedSubjects: []int64{}, LatestBefore: time.UnixMilli(0).UTC()}} {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SaveEndpoint(ctx, tx, &e)) })
		have := route(p.ID).Endpoint
		e.Version = have.Version // which counts by itself
		same(t, "an endpoint", have, e)
	}
	same(t, "another endpoint", route(other.ID).Endpoint, unset.Endpoint)
	lock := func(ctx context.Context, tx *store.Tx) {
		r := got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, p.ID))
		same(t, "LockRoute", r.Platform, *p)
	}
	checkWaits(t, s, "two who send to one endpoint", lock, lock)
	var version int64
	checkWaits(t, s, "who sends while the address is changed", func(ctx context.Context, tx *store.Tx) {
		p.WebhookURL = ptr("https://new.example.com/")
		must(store.Platforms.Update(ctx, tx, p))
	}, func(ctx context.Context, tx *store.Tx) {
		r := got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, p.ID))
		same(t, "the address of that version", *r.Platform.WebhookURL, "https://new.example.com/")
		version = r.Endpoint.Version
	})
	same(t, "the version", route(p.ID).Endpoint.Version, version)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		sends := m.provisioningPlatform()
		tenant := m.tenants(sends.ID, 1)[0]
		e := m.tell(tenant)
		stream := m.streams(tenant.ID)[tenant.ID].ID
		r, streams, err := outbox.LockRouteAndStreams(ctx, tx, sends.ID, []billing.StreamID{stream, 1 << 40})
		must(err)
		same(t, "LockRouteAndStreams", r.Platform.ID, sends.ID)
		same(t, "its streams", len(streams), 1)
		same(t, "its stream", streams[stream].LastSequence, e.Sequence)
		if r, streams, err := outbox.LockRouteAndStreams(ctx, tx, 1<<40, []billing.StreamID{stream}); err != nil || r != nil || streams != nil {
			t.Errorf("a route to no platform with streams: %+v %v %v", r, streams, err)
		}
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		if r := got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, 1<<40)); r != nil {
			t.Errorf("a route to no platform: %+v", r)
		}
	})
}

func testDuePlatforms(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var quiet, busy billing.PlatformID
	var tenants []*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		quiet, busy = m.provisioningPlatform().ID, m.provisioningPlatform().ID
		m.tenants(quiet, 1)
		tenants = m.tenants(busy, 3)
		m.tell(tenants[0])
		m.tell(tenants[1])
		m.tell(tenants[1])
	})
	began := db.Clock.Now()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		streams := lockStreams(ctx, tx, tenants[0].ID, tenants[1].ID)
		streams[tenants[0].ID].Failed(webhook.Retry{Delays: []int{5}, Order: webhook.Strict, Jitter: 1}, "no", tx.Now)
		streams[tenants[1].ID].Begin(1, tx.Now, tx.Now.Add(time.Minute))
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{&streams[tenants[0].ID].Stream, &streams[tenants[1].ID].Stream}))
	})
	ctx, q := t.Context(), s.Queries()
	same(t, "DuePlatforms", got[[]outbox.DuePlatform](t)(outbox.DuePlatforms(ctx, q)), []outbox.DuePlatform{{ID: busy, DueAt: began.Add(5 * time.Second)}})
	backlog := got[*log.Backlog](t)(log.ReadBacklog(ctx, q))
	same(t, "platforms with a breaker", len(backlog.Breakers), 2)
	backlog.Breakers, backlog.SecretsNeeded = nil, nil
	same(t, "ReadBacklog", backlog, &log.Backlog{Streams: 2, Failing: 1, Waiting: 3, InFlight: 1, Oldest: &began})
}

// testQueued hears of what is queued, in this process and, on PostgreSQL, in
// others.
func testQueued(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	sender := newSender()
	outbox.SetSender(s, sender)
	var tenants []*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenants = append(m.tenants(m.provisioningPlatform().ID, 2), m.tenants(m.provisioningPlatform().ID, 1)...)
	})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.tell(tenants[0])
		panic(context.Canceled)
	})
	if err == nil || len(sender.heard) > 0 {
		t.Errorf("told of %d commits that did not happen (%v)", len(sender.heard), err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, tenant := range tenants {
			maker{ctx, tx}.tell(tenant)
		}
	})
	want := []billing.PlatformID{tenants[0].PlatformID, tenants[2].PlatformID}
	same(t, "what was queued", <-sender.heard, &outbox.Commit{Events: 3, Platforms: want})

	ctx, cancel := context.WithCancel(t.Context())
	heard, ended := make(chan []billing.PlatformID, 10), make(chan error, 1)
	other := db.Open(t)
	go func() {
		ended <- outbox.Listen(ctx, other, func(platforms []billing.PlatformID) { heard <- platforms })
	}()
	if s.Engine() == "postgres" {
		same(t, "when it begins to listen", <-heard, []billing.PlatformID(nil))
		if err := outbox.Announce(ctx, other, want[:1]); err != nil { // which it knows
			t.Fatal(err)
		}
		if err := outbox.Announce(ctx, s, want); err != nil {
			t.Fatal(err)
		}
		same(t, "Listen", <-heard, want)
	} else if err := outbox.Announce(ctx, s, want); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("Listen ended without saying why")
	}
}
