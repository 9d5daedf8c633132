package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testDriftQueue has tenants wait to be repaired.
func testDriftQueue(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other *webhook.Platform
	var early, late, told, helpless, fine, elsewhere *billing.Tenant
	begin := s.Now().Truncate(time.Millisecond).UTC()
	row := func(tenant *billing.Tenant, after time.Duration, cause drift.Cause) *drift.Tenant {
		return &drift.Tenant{TenantID: tenant.ID, PlatformID: tenant.PlatformID, Outcome: drift.Drifted, Digest: "d", TurnAt: begin.Add(after), QueuedBy: cause, Differences: []drift.Difference{},
			CheckedAt: begin, Since: begin}
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform(), m.platform()
		ann := m.account("Ann").ID
		late, early, told, helpless, fine = m.tenant(p.ID, ann), m.tenant(p.ID, ann), m.tenant(p.ID, ann), m.tenant(p.ID, ann), m.tenant(p.ID, ann)
		elsewhere = m.tenant(other.ID, ann)
		rows := []*drift.Tenant{
			row(late, 3, drift.SomeReport), row(early, 1*time.Second, drift.SomeReport), row(told, 2*time.Second, drift.NoCause), row(helpless, 4*time.Second, 7), row(fine, 0, drift.NoCause),
			row(elsewhere, 0, drift.SomeReport),
		}
		rows[0].TurnAt = begin.Add(5 * time.Second)
		rows[2].RepairDigest, rows[2].RepairSequence = "d", 3
		rows[3].RepairDigest, rows[3].RepairSequence, rows[3].Persistent = "d", 3, true
		rows[4].Outcome, rows[4].Digest = drift.InSync, ""
		must(store.SaveDrift(ctx, tx, rows))
	})
	ids := func(list []store.ToRepair, err error) (ids []billing.TenantID) {
		must(err)
		for _, w := range list {
			ids = append(ids, w.TenantID)
		}
		return ids
	}
	same(t, "RepairsFor", ids(store.RepairsFor(ctx, q, p.ID, drift.SomeReport, 9)), []billing.TenantID{early.ID, late.ID})
	same(t, "RepairsFor, some", ids(store.RepairsFor(ctx, q, p.ID, drift.SomeReport, 1)), []billing.TenantID{early.ID})
	same(t, "RepairsFor a report", ids(store.RepairsFor(ctx, q, p.ID, 7, 9)), []billing.TenantID{helpless.ID})
	same(t, "RepairsFor nothing", len(ids(store.RepairsFor(ctx, q, p.ID, drift.NoCause, 9))), 0)
	same(t, "RepairsUntil", ids(store.RepairsUntil(ctx, q, p.ID, begin.Add(time.Minute), 9)), []billing.TenantID{early.ID, helpless.ID, late.ID})
	same(t, "RepairsUntil earlier", ids(store.RepairsUntil(ctx, q, p.ID, begin.Add(4*time.Second), 9)), []billing.TenantID{early.ID, helpless.ID})
	same(t, "RepairsUnderWay of one that was told", got[bool](t)(store.RepairsUnderWay(ctx, q, p.ID)), true)
	same(t, "RepairsUnderWay of none", got[bool](t)(store.RepairsUnderWay(ctx, q, other.ID)), false)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		turn, err := store.TakeRepairTurn(ctx, tx, other.ID, tx.Now)
		must(err)
		turn.NextAt = &tx.Now
		must(store.SaveRepairTurn(ctx, tx, other.ID, turn))
	})
	same(t, "RepairsUnderWay of those that go on", got[bool](t)(store.RepairsUnderWay(ctx, q, other.ID)), true)
	same(t, "CountUntold", got[int](t)(store.CountUntold(ctx, q, p.ID)), 3)
	var differing []billing.TenantID
	for _, row := range got[[]*drift.Tenant](t)(store.Repairable(ctx, q, p.ID, 9)) {
		differing = append(differing, row.TenantID)
	}
	same(t, "Repairable", differing, []billing.TenantID{early.ID, told.ID, helpless.ID, late.ID})
	behind := func(after billing.TenantID, many int) []any {
		id, found, err := store.TenantBehind(ctx, q, p.ID, after, many)
		must(err)
		return []any{id, found}
	}
	same(t, "TenantBehind", behind(0, 5), []any{fine.ID, true})
	same(t, "TenantBehind another", behind(late.ID, 1), []any{early.ID, true})
	same(t, "TenantBehind all", behind(0, 6), []any{billing.TenantID(0), false})
}

// testRepairTurns lets one at a time repair tenants of a platform.
func testRepairTurns(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other *webhook.Platform
	take := got[store.RepairTurn](t)
	begin := s.Now().Truncate(time.Millisecond).UTC()
	next := func() []any {
		at, found, err := store.NextRepairs(ctx, q)
		must(err)
		return []any{at, found}
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform(), m.platform()
		same(t, "TakeRepairTurn", take(store.TakeRepairTurn(ctx, tx, p.ID, tx.Now.Add(-time.Minute))), store.RepairTurn{})
		must(store.NoteRepairs(ctx, tx, p.ID, 1))
		must(store.NoteRepairs(ctx, tx, p.ID, 2))
		same(t, "TakeRepairTurn after a repair", take(store.TakeRepairTurn(ctx, tx, p.ID, tx.Now.Add(-time.Minute))), store.RepairTurn{Repaired: 3, FirstAt: &begin})
		same(t, "TakeRepairTurn elsewhere", take(store.TakeRepairTurn(ctx, tx, other.ID, tx.Now.Add(-time.Minute))), store.RepairTurn{})
		same(t, "TakeRepairTurn later", take(store.TakeRepairTurn(ctx, tx, p.ID, tx.Now)), store.RepairTurn{})
	})
	same(t, "NextRepairs of none", next(), []any{time.Time{}, false})
	later := begin.Add(time.Minute)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveRepairTurn(ctx, tx, p.ID, store.RepairTurn{NextAt: &later, AskedAt: &begin}))
		same(t, "TakeRepairTurn when some wait", take(store.TakeRepairTurn(ctx, tx, p.ID, tx.Now)), store.RepairTurn{NextAt: &later, AskedAt: &begin})
	})
	same(t, "NextRepairs", next(), []any{later, true})
	due := func() (id billing.PlatformID) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			var err error
			id, _, err = store.DueRepairs(ctx, tx)
			must(err)
		})
		return id
	}
	same(t, "DueRepairs too soon", due(), billing.PlatformID(0))
	db.Clock.Advance(time.Minute)
	same(t, "DueRepairs", due(), p.ID)
	if s.Engine() != "sqlite" { // where nothing is written side by side
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			take(store.TakeRepairTurn(ctx, tx, p.ID, tx.Now))
			same(t, "DueRepairs that somebody is at", due(), billing.PlatformID(0))
		})
	}
	later = s.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.PostponeRepairs(ctx, tx, p.ID, later)) })
	same(t, "NextRepairs of those that were put off", next(), []any{later, true})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SaveRepairTurn(ctx, tx, p.ID, store.RepairTurn{})) })
	same(t, "NextRepairs when all is done", next(), []any{time.Time{}, false})
}
