package store

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Jobs keeps billing.Job.
var Jobs = newTable(Table[billing.Job, billing.JobID]{
	name: "job",
	id:   func(j *billing.Job) *billing.JobID { return &j.ID },
	columns: []string{
		"kind", "state", "total", "done", "failed", "params", "cursor", "claim", "claimed_until", "finished_at", "error",
	},
	fields: func(j *billing.Job) []any {
		return []any{
			&j.Kind, &j.State, &j.Total, &j.Done, &j.Failed, paramsColumn{column.OptionalJSON(&j.Params)}, &j.Cursor, &j.Claim, column.Millis(&j.ClaimedUntil),
			column.OptionalMillis(&j.FinishedAt), &j.Error,
		}
	},
	stamps: func(j *billing.Job) (*time.Time, *time.Time) { return &j.CreatedAt, &j.UpdatedAt },
	words:  func(j *billing.Job) []string { return []string{j.Kind, j.State} },
	filters: map[string]field{
		"kind": {"kind", exact, nil}, "state": {"state", exact, nil},
	},
})

// paramsColumn keeps what a job is about, which is null for one that needs
// nothing.
type paramsColumn struct{ column.Column }

func (c paramsColumn) Value() (driver.Value, error) {
	value, err := c.Column.Value()
	if value == nil && err == nil {
		return "null", nil
	}
	return value, err
}

// HasWaitingJob reports whether there is a job to claim; id says which, 0 any.
func HasWaitingJob(ctx context.Context, q Queries, id billing.JobID, now time.Time) (found bool, err error) {
	const text = `SELECT EXISTS (SELECT 1 FROM job WHERE finished_at IS NULL AND claimed_until <= $1 AND (CAST($2 AS BIGINT) = 0 OR id = $2))`
	_, err = q.One(ctx, text, []any{now.UnixMilli(), int64(id)}, &found)
	return found, err
}

// ClaimJob gives an open job that nobody works on to the caller until a time, or
// returns nil: the one that has waited longest, or only the one named if id is
// not 0.
func ClaimJob(ctx context.Context, tx *Tx, id billing.JobID, claim string, until time.Time) (*billing.Job, error) {
	text := `SELECT id FROM job WHERE finished_at IS NULL AND claimed_until <= $1 AND (CAST($2 AS BIGINT) = 0 OR id = $2)
		ORDER BY claimed_until, id LIMIT 1` + tx.Dialect.ForUpdateSkip
	found, err := tx.One(ctx, text, []any{tx.Now.UnixMilli(), int64(id)}, &id)
	if err != nil || !found {
		return nil, err
	}
	job, err := Jobs.Get(ctx, tx.Queries, id)
	if err != nil || job == nil {
		return nil, err
	}
	job.Claim, job.ClaimedUntil, job.State = claim, until, billing.JobRunning
	return job, Jobs.Update(ctx, tx, job)
}

// LockJob returns a job if it is still the caller's, or nil.
func LockJob(ctx context.Context, tx *Tx, id billing.JobID, claim string) (*billing.Job, error) {
	job, err := Jobs.Lock(ctx, tx, id)
	if err != nil || job == nil || job.Claim != claim || job.FinishedAt != nil {
		return nil, err
	}
	return job, nil
}

// LiveTenants returns the ids of tenants above one, in order, that have a live
// subscription to a product, at most limit.
func LiveTenants(ctx context.Context, q Queries, product billing.ProductID, after billing.TenantID, limit int) ([]billing.TenantID, error) {
	const text = `SELECT DISTINCT tenant_id FROM subscription
		WHERE product_id = $1 AND tenant_id > $2 AND state IN ('TRIAL', 'ACTIVE') ORDER BY tenant_id LIMIT $3`
	return tenantIDs(ctx, q, text, int64(product), int64(after), limit)
}

// toTell finds the tenants that are told their state when their platform provisions
// again: those with a live subscription, and those that were last told to have features,
// which they may have lost meanwhile.
//
// Both are looked up for each tenant: of two EXISTS, PostgreSQL would read all events first.
const toTell = `((SELECT 1 FROM subscription WHERE subscription.tenant_id = tenant.id AND subscription.state IN ('TRIAL', 'ACTIVE') LIMIT 1) IS NOT NULL
	OR COALESCE((SELECT webhook_event.body FROM webhook_stream JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id AND webhook_event.sequence = webhook_stream.last_sequence
		WHERE webhook_stream.subject_kind = 'TENANT' AND webhook_stream.subject_id = tenant.id AND webhook_stream.platform_id = tenant.platform_id LIMIT 1), '')
			LIKE '%"change":{"features":[{%')`

// TenantsToTell returns the ids of tenants of a platform above one, in order, that are
// told their state when it provisions again, at most limit.
func TenantsToTell(ctx context.Context, q Queries, platform billing.PlatformID, after billing.TenantID, limit int) ([]billing.TenantID, error) {
	const text = `SELECT id FROM tenant WHERE platform_id = $1 AND id > $2 AND ` + toTell + ` ORDER BY id LIMIT $3`
	return tenantIDs(ctx, q, text, int64(platform), int64(after), limit)
}

// AmongToTell returns which of those tenants TenantsToTell finds.
func AmongToTell(ctx context.Context, q Queries, ids []billing.TenantID) ([]billing.TenantID, error) {
	const text = `SELECT id FROM tenant WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND ` + toTell + ` ORDER BY id`
	return tenantIDs(ctx, q, text, db.JSONList(ids))
}

// CountLiveTenants returns how many tenants have a live subscription to a
// product.
func CountLiveTenants(ctx context.Context, q Queries, product billing.ProductID) (int, error) {
	return q.Number(ctx, `SELECT count(DISTINCT tenant_id) FROM subscription WHERE product_id = $1 AND tenant_id IS NOT NULL AND state IN ('TRIAL', 'ACTIVE')`, int64(product))
}

// CountTenantsToTell returns how many tenants TenantsToTell finds.
func CountTenantsToTell(ctx context.Context, q Queries, platform billing.PlatformID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM tenant WHERE platform_id = $1 AND `+toTell, int64(platform))
}

func tenantIDs(ctx context.Context, q Queries, text string, args ...any) ([]billing.TenantID, error) {
	var ids []billing.TenantID
	err := q.Each(ctx, text, args, func(rows scanner) error {
		ids = append(ids, 0)
		return rows.Scan(&ids[len(ids)-1])
	})
	return ids, err
}

// DeleteJobsBefore removes at most limit jobs that were finished before a time,
// oldest first, and returns how many there were.
func DeleteJobsBefore(ctx context.Context, tx *Tx, before time.Time, limit int) (int64, error) {
	const text = `DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < $1 ORDER BY id LIMIT $2)`
	return tx.Exec(ctx, text, before.UnixMilli(), limit)
}

// OpenJobs returns the jobs of a kind that are not finished.
func OpenJobs(ctx context.Context, q Queries, kind string) ([]billing.Job, error) {
	columns, scan := Jobs.Projection(nil)
	return Jobs.rows(ctx, q, `SELECT `+columns+` FROM job WHERE job.finished_at IS NULL AND job.kind = $1 ORDER BY job.id`, []any{kind}, 0, scan)
}

// LiveProducts returns the products that each of those tenants has a live
// subscription to.
func LiveProducts(ctx context.Context, q Queries, ids []billing.TenantID) (map[billing.TenantID][]billing.ProductID, error) {
	const text = `SELECT DISTINCT tenant_id, product_id FROM subscription
		WHERE tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND state IN ('TRIAL', 'ACTIVE') ORDER BY tenant_id, product_id`
	found := map[billing.TenantID][]billing.ProductID{}
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows scanner) error {
		var tenant billing.TenantID
		var product billing.ProductID
		err := rows.Scan(&tenant, &product)
		found[tenant] = append(found[tenant], product)
		return err
	})
	return found, err
}
