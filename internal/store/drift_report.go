package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

const driftReportColumns = `id, platform_id, name, begun_at, completed_at, outcomes, repaired, held, repairing, swept`

func driftReportFields(r *drift.FullReport) []any {
	return []any{&r.ID, &r.PlatformID, &r.Name, column.Millis(&r.BegunAt), column.OptionalMillis(&r.CompletedAt), column.JSON(&r.Outcomes), &r.Repaired, &r.Held, &r.Repairing, &r.Swept}
}

// LockDriftReport returns the report of that name, which began then if there is none,
// and keeps others from continuing it until the transaction ends.
func LockDriftReport(ctx context.Context, tx *Tx, platform billing.PlatformID, name string, begun time.Time) (*drift.FullReport, error) {
	if _, err := tx.Exec(ctx, `INSERT INTO drift_report (platform_id, name, begun_at, outcomes, repaired, held) VALUES ($1, $2, $3, '{}', 0, $4)
		ON CONFLICT (platform_id, name) DO NOTHING`, int64(platform), name, begun.UnixMilli(), false); err != nil {
		return nil, err
	}
	r := &drift.FullReport{}
	text := `SELECT ` + driftReportColumns + ` FROM drift_report WHERE platform_id = $1 AND name = $2` + tx.Dialect.ForUpdate
	_, err := tx.One(ctx, text, []any{int64(platform), name}, driftReportFields(r)...)
	return r, err
}

// SaveDriftReport writes how far a report has come.
func SaveDriftReport(ctx context.Context, tx *Tx, r *drift.FullReport) error {
	_, err := tx.Exec(ctx, `UPDATE drift_report SET completed_at = $2, outcomes = $3, repaired = $4, held = $5, repairing = $6, swept = $7 WHERE id = $1`,
		int64(r.ID), column.OptionalMillis(&r.CompletedAt), column.JSON(&r.Outcomes), r.Repaired, r.Held, r.Repairing, int64(r.Swept))
	return err
}

// DriftReportsOf returns the newest reports of each of those platforms, the newest
// first.
func DriftReportsOf(ctx context.Context, q Queries, platforms []billing.PlatformID, limit int) (map[billing.PlatformID][]drift.FullReport, error) {
	const text = `SELECT ` + driftReportColumns + ` FROM drift_report WHERE id IN (
			SELECT newest.id FROM drift_report AS newest WHERE newest.platform_id = $1 ORDER BY newest.begun_at DESC, newest.id DESC LIMIT $2)
		ORDER BY begun_at DESC, id DESC`
	found := make(map[billing.PlatformID][]drift.FullReport, len(platforms))
	for _, id := range platforms { // of which there are few
		err := q.Each(ctx, text, []any{int64(id), limit}, func(rows db.Row) error {
			var r drift.FullReport
			err := rows.Scan(driftReportFields(&r)...)
			found[id] = append(found[id], r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ReleaseDriftReports notes that a person decided on the full reports of a platform that
// were held.
func ReleaseDriftReports(ctx context.Context, tx *Tx, platform billing.PlatformID) error {
	_, err := tx.Exec(ctx, `UPDATE drift_report SET held = $2 WHERE platform_id = $1 AND held`, int64(platform), false)
	return err
}

// ForgetDriftReports removes the reports of a platform that began before a time.
func ForgetDriftReports(ctx context.Context, tx *Tx, platform billing.PlatformID, before time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM drift_report WHERE platform_id = $1 AND begun_at < $2`, int64(platform), before.UnixMilli())
	return err
}
