package store

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Reach is how many tenants something reaches: exactly, or more than that if
// counting them all would take too long.
type Reach struct {
	Tenants int
	More    bool
}

// mostReached is how many live subscriptions are looked at for one Reach, which
// takes some ten milliseconds.
const mostReached = 100_000

// liveOn is the tenants of live subscriptions that one condition on their plan
// finds, a tenant once for each subscription. CROSS JOIN keeps SQLite from
// beginning with all that are live.
const liveOn = `SELECT subscription.tenant_id FROM plan AS sold CROSS JOIN price_list CROSS JOIN subscription
	WHERE CONDITION AND price_list.plan_id = sold.id AND subscription.price_list_id = price_list.id AND subscription.tenant_id IS NOT NULL AND subscription.state IN ('TRIAL', 'ACTIVE') LIMIT CAST($2 AS BIGINT)`

// ReachOfPlans returns how many tenants have a live subscription on each of
// those plans.
func ReachOfPlans(ctx context.Context, q Queries, plans []billing.PlanID) (map[billing.PlanID]Reach, error) {
	live := strings.Replace(liveOn, "CONDITION", "sold.id = plan.id", 1)
	text := `SELECT plan.id, (SELECT count(*) FROM (` + live + `) AS live), (SELECT count(DISTINCT live.tenant_id) FROM (` + live + `) AS live)
		FROM plan WHERE plan.id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	reach := make(map[billing.PlanID]Reach, len(plans))
	err := q.Each(ctx, text, []any{db.JSONList(plans), mostReached}, func(rows scanner) error {
		var id billing.PlanID
		var looked int
		var r Reach
		err := rows.Scan(&id, &looked, &r.Tenants)
		r.More = looked == mostReached
		reach[id] = r
		return err
	})
	return reach, err
}

// ReachOfProduct returns how many tenants have a live subscription on any plan
// of a product.
func ReachOfProduct(ctx context.Context, q Queries, product billing.ProductID) (Reach, error) {
	live := strings.Replace(liveOn, "CONDITION", "sold.product_id = $1", 1)
	var looked int
	var r Reach
	_, err := q.One(ctx, `SELECT count(*), count(DISTINCT live.tenant_id) FROM (`+live+`) AS live`, []any{int64(product), mostReached}, &looked, &r.Tenants)
	r.More = looked == mostReached
	return r, err
}
