package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/db"
)

// NoLimit is for what is read whole.
const NoLimit = noLimit

// LiveSubscription is a live subscription with what is needed to say what its tenant has.
type LiveSubscription struct {
	// Subscription has its ids, its state, its standing and its lines.
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
// those of a tenant one after another, with their lines.
func EachLive(ctx context.Context, q Queries, product billing.ProductID, do func(*LiveSubscription) error) error {
	const text = `SELECT subscription.id, subscription.tenant_id, subscription.product_id, subscription.price_list_id, subscription.state, subscription.standing,
			subscription.as_of, subscription.end_date, subscription.charges, tenant.code, COALESCE(tenant.user_count, 0), subscription.test_clock_id
		FROM subscription JOIN tenant ON tenant.id = subscription.tenant_id WHERE ` + ofTenantsOf + ` ORDER BY subscription.tenant_id`
	return q.Each(ctx, text, []any{int64(product)}, func(row scanner) error {
		var l LiveSubscription
		s := &l.Subscription
		s.TenantID = new(billing.TenantID)
		err := row.Scan(&s.ID, s.TenantID, &s.ProductID, &s.PriceListID, &s.State, &s.Standing, dateOf(s, "day", &s.AsOf), dateOf(s, "end date", &s.EndDate), (*linesColumn)(s), &l.TenantCode, &l.Users, &l.TestClockID)
		if err != nil {
			return err
		}
		return do(&l)
	})
}

// LiveShape is what the live subscriptions of some tenants have in common: the price lists
// they are on and their standings, oldest first.
type LiveShape struct {
	Subscriptions []subscription.Subscription
	Tenants       int
	// ToProduct is how many subscriptions of all these tenants are to the product.
	ToProduct int
}

// LiveShapes counts the tenants that have a live subscription to a product by what they
// are on.
func LiveShapes(ctx context.Context, q Queries, product billing.ProductID) (found []LiveShape, err error) {
	const text = `SELECT shape, count(*), CAST(sum(own) AS BIGINT) FROM (
			SELECT string_agg(CAST(subscription.price_list_id AS TEXT) || ' ' || subscription.standing, ',' ORDER BY subscription.id) AS shape,
				sum(CASE WHEN subscription.product_id = $1 THEN 1 ELSE 0 END) AS own
			FROM subscription WHERE ` + ofTenantsOf + ` GROUP BY subscription.tenant_id) AS shapes
		GROUP BY shape ORDER BY shape`
	err = q.Each(ctx, text, []any{int64(product)}, func(row scanner) error {
		var shape LiveShape
		var lists string
		if err := row.Scan(&lists, &shape.Tenants, &shape.ToProduct); err != nil {
			return err
		}
		for one := range strings.SplitSeq(lists, ",") {
			list, standing, _ := strings.Cut(one, " ")
			id, err := strconv.ParseInt(list, 10, 64)
			if err != nil {
				return err
			}
			shape.Subscriptions = append(shape.Subscriptions, subscription.Subscription{
				ID: billing.SubscriptionID(len(shape.Subscriptions) + 1), PriceListID: billing.PriceListID(id), State: subscription.StateActive, Standing: billing.Standing(standing),
			})
		}
		found = append(found, shape)
		return nil
	})
	return found, err
}

// LargestTenants returns the tenants with live subscriptions on price lists that have most
// users, at most limit, with no more than their codes and how many users they have.
func LargestTenants(ctx context.Context, q Queries, lists []billing.PriceListID, limit int) (found []billing.Tenant, err error) {
	const text = `SELECT tenant.id, tenant.code, tenant.user_count FROM tenant WHERE tenant.id IN (SELECT subscription.tenant_id FROM subscription
			WHERE subscription.price_list_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND subscription.state IN ('TRIAL', 'ACTIVE'))
		ORDER BY COALESCE(tenant.user_count, 0) DESC, tenant.code LIMIT $2`
	err = q.Each(ctx, text, []any{db.JSONList(lists), limit}, func(row scanner) error {
		var t billing.Tenant
		err := row.Scan(&t.ID, &t.Code, &t.UserCount)
		found = append(found, t)
		return err
	})
	return found, err
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
