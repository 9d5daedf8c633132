package store_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestOldRepairsAreFound migrates a database in which a tenant was repaired twice: both
// events are found, and what the last was sent for is known.
func TestOldRepairsAreFound(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		writeBeforeSubjects(t, db)
		raw := upTo(t, db, 53)
		for _, text := range []string{
			`UPDATE webhook_event SET reason = 'drift.repair'`,
			`INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, persistent, report_id, last_repair)
				VALUES (41, 1, 'IN_SYNC', 2, 0, 0, '[]', '', '', 0, 1 = 0, 0, '{"sequence":2,"at":"2026-01-01T00:00:00Z","since":"2026-01-01T00:00:00Z","outcome":"MISSING","differences":[]}'),
					(42, 1, 'IN_SYNC', 2, 0, 0, '[]', '', '', 0, 1 = 0, 0, 'null')`,
		} {
			if _, err := raw.ExecContext(t.Context(), text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		must(raw.Close())
		s := db.Open(t)
		found := got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), s.Queries(), store.Page{Filter: filter(t, "reason:drift.repair"), Limit: 10}))
		same(t, "events that repaired", eventIDs(found), []billing.EventID{7, 8})
		same(t, "the first", got[*drift.SentRepair](t)(outbox.RepairOf(t.Context(), s.Queries(), 7)), (*drift.SentRepair)(nil))
		same(t, "the last", got[*drift.SentRepair](t)(outbox.RepairOf(t.Context(), s.Queries(), 8)).Outcome, drift.Missing)
	})
}
