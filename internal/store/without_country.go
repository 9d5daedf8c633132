package store

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// countryCodes are the countries that accounts can be billed in, as a list of SQL.
var countryCodes = "'" + strings.Join(tax.Countries(), "', '") + "'"

// AccountsWithoutCountry returns at most limit accounts of an entity that are on
// real time and have no country, or a text that is no code of one: nobody can be
// billed without. With others, those count too that name no entity.
func AccountsWithoutCountry(ctx context.Context, q Queries, entity billing.EntityID, others bool, limit int) ([]billing.Account, error) {
	columns, scan := Accounts.Projection(nil)
	where := ` FROM account WHERE UPPER(TRIM(COALESCE(billing_country, ''))) NOT IN (` + countryCodes + `) AND test_clock_id IS NULL AND entity_id `
	found, err := Accounts.rows(ctx, q, `SELECT `+columns+where+`= $1 ORDER BY id LIMIT $2`, []any{int64(entity), limit}, limit, scan)
	if err != nil || !others || len(found) == limit {
		return found, err
	}
	more, err := Accounts.rows(ctx, q, `SELECT `+columns+where+`IS NULL ORDER BY id LIMIT $1`, []any{limit - len(found)}, limit, scan)
	return append(found, more...), err
}
