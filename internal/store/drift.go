package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

func driftOutcomes() (names []string) {
	for _, outcome := range drift.Outcomes {
		names = append(names, string(outcome))
	}
	return names
}

const driftColumns = `tenant_drift.tenant_id, tenant_drift.platform_id, tenant_drift.outcome, tenant_drift.sequence, tenant_drift.checked_at, tenant_drift.since,
	tenant_drift.differences, tenant_drift.digest, tenant_drift.repair_digest, tenant_drift.repair_sequence, tenant_drift.repaired_at, tenant_drift.persistent,
	tenant_drift.report_id`

func driftFields(t *drift.Tenant) []any {
	return []any{
		&t.TenantID, &t.PlatformID, &t.Outcome, &t.Sequence, column.Millis(&t.CheckedAt), column.Millis(&t.Since),
		column.JSON(&t.Differences), &t.Digest, &t.RepairDigest, &t.RepairSequence, column.OptionalMillis(&t.RepairedAt), &t.Persistent,
		&t.ReportID,
	}
}

func collectDrift(list *[]*drift.Tenant) func(scanner) error {
	return func(rows scanner) error {
		t := &drift.Tenant{}
		*list = append(*list, t)
		return rows.Scan(driftFields(t)...)
	}
}

// DriftOf returns what came of comparing those tenants the last time. One that never
// was compared is not in it.
func DriftOf(ctx context.Context, q Queries, ids []billing.TenantID) (map[billing.TenantID]*drift.Tenant, error) {
	var list []*drift.Tenant
	condition, arg := among("tenant_drift.tenant_id", ids)
	err := q.Each(ctx, `SELECT `+driftColumns+` FROM tenant_drift WHERE `+condition, []any{arg}, collectDrift(&list))
	found := make(map[billing.TenantID]*drift.Tenant, len(list))
	for _, t := range list {
		found[t.TenantID] = t
	}
	return found, err
}

// A tenant that is deleted meanwhile has nothing to be kept.
var saveDrift = db.Batch{
	Columns: []db.Column{
		{"tenant_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"outcome", "TEXT"}, {"sequence", "BIGINT"}, {"checked_at", "BIGINT"}, {"since", "BIGINT"},
		{"differences", "TEXT"}, {"digest", "TEXT"}, {"repair_digest", "TEXT"}, {"repair_sequence", "BIGINT"}, {"repaired_at", "BIGINT"}, {"persistent", "BOOLEAN"},
		{"report_id", "BIGINT"},
	},
	Statement: `INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, repaired_at, persistent, report_id)
		SELECT new.tenant_id, new.platform_id, new.outcome, new.sequence, new.checked_at, new.since, new.differences, new.digest, new.repair_digest, new.repair_sequence,
			new.repaired_at, new.persistent, new.report_id
		FROM new JOIN tenant ON tenant.id = new.tenant_id WHERE 1 = 1
		ON CONFLICT (tenant_id) DO UPDATE SET outcome = excluded.outcome, sequence = excluded.sequence, checked_at = excluded.checked_at, since = excluded.since,
			differences = excluded.differences, digest = excluded.digest, repair_digest = excluded.repair_digest, repair_sequence = excluded.repair_sequence,
			repaired_at = excluded.repaired_at, persistent = excluded.persistent,
			report_id = CASE WHEN excluded.report_id > tenant_drift.report_id THEN excluded.report_id ELSE tenant_drift.report_id END`,
}

// SaveDrift keeps what came of comparing tenants. Of two reports at once, a tenant
// stays in the newer one.
func SaveDrift(ctx context.Context, tx *Tx, rows []*drift.Tenant) error {
	// In one order, so that two reports do not wait for each other.
	slices.SortFunc(rows, func(a, b *drift.Tenant) int { return cmp.Compare(a.TenantID, b.TenantID) })
	return saveDrift.Run(ctx, tx, len(rows), func(i int) []any {
		t := rows[i]
		if t.Differences == nil {
			t.Differences = []drift.Difference{}
		}
		return []any{
			int64(t.TenantID), int64(t.PlatformID), string(t.Outcome), t.Sequence, column.Millis(&t.CheckedAt), column.Millis(&t.Since),
			column.JSON(&t.Differences), t.Digest, t.RepairDigest, t.RepairSequence, column.OptionalMillis(&t.RepairedAt), t.Persistent,
			int64(t.ReportID),
		}
	}, nil)
}

// ToRepair are tenants of a platform that could be repaired, those that no event was
// sent to first: of one report the ones whose drift no event was sent for, or if it is
// 0 all.
func ToRepair(ctx context.Context, q Queries, platform billing.PlatformID, report billing.DriftReportID, limit int) (list []*drift.Tenant, err error) {
	const text = `SELECT ` + driftColumns + ` FROM tenant_drift
		WHERE tenant_drift.platform_id = $1 AND tenant_drift.digest <> ''
			AND (CAST($2 AS BIGINT) = 0 OR tenant_drift.report_id = CAST($2 AS BIGINT) AND tenant_drift.digest <> tenant_drift.repair_digest)
		ORDER BY tenant_drift.repair_sequence, tenant_drift.tenant_id LIMIT $3`
	err = q.Each(ctx, text, []any{int64(platform), int64(report), limit}, collectDrift(&list))
	return list, err
}

// CountToRepair counts the tenants of a platform that could be repaired, up to
// MostCounted and one more.
func CountToRepair(ctx context.Context, q Queries, platform billing.PlatformID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant_drift WHERE platform_id = $1 AND digest <> ''`, int64(platform))
}

// differing are the tenants that a person should know of: those that could be repaired,
// and those whose application names an event that was never sent.
const differing = `FROM tenant_drift WHERE tenant_drift.outcome <> 'IN_SYNC' AND tenant_drift.platform_id = $1
	AND (tenant_drift.digest <> '' OR tenant_drift.outcome = 'AHEAD')`

// Differing are tenants of a platform that differ from what its application was told, and
// that nothing under way brings in line.
func Differing(ctx context.Context, q Queries, platform billing.PlatformID, limit int) (list []*drift.Tenant, err error) {
	err = q.Each(ctx, `SELECT `+driftColumns+` `+differing+` ORDER BY tenant_drift.tenant_id LIMIT $2`, []any{int64(platform), limit}, collectDrift(&list))
	return list, err
}

// CountDiffering counts them, up to MostCounted and one more.
func CountDiffering(ctx context.Context, q Queries, platform billing.PlatformID) (int, error) {
	return q.Counted(ctx, `SELECT 1 `+differing, int64(platform))
}

// StillMissing are the tenants that a full report does not name and that an event was
// sent to for the same reason before.
func StillMissing(ctx context.Context, q Queries, platform billing.PlatformID, report billing.DriftReportID, after billing.TenantID, limit int) (list []*drift.Tenant, err error) {
	const text = `SELECT ` + driftColumns + ` FROM tenant_drift
		WHERE tenant_drift.outcome = 'MISSING' AND tenant_drift.tenant_id > $3 AND tenant_drift.platform_id = $1 AND tenant_drift.report_id = $2
			AND tenant_drift.repair_sequence > 0 AND tenant_drift.repair_digest = tenant_drift.digest AND NOT tenant_drift.persistent
		ORDER BY tenant_drift.tenant_id LIMIT $4`
	err = q.Each(ctx, text, []any{int64(platform), int64(report), int64(after), limit}, collectDrift(&list))
	return list, err
}

// TakeRepairTurn lets nobody else repair tenants of a platform until the transaction
// ends, and returns how many were repaired since a time. What was before is forgotten.
func TakeRepairTurn(ctx context.Context, tx *Tx, platform billing.PlatformID, since time.Time) (repaired int, err error) {
	const turn = `INSERT INTO drift_turn (platform_id, taken_at) VALUES ($1, $2) ON CONFLICT (platform_id) DO UPDATE SET taken_at = excluded.taken_at`
	if _, err := tx.Exec(ctx, turn, int64(platform), tx.Now.UnixMilli()); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM drift_repair WHERE platform_id = $1 AND repaired_at <= $2`, int64(platform), since.UnixMilli()); err != nil {
		return 0, err
	}
	const text = `SELECT CAST(COALESCE(sum(tenants), 0) AS BIGINT) FROM drift_repair WHERE platform_id = $1`
	_, err = tx.One(ctx, text, []any{int64(platform)}, &repaired)
	return repaired, err
}

// NoteRepairs counts tenants of a platform that are repaired, by whoever has the turn. A
// tenant counts each time.
func NoteRepairs(ctx context.Context, tx *Tx, platform billing.PlatformID, tenants int) error {
	_, err := tx.Exec(ctx, `INSERT INTO drift_repair (platform_id, repaired_at, tenants) VALUES ($1, $2, $3)`, int64(platform), tx.Now.UnixMilli(), tenants)
	return err
}

// ForgetDrift removes what is kept of tenants that differed, that a full report does
// not name, and that have no live subscription: neither side has them any more.
func ForgetDrift(ctx context.Context, tx *Tx, r *drift.FullReport) error {
	const text = `DELETE FROM tenant_drift WHERE outcome <> 'IN_SYNC' AND platform_id = $1 AND report_id < $2 AND checked_at <= $3
		AND NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.tenant_id = tenant_drift.tenant_id AND subscription.state IN ('TRIAL', 'ACTIVE'))`
	_, err := tx.Exec(ctx, text, int64(r.PlatformID), int64(r.ID), r.BegunAt.UnixMilli())
	return err
}

// CountPersistentDrift counts the tenants that still differ after their repair, up to
// MostCounted and one more.
func CountPersistentDrift(ctx context.Context, q Queries) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant_drift WHERE persistent`)
}
