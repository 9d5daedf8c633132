package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Repairable are the tenants of a platform that an event could bring in line, in the
// order in which they are repaired.
func Repairable(ctx context.Context, q Queries, platform billing.PlatformID, limit int) (list []*drift.Tenant, err error) {
	const text = `SELECT ` + driftColumns + ` FROM tenant_drift WHERE tenant_drift.platform_id = $1 AND tenant_drift.digest <> ''
		ORDER BY tenant_drift.turn_at, tenant_drift.tenant_id LIMIT $2`
	err = q.Each(ctx, text, []any{int64(platform), limit}, collectDrift(&list))
	return list, err
}

// untold is drift.Tenant.Untold, as the index has it.
const untold = `digest <> '' AND (digest <> repair_digest OR persistent)`

// CountUntold counts the tenants of a platform that differ, and that no event was sent to
// for that or one that changed nothing, up to MostCounted and one more.
func CountUntold(ctx context.Context, q Queries, platform billing.PlatformID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant_drift WHERE platform_id = $1 AND `+untold, int64(platform))
}

// ToRepair is a tenant that waits to be repaired.
type ToRepair struct {
	TenantID billing.TenantID
	TurnAt   time.Time
}

// RepairsFor are the tenants of a platform that wait to be repaired for a cause, those
// first that wait longest.
func RepairsFor(ctx context.Context, q Queries, platform billing.PlatformID, cause drift.Cause, limit int) ([]ToRepair, error) {
	const text = `SELECT tenant_id, turn_at FROM tenant_drift WHERE platform_id = $1 AND queued_by = $2 AND queued_by <> 0 ORDER BY turn_at, tenant_id LIMIT $3`
	return toRepair(ctx, q, text, int64(platform), int64(cause), limit)
}

// RepairsUntil are the tenants of a platform that differed at a time and that no event
// was sent to for that, or one that changed nothing, those first that wait longest.
func RepairsUntil(ctx context.Context, q Queries, platform billing.PlatformID, until time.Time, limit int) ([]ToRepair, error) {
	const text = `SELECT tenant_id, turn_at FROM tenant_drift WHERE platform_id = $1 AND turn_at <= $2 AND ` + untold + ` ORDER BY turn_at, tenant_id LIMIT $3`
	return toRepair(ctx, q, text, int64(platform), until.UnixMilli(), limit)
}

func toRepair(ctx context.Context, q Queries, text string, args ...any) (list []ToRepair, err error) {
	err = q.Each(ctx, text, args, func(rows db.Row) error {
		var w ToRepair
		err := rows.Scan(&w.TenantID, column.Millis(&w.TurnAt))
		list = append(list, w)
		return err
	})
	return list, err
}

// RepairTurn is the right to repair tenants of a platform until a transaction ends.
type RepairTurn struct {
	// Repaired is how many were repaired lately, the first of them at FirstAt.
	Repaired int
	FirstAt  *time.Time
	// NextAt is when tenants that wait are repaired, nil if none waits.
	NextAt *time.Time
	// AskedAt is when a person asked to repair all that differ, nil if that is done.
	AskedAt *time.Time
}

// TakeRepairTurn lets nobody else repair tenants of a platform until the transaction
// ends. What was repaired before since is forgotten.
func TakeRepairTurn(ctx context.Context, tx *Tx, platform billing.PlatformID, since time.Time) (t RepairTurn, err error) {
	const turn = `INSERT INTO drift_turn (platform_id, taken_at) VALUES ($1, $2) ON CONFLICT (platform_id) DO UPDATE SET taken_at = excluded.taken_at
		RETURNING next_at, asked_at`
	if _, err := tx.One(ctx, turn, []any{int64(platform), tx.Now.UnixMilli()}, column.OptionalMillis(&t.NextAt), column.OptionalMillis(&t.AskedAt)); err != nil {
		return t, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM drift_repair WHERE platform_id = $1 AND repaired_at <= $2`, int64(platform), since.UnixMilli()); err != nil {
		return t, err
	}
	const text = `SELECT CAST(COALESCE(sum(tenants), 0) AS BIGINT), min(repaired_at) FROM drift_repair WHERE platform_id = $1`
	_, err = tx.One(ctx, text, []any{int64(platform)}, &t.Repaired, column.OptionalMillis(&t.FirstAt))
	return t, err
}

// SaveRepairTurn writes when whoever has the turn of a platform next is due, and what a
// person asked for.
func SaveRepairTurn(ctx context.Context, tx *Tx, platform billing.PlatformID, t RepairTurn) error {
	_, err := tx.Exec(ctx, `UPDATE drift_turn SET next_at = $2, asked_at = $3 WHERE platform_id = $1`, int64(platform), column.OptionalMillis(&t.NextAt), column.OptionalMillis(&t.AskedAt))
	return err
}

// PostponeRepairs lets the tenants of a platform that wait to be repaired wait until then.
func PostponeRepairs(ctx context.Context, tx *Tx, platform billing.PlatformID, until time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE drift_turn SET next_at = $2 WHERE platform_id = $1 AND next_at IS NOT NULL`, int64(platform), until.UnixMilli())
	return err
}

// RepairsUnderWay says whether tenants of a platform go on being repaired, or were told
// their state again and have not been reported since.
func RepairsUnderWay(ctx context.Context, q Queries, platform billing.PlatformID) (bool, error) {
	const text = `SELECT 1 FROM drift_turn WHERE platform_id = $1 AND next_at IS NOT NULL
		UNION ALL SELECT 1 FROM tenant_drift WHERE platform_id = $1 AND digest <> '' AND digest = repair_digest AND NOT persistent LIMIT 1`
	var one int
	return q.One(ctx, text, []any{int64(platform)}, &one)
}

// NextRepairs returns when tenants that wait are repaired on some platform, and whether
// any wait.
func NextRepairs(ctx context.Context, q Queries) (at time.Time, found bool, err error) {
	found, err = q.One(ctx, `SELECT next_at FROM drift_turn WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1`, nil, column.Millis(&at))
	return at, found, err
}

// DueRepairs returns a platform on which tenants that wait are due to be repaired, and
// whether there is one that nobody else works on.
func DueRepairs(ctx context.Context, tx *Tx) (id billing.PlatformID, found bool, err error) {
	text := `SELECT platform_id FROM drift_turn WHERE next_at IS NOT NULL AND next_at <= $1 ORDER BY next_at LIMIT 1` + tx.Dialect.ForUpdateSkip
	found, err = tx.One(ctx, text, []any{tx.Now.UnixMilli()}, &id)
	return id, found, err
}

// NoteRepairs counts tenants of a platform that are repaired, by whoever has the turn. A
// tenant counts each time.
func NoteRepairs(ctx context.Context, tx *Tx, platform billing.PlatformID, tenants int) error {
	_, err := tx.Exec(ctx, `INSERT INTO drift_repair (platform_id, repaired_at, tenants) VALUES ($1, $2, $3)`, int64(platform), tx.Now.UnixMilli(), tenants)
	return err
}

// RepairingReports are the full reports of a platform whose tenants wait to be repaired.
func RepairingReports(ctx context.Context, q Queries, platform billing.PlatformID) (ids []billing.DriftReportID, err error) {
	err = q.Each(ctx, `SELECT id FROM drift_report WHERE platform_id = $1 AND repairing ORDER BY id`, []any{int64(platform)}, column.Collect(&ids))
	return ids, err
}

// NoteRepairsOf counts tenants that were repaired because of a full report.
func NoteRepairsOf(ctx context.Context, tx *Tx, report billing.DriftReportID, tenants int) error {
	_, err := tx.Exec(ctx, `UPDATE drift_report SET repaired = repaired + $2 WHERE id = $1`, int64(report), tenants)
	return err
}

// EndRepairsOf notes of the full reports of a platform that no tenant of theirs waits to be repaired.
func EndRepairsOf(ctx context.Context, tx *Tx, platform billing.PlatformID) error {
	_, err := tx.Exec(ctx, `UPDATE drift_report SET repairing = $2 WHERE platform_id = $1 AND repairing`, int64(platform), false)
	return err
}
