package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func (m maker) provisioningPlatform() *webhook.Platform {
	p := m.platform()
	p.ProvisioningEnabled = true
	must(store.Platforms.Update(m.ctx, m.tx, p))
	return p
}

func testSequences(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var off *webhook.Platform
	var a, b, silent billing.TenantID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		on, account := m.provisioningPlatform(), m.account("A").ID
		off = m.platform()
		a, b, silent = m.tenant(on.ID, account).ID, m.tenant(on.ID, account).ID, m.tenant(off.ID, account).ID
	})
	take := func(ctx context.Context, tx *store.Tx, what string, id billing.TenantID, want int) {
		position, err := outbox.NextPosition(ctx, tx, id)
		must(err)
		same(t, "NextPosition "+what, position, outbox.StreamPosition{Stream: position.Stream, Sequence: want, Position: int64(want)})
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		take(ctx, tx, "of a new tenant", a, 1)
		take(ctx, tx, "again", a, 2)
		take(ctx, tx, "of another tenant", b, 1)
		take(ctx, tx, "without provisioning", silent, 0)
		take(ctx, tx, "of no tenant", 1<<40, 0)
	})
	undone := errors.New("undone")
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		take(ctx, tx, "in vain", a, 3)
		panic(undone)
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	checkWaits(t, s, "two numbers of one tenant",
		func(ctx context.Context, tx *store.Tx) { take(ctx, tx, "without a gap", a, 3) },
		func(ctx context.Context, tx *store.Tx) { take(ctx, tx, "after another transaction", a, 4) })
	checkWaits(t, s, "a stream",
		func(ctx context.Context, tx *store.Tx) { must(outbox.LockStream(ctx, tx, a)) },
		func(ctx context.Context, tx *store.Tx) { take(ctx, tx, "after LockStream", a, 5) })
	checkWaits(t, s, "enabling provisioning",
		func(ctx context.Context, tx *store.Tx) { take(ctx, tx, "before it is enabled", silent, 0) },
		func(ctx context.Context, tx *store.Tx) {
			off.ProvisioningEnabled = true
			must(store.Platforms.Update(ctx, tx, off))
		})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.LockStream(ctx, tx, silent)) // a stream that is new takes no number
		take(ctx, tx, "once it is enabled", silent, 1)
	})
	checkWaits(t, s, "the end of a tenant",
		func(ctx context.Context, tx *store.Tx) {
			must(outbox.LockStream(ctx, tx, b))
			must(outbox.DeleteEventsOf(ctx, tx, b))
			must(store.Tenants.Delete(ctx, tx, &billing.Tenant{ID: b}))
		},
		func(ctx context.Context, tx *store.Tx) { take(ctx, tx, "of a tenant that is gone", b, 0) })
	same(t, "its stream", stream(t, s, &billing.Tenant{ID: b}), (*webhook.Stream)(nil))
}

func testEvents(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ann billing.AccountID
	var a, b, c, quiet *billing.Tenant
	events := map[billing.TenantID][]webhook.Event{}
	tell := func(ctx context.Context, tx *store.Tx, tenant *billing.Tenant) {
		position, err := outbox.NextPosition(ctx, tx, tenant.ID)
		must(err)
		e := webhook.Event{Type: "tenant", Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence, Reason: subscription.KindTenantSync, Body: hard + unique()}
		must(outbox.InsertEvent(ctx, tx, &e, position))
		if e.ID == 0 || !e.CreatedAt.Equal(tx.Now) {
			t.Errorf("an event without its id or time: %+v", e)
		}
		events[tenant.ID] = append(events[tenant.ID], e)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		clear(events)
		m.platform() // so that ids differ
		p := m.provisioningPlatform().ID
		ann = m.account("Ann").ID
		a, b, c, quiet = m.tenant(p, ann), m.tenant(p, ann), m.tenant(p, m.account("Bob").ID), m.tenant(p, ann)
		for _, tenant := range []*billing.Tenant{a, b, a, c, a} {
			tell(ctx, tx, tenant)
		}
	})
	of := func(tenant *billing.Tenant, after, limit int) []webhook.Event {
		return got[[]webhook.Event](t)(outbox.EventsOfTenant(ctx, q, tenant.ID, after, limit))
	}
	same(t, "EventsOfTenant", of(a, 0, 10), events[a.ID])
	same(t, "EventsOfTenant, some", of(a, 1, 1), events[a.ID][1:2])
	same(t, "EventsOfTenant after the last", of(a, 3, 10), []webhook.Event(nil))
	same(t, "EventsOfTenant without any", of(quiet, 0, 10), []webhook.Event(nil))
	latest := func() map[billing.TenantID]webhook.Event {
		return got[map[billing.TenantID]webhook.Event](t)(outbox.LatestEvents(ctx, q, []billing.TenantID{a.ID, quiet.ID, c.ID, 1 << 40}))
	}
	same(t, "LatestEvents", latest(), map[billing.TenantID]webhook.Event{a.ID: events[a.ID][2], c.ID: events[c.ID][0]})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		e := events[a.ID][0]
		must(outbox.InsertEvent(ctx, tx, &e, outbox.StreamPosition{Stream: stream(t, s, a).ID, Position: 100}))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("two events of one number: %v, want a duplicate", err)
	}

	db.Clock.Advance(time.Minute)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.DeleteEventsOf(ctx, tx, a.ID)) })
	same(t, "EventsOfTenant after DeleteEventsOf", of(a, 0, 10), []webhook.Event(nil))
	same(t, "EventsOfTenant of another", of(b, 0, 10), events[b.ID])
	same(t, "LatestEvents after DeleteEventsOf", latest(), map[billing.TenantID]webhook.Event{c.ID: events[c.ID][0]})

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.DeleteEventsOfAccount(ctx, tx, ann))
		must(store.DeleteTenantsOf(ctx, tx, ann))
	})
	same(t, "the tenants after DeleteTenantsOf", listed(t, s, store.Tenants, billing.Filter{}), []billing.Tenant{*c})
	same(t, "the events after DeleteTenantsOf", of(b, 0, 10), []webhook.Event(nil))
	same(t, "the events of another account's tenant", of(c, 0, 10), events[c.ID])
	same(t, "the number of accounts", len(accountNames(t, s)), 2)
}
