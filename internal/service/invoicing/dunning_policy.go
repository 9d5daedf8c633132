package invoicing

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// DunningPolicies is what changing policies for unpaid invoices has in common. A new
// one begins with the steps of the default.
var DunningPolicies = operation.Resource[dunning.Policy, billing.DunningPolicyID]{
	Name: "dunningPolicy", Words: "dunning policy", Table: store.DunningPolicies, Catalog: true,
	New: func(*store.Tx) dunning.Policy {
		p := dunning.NewPolicy()
		p.Code, p.Name = "", ""
		return p
	},
	Check: func(_ context.Context, _ *store.Tx, _, p *dunning.Policy) (billing.Problems, error) {
		return p.Check(), nil
	},
	InUse: func(ctx context.Context, q store.Queries, p *dunning.Policy) error {
		entities, accounts, err := store.UsersOfDunningPolicy(ctx, q, p.ID)
		var users []string
		if entities > 0 {
			users = append(users, operation.Count(entities, "entity", "entities"))
		}
		if accounts > 0 {
			users = append(users, operation.Count(accounts, "account", "accounts"))
		}
		if err != nil || len(users) == 0 {
			return err
		}
		return billing.Fail(billing.InUse, "id", "The dunning policy is that of %s. Choose another one there first.", strings.Join(users, " and "))
	},
	Taken: func(p *dunning.Policy) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another dunning policy has the code %q.", p.Code)
	},
}
