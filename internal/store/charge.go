package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Charges keeps catalog.Charge, with its tiers.
var Charges = newTable(Table[catalog.Charge, billing.ChargeID]{
	name:      "price_list_charge",
	id:        func(c *catalog.Charge) *billing.ChargeID { return &c.ID },
	described: catalog.ChargeFields,
	columns:   []string{"tiers"},
	fields:    func(c *catalog.Charge) []any { return []any{column.JSON(&c.Tiers)} },
	order:     &order{by: []string{"price_list_charge.price_list_id"}},
	stamps:    func(c *catalog.Charge) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words:     func(c *catalog.Charge) []string { return []string{c.Name, c.Code} },
	filters: map[string]field{
		"priceList": {"price_list_id", refer, []string{"price_list"}}, "feature": {"feature_id", refer, []string{"feature"}},
		"chargeType":   {"charge_type", enum, []string{"RECURRING", "ONE_TIME", "USAGE"}},
		"pricingModel": {"pricing_model", enum, []string{"FLAT", "TIERED", "VOLUME", "BANDS"}},
	},
})

// ChargeByCode returns the price list's charge with that code, or nil.
func ChargeByCode(ctx context.Context, q Queries, list billing.PriceListID, code string) (*catalog.Charge, error) {
	return Charges.byPair(ctx, q, "price_list_id", int64(list), "code", code)
}

// SoldByNumber returns the code of a price list of the plan that has
// subscriptions, or will have, and a recurring charge for a QUANTITY feature,
// empty if there is none. One that is over counts: it may be reinstated.
func SoldByNumber(ctx context.Context, q Queries, plan billing.PlanID, feature billing.FeatureID) (code string, err error) {
	_, err = q.One(ctx, `SELECT price_list.code FROM price_list_charge JOIN price_list ON price_list.id = price_list_charge.price_list_id
		JOIN feature ON feature.id = price_list_charge.feature_id
		WHERE price_list_charge.feature_id = $1 AND price_list.plan_id = $2 AND price_list_charge.charge_type = 'RECURRING' AND feature.kind = 'QUANTITY'
		AND (EXISTS (SELECT 1 FROM subscription WHERE subscription.price_list_id = price_list.id)
			OR EXISTS (SELECT 1 FROM subscription WHERE subscription.next_price_list_id = price_list.id))
		ORDER BY price_list.id LIMIT 1`, []any{int64(feature), int64(plan)}, &code)
	return code, err
}

// NumberSold is a feature that a price list of a plan sells by the number.
type NumberSold struct {
	Plan    billing.PlanID
	Feature billing.FeatureID
}

// NumbersSold returns what price lists of those plans sell by the number.
func NumbersSold(ctx context.Context, q Queries, plans []billing.PlanID) (map[NumberSold]bool, error) {
	sold := map[NumberSold]bool{}
	err := q.Each(ctx, `SELECT DISTINCT price_list.plan_id, feature.id FROM price_list JOIN price_list_charge ON price_list_charge.price_list_id = price_list.id
		JOIN feature ON feature.id = price_list_charge.feature_id WHERE price_list.plan_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))
		AND price_list_charge.charge_type = 'RECURRING' AND feature.kind = 'QUANTITY'`, []any{db.JSONList(plans)}, func(rows scanner) error {
		var one NumberSold
		err := rows.Scan(&one.Plan, &one.Feature)
		sold[one] = true
		return err
	})
	return sold, err
}

// ChargesOf returns the charges of those price lists.
func ChargesOf(ctx context.Context, q Queries, lists []billing.PriceListID) ([]catalog.Charge, error) {
	return Charges.children(ctx, q, "price_list_id", db.JSONList(lists), billing.Filter{}, MaxNested)
}

// HoldCharges keeps the charges of a price list from being changed or deleted
// until the transaction ends, and returns how many it has.
func HoldCharges(ctx context.Context, tx *Tx, list billing.PriceListID) (n int, err error) {
	text := `SELECT id FROM price_list_charge WHERE price_list_id = $1`
	if tx.Dialect.ForUpdate != "" {
		text += ` FOR SHARE`
	}
	err = tx.Each(ctx, text, []any{int64(list)}, func(rows scanner) error {
		var id billing.ChargeID
		n++
		return rows.Scan(&id)
	})
	return n, err
}

// ChargesFor counts the charges that price a feature.
func ChargesFor(ctx context.Context, q Queries, id billing.FeatureID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM price_list_charge WHERE feature_id = $1`, int64(id))
}

// DeleteChargesOf removes the charges of a price list.
func DeleteChargesOf(ctx context.Context, tx *Tx, id billing.PriceListID) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM price_list_charge WHERE price_list_id = $1`, int64(id))
}
