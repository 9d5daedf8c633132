package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
)

// DriftPart returns how many tenants of a request of a full report did not exist when it
// came before, and whether it did. Digest is that of the codes in it.
func DriftPart(ctx context.Context, tx *Tx, report billing.DriftReportID, digest string) (unknown int, found bool, err error) {
	found, err = tx.One(ctx, `SELECT unknown FROM drift_part WHERE report_id = $1 AND digest = $2`, []any{int64(report), digest}, &unknown)
	return unknown, found, err
}

// SaveDriftPart keeps how many tenants of a request do not exist.
func SaveDriftPart(ctx context.Context, tx *Tx, report billing.DriftReportID, digest string, unknown int) error {
	_, err := tx.Exec(ctx, `INSERT INTO drift_part (report_id, digest, unknown) VALUES ($1, $2, $3)
		ON CONFLICT (report_id, digest) DO UPDATE SET unknown = excluded.unknown`, int64(report), digest, unknown)
	return err
}

// ForgetDriftParts removes the requests of a full report that is complete.
func ForgetDriftParts(ctx context.Context, tx *Tx, report billing.DriftReportID) error {
	_, err := tx.Exec(ctx, `DELETE FROM drift_part WHERE report_id = $1`, int64(report))
	return err
}
