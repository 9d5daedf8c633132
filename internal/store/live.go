package store

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/db"
)

// NoLimit is for what is read whole.
const NoLimit = noLimit

// LiveSubscription is a live subscription with what is needed to say what its tenant has.
type LiveSubscription struct {
	// Subscription has its ids, its state and its standing, and its lines if they were
	// asked for.
	Subscription subscription.Subscription
	TenantCode   string
	Users        int
	TestClockID  *billing.TestClockID
}

// ofTenantsOf is the condition that a live subscription belongs to a tenant which has a
// live one to the product $1.
const ofTenantsOf = `subscription.state IN ('TRIAL', 'ACTIVE') AND subscription.tenant_id IN
	(SELECT other.tenant_id FROM subscription other WHERE other.product_id = $1 AND other.tenant_id IS NOT NULL AND other.state IN ('TRIAL', 'ACTIVE'))`

// EachLive calls do with all live subscriptions of the tenants that have one to a product,
// those of a tenant one after another.
func EachLive(ctx context.Context, q Queries, product billing.ProductID, withLines bool, do func(*LiveSubscription) error) error {
	only := []string{"tenant_id", "product_id", "price_list_id", "state", "standing"}
	if withLines {
		only = append(only, "as_of", "end_date", "charges")
	}
	columns, scan := Subscriptions.Projection(only)
	text := `SELECT ` + columns + `, tenant.code, COALESCE(tenant.user_count, 0), subscription.test_clock_id
		FROM subscription JOIN tenant ON tenant.id = subscription.tenant_id
		WHERE ` + ofTenantsOf + ` ORDER BY subscription.tenant_id`
	return q.Each(ctx, text, []any{int64(product)}, func(row scanner) error {
		var l LiveSubscription
		if err := row.Scan(append(slices.Clone(scan(&l.Subscription)), &l.TenantCode, &l.Users, &l.TestClockID)...); err != nil {
			return err
		}
		return do(&l)
	})
}

// ListsAndClocksOf returns the price lists that the tenants of a product have live
// subscriptions on, and the test clocks they are on, nil among them for real time.
func ListsAndClocksOf(ctx context.Context, q Queries, product billing.ProductID) (lists []billing.PriceListID, clocks []*billing.TestClockID, err error) {
	text := `SELECT DISTINCT subscription.price_list_id, subscription.test_clock_id FROM subscription
		WHERE ` + ofTenantsOf + ` ORDER BY 1, 2`
	err = q.Each(ctx, text, []any{int64(product)}, func(row scanner) error {
		var list billing.PriceListID
		var clock *billing.TestClockID
		err := row.Scan(&list, &clock)
		if len(lists) == 0 || lists[len(lists)-1] != list {
			lists = append(lists, list)
		}
		clocks = append(clocks, clock)
		return err
	})
	return lists, clocks, err
}

// BilledTo returns what accounts were billed by invoices that were issued, less what was
// credited, by currency.
func BilledTo(ctx context.Context, q Queries, accounts []billing.AccountID) (map[string]money.Amount, error) {
	const text = `SELECT currency_id, CAST(SUM(amount) AS BIGINT) FROM (
			SELECT currency_id, amount FROM invoice WHERE account_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND stage NOT IN ('DRAFT', 'VOIDED')
			UNION ALL SELECT currency_id, -amount FROM credit_note WHERE account_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))) AS billed
		GROUP BY currency_id`
	sums := map[string]money.Amount{}
	err := q.Each(ctx, text, []any{db.JSONList(accounts)}, func(row scanner) error {
		var currency string
		var sum int64
		err := row.Scan(&currency, &sum)
		sums[currency] = money.Amount(sum)
		return err
	})
	return sums, err
}
