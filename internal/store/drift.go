package store

import (
	"cmp"
	"context"
	"slices"

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
	tenant_drift.report_id, tenant_drift.report_outcome, tenant_drift.turn_at, tenant_drift.queued_by, tenant_drift.last_repair`

func driftFields(t *drift.Tenant) []any {
	return []any{
		&t.TenantID, &t.PlatformID, &t.Outcome, &t.Sequence, column.Millis(&t.CheckedAt), column.Millis(&t.Since),
		column.JSON(&t.Differences), &t.Digest, &t.RepairDigest, &t.RepairSequence, column.OptionalMillis(&t.RepairedAt), &t.Persistent,
		&t.ReportID, &t.ReportOutcome, column.Millis(&t.TurnAt), &t.QueuedBy, column.JSON(&t.LastRepair),
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
	return driftOf(ctx, q, ids, "")
}

// LockDrift is DriftOf for a transaction that changes what it reads: nobody else does
// until it ends.
func LockDrift(ctx context.Context, tx *Tx, ids []billing.TenantID) (map[billing.TenantID]*drift.Tenant, error) {
	if tx.Dialect.ForUpdate == "" {
		return driftOf(ctx, tx.Queries, ids, "") // there is one writer
	}
	return driftOf(ctx, tx.Queries, ids, " ORDER BY tenant_drift.tenant_id"+tx.Dialect.ForUpdate)
}

func driftOf(ctx context.Context, q Queries, ids []billing.TenantID, how string) (map[billing.TenantID]*drift.Tenant, error) {
	var list []*drift.Tenant
	condition, arg := among("tenant_drift.tenant_id", ids)
	err := q.Each(ctx, `SELECT `+driftColumns+` FROM tenant_drift WHERE `+condition+how, []any{arg}, collectDrift(&list))
	found := make(map[billing.TenantID]*drift.Tenant, len(list))
	for _, t := range list {
		found[t.TenantID] = t
	}
	return found, err
}

// A tenant that is deleted meanwhile has nothing to be kept. A tenant that somebody else
// compared for the first time meanwhile was not locked: what was sent to repair it stays.
var saveDrift = db.Batch{
	Columns: []db.Column{
		{"tenant_id", "BIGINT"}, {"platform_id", "BIGINT"}, {"outcome", "TEXT"}, {"sequence", "BIGINT"}, {"checked_at", "BIGINT"}, {"since", "BIGINT"},
		{"differences", "TEXT"}, {"digest", "TEXT"}, {"repair_digest", "TEXT"}, {"repair_sequence", "BIGINT"}, {"repaired_at", "BIGINT"}, {"persistent", "BOOLEAN"},
		{"report_id", "BIGINT"}, {"report_outcome", "TEXT"}, {"turn_at", "BIGINT"}, {"queued_by", "BIGINT"}, {"last_repair", "TEXT"},
	},
	Statement: `INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, repaired_at, persistent,
			report_id, report_outcome, turn_at, queued_by, last_repair)
		SELECT new.tenant_id, new.platform_id, new.outcome, new.sequence, new.checked_at, new.since, new.differences, new.digest, new.repair_digest, new.repair_sequence,
			new.repaired_at, new.persistent, new.report_id, new.report_outcome, new.turn_at, new.queued_by, new.last_repair
		FROM new JOIN tenant ON tenant.id = new.tenant_id WHERE 1 = 1
		ON CONFLICT (tenant_id) DO UPDATE SET outcome = excluded.outcome, sequence = excluded.sequence, checked_at = excluded.checked_at, since = excluded.since,
			differences = excluded.differences, digest = excluded.digest,
			repair_digest = CASE WHEN ` + nothingSent + ` THEN tenant_drift.repair_digest ELSE excluded.repair_digest END,
			repair_sequence = CASE WHEN ` + nothingSent + ` THEN tenant_drift.repair_sequence ELSE excluded.repair_sequence END,
			repaired_at = CASE WHEN ` + nothingSent + ` THEN tenant_drift.repaired_at ELSE excluded.repaired_at END,
			persistent = excluded.persistent,
			report_outcome = CASE WHEN excluded.report_id >= tenant_drift.report_id THEN excluded.report_outcome ELSE tenant_drift.report_outcome END,
			report_id = CASE WHEN excluded.report_id >= tenant_drift.report_id THEN excluded.report_id ELSE tenant_drift.report_id END,
			turn_at = excluded.turn_at, queued_by = excluded.queued_by,
			last_repair = CASE WHEN excluded.last_repair = 'null' THEN tenant_drift.last_repair ELSE excluded.last_repair END`,
}

// nothingSent says of a row that is saved that it knows of no repair. In one that was
// locked, that is as it was; a tenant in sync needs none.
const nothingSent = `excluded.repair_sequence = 0 AND excluded.outcome <> 'IN_SYNC'`

// SaveDrift keeps what came of comparing tenants. Of two reports at once, a tenant
// stays in the newer one.
func SaveDrift(ctx context.Context, tx *Tx, rows []*drift.Tenant) error {
	// In one order, so that two reports do not wait for each other.
	slices.SortFunc(rows, func(a, b *drift.Tenant) int { return cmp.Compare(a.TenantID, b.TenantID) })
	if err := holdNew(ctx, tx, rows); err != nil {
		return err
	}
	return saveDrift.Run(ctx, tx, len(rows), func(i int) []any {
		t := rows[i]
		if t.Differences == nil {
			t.Differences = []drift.Difference{}
		}
		return []any{
			int64(t.TenantID), int64(t.PlatformID), string(t.Outcome), t.Sequence, column.Millis(&t.CheckedAt), column.Millis(&t.Since),
			column.JSON(&t.Differences), t.Digest, t.RepairDigest, t.RepairSequence, column.OptionalMillis(&t.RepairedAt), t.Persistent,
			int64(t.ReportID), string(t.ReportOutcome), column.Millis(&t.TurnAt), int64(t.QueuedBy), column.JSON(&t.LastRepair),
		}
	}, nil)
}

// holdNew waits for whoever deletes one of the tenants that nothing is kept of yet, and
// lets nobody else begin to. Others are held by what is kept of them.
func holdNew(ctx context.Context, tx *Tx, rows []*drift.Tenant) error {
	if tx.Dialect.ForUpdate == "" {
		return nil // there is one writer
	}
	var ids []billing.TenantID
	for _, t := range rows {
		if t.New {
			ids = append(ids, t.TenantID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	const text = `SELECT 1 FROM tenant WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY id FOR KEY SHARE`
	return tx.Each(ctx, text, []any{db.JSONList(ids)}, func(db.Row) error { return nil })
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

// ForgetDrift removes what is kept of tenants that differed, that a full report does
// not name, and that have no live subscription: neither side has them any more. It
// looks at tenants in a range of ids. It waits for nobody, because the transaction may
// have locked tenants behind these: what somebody else works on is left to the next report.
func ForgetDrift(ctx context.Context, tx *Tx, r *drift.FullReport, ids TenantRange) error {
	const gone = `tenant_id > $4 AND tenant_id <= $5 AND outcome <> 'IN_SYNC' AND platform_id = $1 AND report_id < $2 AND checked_at <= $3
		AND NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.tenant_id = tenant_drift.tenant_id AND subscription.state IN ('TRIAL', 'ACTIVE'))`
	text := `DELETE FROM tenant_drift WHERE ` + gone
	if tx.Dialect.ForUpdateSkip != "" {
		text = `DELETE FROM tenant_drift WHERE tenant_id IN (SELECT tenant_id FROM tenant_drift WHERE ` + gone + ` ORDER BY tenant_id` + tx.Dialect.ForUpdateSkip + `)`
	}
	_, err := tx.Exec(ctx, text, int64(r.PlatformID), int64(r.ID), r.BegunAt.UnixMilli(), int64(ids.After), int64(ids.Last))
	return err
}

// TenantRange are the tenants behind one, up to another and with it.
type TenantRange struct{ After, Last billing.TenantID }

// TenantBehind returns the tenant of a platform that is so many behind another, in the
// order of ids, and whether there is one.
func TenantBehind(ctx context.Context, q Queries, platform billing.PlatformID, after billing.TenantID, many int) (id billing.TenantID, found bool, err error) {
	const text = `SELECT id FROM tenant WHERE platform_id = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3`
	found, err = q.One(ctx, text, []any{int64(platform), int64(after), many - 1}, &id)
	return id, found, err
}

// CountPersistentOn counts the tenants of a platform that still differ after their repair,
// up to MostCounted and one more.
func CountPersistentOn(ctx context.Context, q Queries, platform billing.PlatformID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant_drift WHERE platform_id = $1 AND persistent`, int64(platform))
}

// CountPersistentDrift counts the tenants that still differ after their repair, up to
// MostCounted and one more.
func CountPersistentDrift(ctx context.Context, q Queries) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant_drift WHERE persistent`)
}
