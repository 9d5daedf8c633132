package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// growDrift adds tenants, each with an event that was delivered. Every tenth differs, of
// which most were told again; every hundredth waits to be repaired.
func growDrift(t *testing.T, s *store.Store, n int) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, ann, offer := m.provisioningPlatform(), m.account("Ann").ID, m.offer()
		first := m.tenant(p.ID, ann)
		m.subscription(ann, offer, forTenant(first.ID))
		numbers := `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ` + strconv.Itoa(n) + `) `
		for _, text := range []string{
			numbers + `INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search)
				SELECT i, platform_id, account_id, 'T-' || i, 'T', 0, 0, 't-' || i FROM n CROSS JOIN tenant WHERE tenant.id = 1`,
			`INSERT INTO webhook_stream (id, subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence, delivered_at)
				SELECT id, 'TENANT', id, platform_id, 1, 1, 1, 1, 0, 0, 1, 1, 1 FROM tenant`,
			`INSERT INTO webhook_event (id, type, stream_id, platform_id, sequence, reason, body, created_at) SELECT id, 'x', id, platform_id, 1, 'x', '', 0 FROM webhook_stream`,
			`INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
				SELECT id, platform_id, stream_id, 1, 'change', 0 > 1, 'delivered', 1 > 0, 0, 0 FROM webhook_event`,
			`INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, persistent, report_id, turn_at, queued_by)
				SELECT id, platform_id, CASE WHEN id % 10 = 0 THEN 'DRIFTED' ELSE 'IN_SYNC' END, 1, 0, 0, '[]', CASE WHEN id % 10 = 0 THEN 'd' ELSE '' END,
					CASE WHEN id % 100 <> 0 AND id % 10 = 0 THEN 'd' ELSE '' END, 0, 1 < 0, 5, id, CASE WHEN id % 100 = 0 THEN -1 ELSE 0 END FROM tenant`,
		} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	if s.Engine() == "postgres" {
		analyze(t, s)
	}
}

// driftPlans are how tenants are found that wait to be repaired.
var driftPlans = []plan{
	{"tenants that wait", asks(func(ctx context.Context, q store.Queries) ([]store.ToRepair, error) {
		return store.RepairsFor(ctx, q, 1, drift.SomeReport, 60)
	}), "tenant_drift_queued (platform_id=? AND queued_by=?)" + notSorted, "tenant_drift_queued"},
	{"tenants that a person asks for", asks(func(ctx context.Context, q store.Queries) ([]store.ToRepair, error) {
		return store.RepairsUntil(ctx, q, 1, time.UnixMilli(1<<40), 60)
	}), "tenant_drift_untold (platform_id=? AND turn_at<?)" + notSorted, "tenant_drift_untold"},
	{"how many differ", asks(func(ctx context.Context, q store.Queries) (int, error) { return store.CountUntold(ctx, q, 1) }), "tenant_drift_untold (platform_id=?)", "tenant_drift_untold"},
	{"tenants that differ", asks(func(ctx context.Context, q store.Queries) ([]*drift.Tenant, error) {
		return store.Repairable(ctx, q, 1, 50)
	}), "tenant_drift_differing (platform_id=?)" + notSorted, "tenant_drift_differing"},
	{"when the next are due", asks(func(ctx context.Context, q store.Queries) (bool, error) {
		_, found, err := store.NextRepairs(ctx, q)
		return found, err
	}), "drift_turn_next" + notSorted, ""},
	{"the end of a step", asks(func(ctx context.Context, q store.Queries) (billing.TenantID, error) {
		id, _, err := store.TenantBehind(ctx, q, 1, 7, 100)
		return id, err
	}), "tenant_platform (platform_id=? AND id>?)" + notSorted, "Index; ! Sort"},
}

// A step of the search for missing tenants looks at its own range of tenants, and at what
// those were told one by one.
var driftWrites = []writePlan{
	{"missing tenants", func(ctx context.Context, tx *store.Tx) error {
		_, err := outbox.MarkMissing(ctx, tx, &drift.FullReport{ID: 5, PlatformID: 1}, "m", tx.Now, store.TenantRange{After: 100, Last: 300})
		return err
	}, "tenant USING COVERING INDEX tenant_platform (platform_id=? AND id>? AND id<?); rowid=?) LEFT-JOIN; webhook_event_sequence (stream_id=?); webhook_delivery_event (event_id=?); ! USE TEMP", "! Seq Scan on tenant; ! Seq Scan on tenant_drift; ! Seq Scan on webhook_stream"},
	{"what neither side has", func(ctx context.Context, tx *store.Tx) error {
		return store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 5, PlatformID: 1}, store.TenantRange{After: 100, Last: 300})
	}, "SEARCH tenant_drift USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "tenant_drift_pkey"},
}

// TestDriftPlans asks SQLite on small tables and PostgreSQL on grown ones.
func TestDriftPlans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s, scans := db.Open(t), ""
		if db.Engine == "sqlite" {
			growDrift(t, s, 1200)
		} else {
			growDrift(t, s, 20_000)
			scans = "; ! Seq Scan on webhook_event; ! Seq Scan on webhook_delivery"
		}
		checkPlans(t, s, scans, driftPlans, driftWrites)
	})
}
