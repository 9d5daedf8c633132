package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// withoutRate is the condition that something which was agreed has no rate: what is
// agreed names its charge once each, and its rate.
const withoutRate = `(length(charges) - length(replace(charges, '"chargeId":', ''))) / 11 > (length(charges) - length(replace(charges, '"rate":{', ''))) / 8`

// SubscriptionsWithoutRate returns at most limit subscriptions of accounts of an entity
// that are on real time, have not ended, and have a line whose price is not known,
// because its charge was gone before rates were kept. With others, accounts count too
// that name no entity.
func SubscriptionsWithoutRate(ctx context.Context, q Queries, entity billing.EntityID, others bool, limit int) ([]subscription.Subscription, error) {
	of := "entity_id = $1"
	if others {
		of = "(entity_id = $1 OR entity_id IS NULL)"
	}
	columns, scan := Subscriptions.Projection(nil)
	return Subscriptions.rows(ctx, q, `SELECT `+columns+` FROM subscription WHERE state IN ('PENDING', 'TRIAL', 'ACTIVE') AND test_clock_id IS NULL AND `+withoutRate+`
		AND EXISTS (SELECT 1 FROM account WHERE account.id = subscription.account_id AND `+of+`) ORDER BY id LIMIT $2`, []any{int64(entity), limit}, limit, scan)
}
