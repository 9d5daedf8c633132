package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/store/column"
)

// DunningPolicies keeps dunning.Policy, with its steps.
var DunningPolicies = newTable(Table[dunning.Policy, billing.DunningPolicyID]{
	name:      "dunning_policy",
	id:        func(p *dunning.Policy) *billing.DunningPolicyID { return &p.ID },
	described: dunning.PolicyFields,
	columns:   []string{"steps"},
	fields:    func(p *dunning.Policy) []any { return []any{column.JSON(&p.Steps)} },
	stamps:    func(p *dunning.Policy) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:     func(p *dunning.Policy) []string { return []string{p.Name, p.Code} },
})

// AllDunningPolicies returns all policies.
func AllDunningPolicies(ctx context.Context, q Queries) ([]dunning.Policy, error) {
	return DunningPolicies.all(ctx, q)
}

// UsersOfDunningPolicy counts the entities that have a policy, and the accounts, up to
// MostCounted and one more.
func UsersOfDunningPolicy(ctx context.Context, q Queries, id billing.DunningPolicyID) (entities, accounts int, err error) {
	if entities, err = q.Number(ctx, `SELECT count(*) FROM entity WHERE dunning_policy_id = $1`, int64(id)); err != nil {
		return 0, 0, err
	}
	accounts, err = q.Counted(ctx, `SELECT 1 FROM account WHERE dunning_policy_id = $1`, int64(id))
	return entities, accounts, err
}
