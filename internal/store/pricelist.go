package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store/db"
)

// PriceLists keeps catalog.PriceList.
var PriceLists = newTable(Table[catalog.PriceList, billing.PriceListID]{
	name:      "price_list",
	id:        func(l *catalog.PriceList) *billing.PriceListID { return &l.ID },
	described: catalog.PriceListFields,
	order: &order{
		by: []string{"plan.product_id", "plan.id"}, from: "plan CROSS JOIN price_list", where: "price_list.plan_id = plan.id",
	},
	stamps: func(l *catalog.PriceList) (*time.Time, *time.Time) { return &l.CreatedAt, &l.UpdatedAt },
	words:  func(l *catalog.PriceList) []string { return []string{l.Name, l.Code} },
	filters: map[string]field{
		"plan": {"plan_id", refer, []string{"plan"}}, "currency": {"currency_id", currency, nil},
		"trialAllowed": {"trial_allowed", boolean, nil}, "isVisible": {"is_visible", boolean, nil},
	},
})

// PriceListsOf returns the price lists of those plans that match the filter.
func PriceListsOf(ctx context.Context, q Queries, plans []billing.PlanID, filter billing.Filter) ([]catalog.PriceList, error) {
	return PriceLists.children(ctx, q, "plan_id", db.JSONList(plans), filter, MaxNested)
}

// PriceListsOnPlan counts them.
func PriceListsOnPlan(ctx context.Context, q Queries, id billing.PlanID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM price_list WHERE plan_id = $1`, int64(id))
}
