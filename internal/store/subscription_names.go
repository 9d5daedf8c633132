package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

// SubscriptionNames are the codes of what a subscription refers to.
type SubscriptionNames struct {
	PlanID             billing.PlanID
	Product, PriceList string
	// Plan and Tenant are nil if there is no code.
	Plan, Tenant *string
}

// NamesOf returns the codes of a price list with its plan and product, and of a
// tenant, if there is one.
func NamesOf(ctx context.Context, q Queries, list billing.PriceListID, tenant *billing.TenantID) (names SubscriptionNames, err error) {
	const text = `SELECT plan.id, product.code, price_list.code, plan.code, (SELECT tenant.code FROM tenant WHERE tenant.id = CAST($2 AS BIGINT))
		FROM price_list JOIN plan ON plan.id = price_list.plan_id JOIN product ON product.id = plan.product_id WHERE price_list.id = $1`
	var id billing.TenantID
	if tenant != nil {
		id = *tenant
	}
	_, err = q.One(ctx, text, []any{int64(list), column.OrZero(&id)}, &names.PlanID, &names.Product, &names.PriceList, &names.Plan, &names.Tenant)
	return names, err
}
