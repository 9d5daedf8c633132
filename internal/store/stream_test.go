package store_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// tell queues an event for a tenant.
func (m maker) tell(tenant *billing.Tenant) webhook.Event {
	position, err := outbox.NextPosition(m.ctx, m.tx, tenant.ID)
	must(err)
	e := webhook.Event{
		Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence,
		Reason: subscription.KindTenantSync, Body: hard + unique(),
	}
	must(outbox.InsertEvent(m.ctx, m.tx, &e, position))
	return e
}

// tenants returns new tenants of one new account.
func (m maker) tenants(platform billing.PlatformID, n int) (tenants []*billing.Tenant) {
	account := m.account("A").ID
	for range n {
		tenants = append(tenants, m.tenant(platform, account))
	}
	return tenants
}

// stream returns the stream of a tenant.
func stream(t *testing.T, s *store.Store, tenant *billing.Tenant) *webhook.Stream {
	t.Helper()
	return got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), s.Queries(), []billing.TenantID{tenant.ID}))[tenant.ID]
}

// streams returns the streams of tenants.
func (m maker) streams(tenants ...billing.TenantID) map[billing.TenantID]*webhook.Stream {
	found, err := outbox.StreamsOf(m.ctx, m.tx.Queries, tenants)
	must(err)
	return found
}

// lockStreams is outbox.LockStreams for the streams of tenants.
func lockStreams(ctx context.Context, tx *store.Tx, tenants ...billing.TenantID) map[billing.TenantID]*outbox.Locked {
	var ids []billing.StreamID
	for _, s := range (maker{ctx, tx}).streams(tenants...) {
		ids = append(ids, s.ID)
	}
	found, err := outbox.LockStreams(ctx, tx, ids)
	must(err)
	locked := map[billing.TenantID]*outbox.Locked{}
	for _, l := range found {
		locked[l.Subject.Tenant()] = l
	}
	return locked
}

// dueStreams is outbox.DueStreams that must not fail.
func dueStreams(ctx context.Context, tx *store.Tx, platform billing.PlatformID, now time.Time, limit int) []outbox.Claim {
	claims, err := outbox.DueStreams(ctx, tx, platform, now, limit)
	must(err)
	return claims
}

func testDueStreams(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p billing.PlatformID
	var tenants []*billing.Tenant
	var events []webhook.Event
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		events = nil
		p = m.provisioningPlatform().ID
		tenants = m.tenants(p, 5)
		for _, tenant := range m.tenants(m.provisioningPlatform().ID, 2) {
			m.tell(tenant) // on another platform
		}
	})
	for _, i := range []int{3, 1, 0, 1} {
		db.Clock.Advance(time.Second)
		write(t, s, func(ctx context.Context, tx *store.Tx) { events = append(events, maker{ctx, tx}.tell(tenants[i])) })
	}
	due := func(what string, limit int, want ...int) (claims []outbox.Claim) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			claims = dueStreams(ctx, tx, p, tx.Now, limit)
		})
		var found []int
		for _, c := range claims {
			found = append(found, slices.IndexFunc(tenants, func(tenant *billing.Tenant) bool { return tenant.ID == c.Stream.Subject.Tenant() }))
		}
		same(t, what, found, want)
		return claims
	}
	claims := due("longest due first", 10, 3, 1, 0)
	due("at most limit", 2, 3, 1)
	due("no room", 0)
	head := claims[1].Head
	same(t, "the head", *head, outbox.Queued{
		Delivery: webhook.Delivery{
			ID: head.Delivery.ID, EventID: events[1].ID, StreamID: claims[1].Stream.ID, Position: 1, Cause: webhook.CauseChange,
			State: webhook.DeliveryWaiting, CreatedAt: events[1].CreatedAt,
		},
		Subject: claims[1].Stream.Subject, Type: webhook.EventType, Sequence: 1, Body: events[1].Body, CreatedAt: events[1].CreatedAt,
	})

	// Two requests are under way, one of them for too long.
	change := func(tenant *billing.Tenant, edit func(*webhook.Stream)) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			streams := lockStreams(ctx, tx, tenant.ID)
			edit(&streams[tenant.ID].Stream)
			must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{&streams[tenant.ID].Stream}))
		})
	}
	now := db.Clock.Now()
	change(tenants[3], func(l *webhook.Stream) { l.Begin(7, now, now.Add(time.Minute)) })
	change(tenants[1], func(l *webhook.Stream) { l.Begin(8, now, now.Add(-time.Minute)) })
	due("one lease has run out", 10, 1, 0)
	change(tenants[3], func(l *webhook.Stream) { l.Delivered(1, now) })
	change(tenants[1], func(l *webhook.Stream) { l.Delivered(1, now) })
	second := due("the next of a stream, and nothing of an idle one", 10, 0, 1)[1]
	same(t, "the number of the second", []any{second.Head.Sequence, second.Stream.DeliveredSequence}, []any{2, 1})
	if l := stream(t, s, tenants[3]); l.DueAt != nil || !l.InSync() {
		t.Errorf("an idle stream is %+v", l)
	}
	change(tenants[0], func(l *webhook.Stream) { l.DonePosition = 100 })
	if claims := due("a stream without a head", 1, 0); claims[0].Head != nil {
		t.Errorf("found %+v where nothing is", claims[0].Head)
	}
	checkPassedOver(t, s, p, tenants[1].ID)
}

// checkPassedOver shows that a stream in which another transaction is at work is
// passed over, instead of being waited for.
func checkPassedOver(t *testing.T, s *store.Store, platform billing.PlatformID, tenant billing.TenantID) {
	t.Helper()
	if s.Engine() == "sqlite" {
		return // one at a time
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.LockStream(ctx, tx, tenant))
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for _, c := range dueStreams(ctx, tx, platform, tx.Now, 10) {
				if c.Stream.Subject.Tenant() == tenant {
					t.Error("DueStreams returned a stream that another transaction holds")
				}
			}
			streams := lockStreams(ctx, tx, tenant)
			same(t, "LockStreams of a stream that another transaction holds", len(streams), 0)
		})
	})
}

func testStreams(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var tenants []*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenants = m.tenants(m.provisioningPlatform().ID, 90) // more than one statement writes
		for _, tenant := range tenants[1:] {
			m.tell(tenant)
		}
	})
	var ids []billing.TenantID
	for _, tenant := range tenants {
		ids = append(ids, tenant.ID)
	}
	before := got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), s.Queries(), ids))
	same(t, "streams", len(before), 89)
	changed := map[billing.TenantID]*webhook.Stream{}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		locked := lockStreams(ctx, tx, ids[:89]...)
		var streams []*webhook.Stream
		for i, id := range ids[1:89] {
			was := locked[id]
			var now webhook.Stream
			fill(&now, i+1)
			now.ID, now.Subject, now.PlatformID = was.ID, was.Subject, was.PlatformID
			now.LastSequence, now.LastPosition, now.NewestPosition = was.LastSequence, was.LastPosition, was.NewestPosition
			if i%2 == 0 {
				now.DueAt, now.AttemptID, now.StartedAt, now.GiveWayAt, now.DeliveredAt, now.LastError = nil, nil, nil, nil, nil, nil
			}
			changed[id] = &now
			streams = append(streams, &now)
		}
		must(outbox.SaveStreams(ctx, tx, streams))
	})
	changed[ids[89]] = before[ids[89]]
	after := got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), s.Queries(), ids))
	for id := range before {
		same(t, "a stream", after[id], changed[id])
	}
}

// TestNextPositionBringsForward lets an event that is recorded while the head of
// its stream fails make the stream due when the head gives way, and at no other time.
func TestNextPositionBringsForward(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		now := db.Clock.Now()
		at := func(minutes int) *time.Time { return ptr(now.Add(time.Duration(minutes) * time.Minute)) }
		for name, c := range map[string]struct{ due, giveWay, want *time.Time }{
			"idle":                     {nil, nil, at(0)},
			"waits for its retry":      {at(9), nil, at(9)},
			"gives way later":          {at(3), at(5), at(3)},
			"gives way first":          {at(9), at(5), at(5)},
			"should have given way":    {at(9), at(-1), at(0)},
			"is due and has given way": {at(-2), at(-5), at(0)},
		} {
			for _, busy := range []bool{false, true} {
				var tenant *billing.Tenant
				write(t, s, func(ctx context.Context, tx *store.Tx) {
					m := maker{ctx, tx}
					tenant = m.tenants(m.provisioningPlatform().ID, 1)[0]
					m.tell(tenant)
					streams := lockStreams(ctx, tx, tenant.ID)
					l := &streams[tenant.ID].Stream
					l.DueAt, l.GiveWayAt = c.due, c.giveWay
					if busy && c.due != nil {
						l.AttemptID = ptr(billing.AttemptID(1))
					}
					must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{l}))
					m.tell(tenant)
				})
				want := c.want
				if busy && c.due != nil {
					want = c.due // the lease must not be touched
				}
				l := stream(t, s, tenant)
				same(t, name, []any{l.DueAt, l.LastPosition, l.NewestPosition, l.LastSequence}, []any{want, int64(2), int64(2), 2})
			}
		}
	})
}

// TestStreamsGoOnInPlace has streams go from one request to the next. PostgreSQL must
// not touch any index of theirs then: it would at every delivery.
func TestStreamsGoOnInPlace(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t)
	var tenants []*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		tenants = m.tenants(m.provisioningPlatform().ID, 5) // all versions of which have room in a page
		for range 2 {
			for _, tenant := range tenants {
				m.tell(tenant)
			}
		}
	})
	save := func(change func(l *webhook.Stream)) (inPlace int) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			written := func() int {
				rows := got[[]string](t)(store.Rows(ctx, tx.Queries, `SELECT pg_stat_get_xact_tuples_hot_updated('webhook_stream'::regclass)`))
				return got[int](t)(strconv.Atoi(rows[0]))
			}
			before := written()
			var ids []billing.TenantID
			for _, tenant := range tenants {
				ids = append(ids, tenant.ID)
			}
			locked := lockStreams(ctx, tx, ids...)
			var streams []*webhook.Stream
			for _, l := range locked {
				change(&l.Stream)
				streams = append(streams, &l.Stream)
			}
			must(outbox.SaveStreams(ctx, tx, streams))
			inPlace = written() - before
		})
		return inPlace
	}
	start := time.UnixMilli(1_700_000_000_000).UTC()
	save(func(l *webhook.Stream) { l.Begin(1, start, start.Add(time.Minute)) })
	same(t, "streams that went on without an index", save(func(l *webhook.Stream) {
		l.Delivered(1, start)
		l.Begin(2, start.Add(time.Second), start.Add(time.Minute))
	}), 5)
}
