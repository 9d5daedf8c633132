package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Tenants keeps billing.Tenant.
var Tenants = newTable(Table[billing.Tenant, billing.TenantID]{
	name:      "tenant",
	id:        func(t *billing.Tenant) *billing.TenantID { return &t.ID },
	described: billing.TenantFields,
	stamps:    func(t *billing.Tenant) (*time.Time, *time.Time) { return &t.CreatedAt, &t.UpdatedAt },
	words:     func(t *billing.Tenant) []string { return []string{t.Name, t.Code} },
	changed: func(ctx context.Context, tx *Tx, before, after *billing.Tenant) error {
		if before == nil || after == nil || before.Name == after.Name && before.Code == after.Code {
			return nil
		}
		return reindexSubscriptions(ctx, tx, "tenant_id", int64(after.ID))
	},
	filters: map[string]field{
		"drift":    {"id", drifted, driftOutcomes()},
		"code":     {"code", exact, []string{"platform_id", "platform"}},
		"platform": {"platform_id", refer, []string{"platform"}}, "account": {"account_id", refer, []string{"account"}},
	},
	indexed: true,
})

// TenantByCode returns the platform's tenant with that code, or nil.
func TenantByCode(ctx context.Context, q Queries, platform billing.PlatformID, code string) (*billing.Tenant, error) {
	return Tenants.byPair(ctx, q, "platform_id", int64(platform), "code", code)
}

// TenantsByBareCode returns the tenants with that code of any platform.
func TenantsByBareCode(ctx context.Context, q Queries, code string) ([]billing.Tenant, error) {
	if nobodyHas(code) {
		return nil, nil
	}
	columns, scan := Tenants.Projection(nil)
	return Tenants.rows(ctx, q, `SELECT `+columns+` FROM tenant WHERE `+byCode("tenant")+` ORDER BY tenant.id LIMIT 2`, []any{code}, 0, scan)
}

// TenantCodes adds the codes of tenants to a map. They may come with the next
// statement whose outcome is asked for: the caller must run one before it looks at
// them.
func TenantCodes(ctx context.Context, q Queries, ids []billing.TenantID, codes map[billing.TenantID]string) error {
	if len(ids) == 0 {
		return nil
	}
	return q.EachLater(ctx, `SELECT id, code FROM tenant WHERE id IN (SELECT value FROM json_each($1))`, []any{db.JSONList(ids)}, func(rows scanner) error {
		var id billing.TenantID
		var code string
		err := rows.Scan(&id, &code)
		codes[id] = code
		return err
	})
}

// TenantsOnPlatform counts them, up to MostCounted and one more.
func TenantsOnPlatform(ctx context.Context, q Queries, id billing.PlatformID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant WHERE platform_id = $1`, int64(id))
}

// TenantsOfAccount counts them, up to MostCounted and one more.
func TenantsOfAccount(ctx context.Context, q Queries, id billing.AccountID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM tenant WHERE account_id = $1`, int64(id))
}

// DeleteTenantsOf removes the tenants of an account. Their events are gone already.
func DeleteTenantsOf(ctx context.Context, tx *Tx, id billing.AccountID) error {
	_, err := tx.Exec(ctx, `DELETE FROM tenant WHERE account_id = $1`, int64(id))
	return err
}
