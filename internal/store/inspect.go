package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

// LastWrite returns when the newest entry of the audit log was written, the
// zero time if there is none.
func LastWrite(ctx context.Context, q Queries) (at time.Time, err error) {
	_, err = q.One(ctx, `SELECT at FROM audit_entry ORDER BY id DESC LIMIT 1`, nil, column.Millis(&at))
	return at, err
}

// FailedJobs returns the jobs that failed, the newest first, at most limit.
func FailedJobs(ctx context.Context, q Queries, limit int) ([]billing.Job, error) {
	columns, scan := Jobs.Projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE state = 'failed' ORDER BY id DESC LIMIT $1`, []any{limit}, 0, scan)
}
