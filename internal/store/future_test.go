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

// testImpossibleWaits: what a clock in the future wrote is due now; what a rule
// can have given is left.
func testImpossibleWaits(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		wait     time.Duration
		underWay bool
		holder   int64
		ends     bool
	}{
		"the longest retry":           {wait: 7 * day * 12 / 10},
		"a retry in three years":      {wait: 3 * 365 * day, ends: true},
		"a lease":                     {wait: 8 * time.Minute, underWay: true},
		"a lease of an hour":          {wait: time.Hour, underWay: true, ends: true},
		"one of a process that lives": {wait: time.Hour, underWay: true, holder: 7},
	} {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			tenant := m.tenants(m.provisioningPlatform().ID, 1)[0]
			m.tell(tenant)
			due := tx.Now.Add(c.wait)
			stream := got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant.ID}))[tenant.ID]
			if stream.DueAt = &due; c.underWay {
				stream.Begin(1, tx.Now, due)
				stream.Holder = c.holder
			}
			must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream}))
			n := got[int64](t)(outbox.EndImpossibleWaits(ctx, tx, tx.Now))
			stream = got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant.ID}))[tenant.ID]
			same(t, name, []bool{n == 1, !stream.DueAt.After(tx.Now)}, []bool{c.ends, c.ends})
		})
	}
	for wait, ends := range map[time.Duration]bool{5 * time.Minute: false, 3 * 365 * day: true} {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			platform := maker{ctx, tx}.provisioningPlatform().ID
			route := got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, platform))
			route.Endpoint.Probe(tx.Now.Add(wait))
			must(outbox.SaveEndpoint(ctx, tx, &route.Endpoint))
			n := got[int64](t)(outbox.EndImpossibleWaits(ctx, tx, tx.Now))
			route = got[*outbox.Route](t)(outbox.LockRoute(ctx, tx, platform))
			same(t, "a breaker", []bool{n == 1, !route.Endpoint.OpenUntil.After(tx.Now)}, []bool{ends, ends})
		})
	}
}
