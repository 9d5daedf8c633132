package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// crowdAccounts is how many accounts the subscriptions of a crowd belong to.
const crowdAccounts = 1000

// The subscriptions of a crowd began on the first of these days, and the next
// term of each begins on the second.
var (
	crowdBegan = time.Date(2025, time.December, 15, 12, 0, 0, 0, time.UTC)
	crowdDue   = time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)
)

// crowd is a database with many subscriptions that are all due on one day, and
// the operations on it. It is that day.
type crowd struct {
	shop  *shop
	store *store.Store
	*service.Service
}

// newCrowd makes a database with n subscriptions, each with a tenant of its
// own. The first is made by the service, the others are copies of its rows.
func newCrowd(ctx context.Context, e *engine, name string, n int) (*crowd, error) {
	say("seeding %s with %s subscriptions", e.name, thousands(n))
	database, err := e.create(ctx, name)
	if err != nil {
		return nil, err
	}
	c, err := openCrowd(ctx, database, crowdBegan)
	if err != nil {
		return nil, err
	}
	first, err := c.firstOf(ctx)
	if err = errors.Join(err, c.close()); err != nil {
		return nil, err
	}
	shop := c.shop
	if err := copyRows(ctx, e, database, first, n); err != nil {
		return nil, fmt.Errorf("seed %s: %w", e.name, err)
	}
	if err := maintain(ctx, database); err != nil {
		return nil, err
	}
	say("seeded")
	c, err = openCrowd(ctx, database, crowdDue)
	if err == nil {
		c.shop = shop
	}
	return c, err
}

func openCrowd(ctx context.Context, database string, at time.Time) (*crowd, error) {
	st, err := store.Open(ctx, store.Options{URL: database, Now: func() time.Time { return at }})
	if err != nil {
		return nil, err
	}
	svc, err := operations(st)
	return &crowd{store: st, Service: svc}, err
}

func (c *crowd) close() error { return c.store.Close() }

// firstOf opens a shop and makes the subscription that the others are copies
// of.
func (c *crowd) firstOf(ctx context.Context) (*billing.Subscription, error) {
	var err error
	if c.shop, err = openShop(ctx, c.store, crowdAccounts); err != nil {
		return nil, err
	}
	code, seats := priceListCode, 3
	return c.Subscriptions.SubscriptionCreate(asClient(ctx), subscriptions.NewSubscription{
		Draft:     billing.SubscriptionDraft{Evergreen: true, Quantities: []billing.QuantityOrder{{Code: seatsCode, Quantity: &seats}}},
		AccountID: &c.shop.accounts[0], PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: "T-1"},
	})
}

// numbers are those from the second to the n-th copy.
const numbers = `WITH RECURSIVE numbers (i) AS (SELECT CAST(2 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < $1) `

// copied are the statements that copy rows. Each tenant has the id and the code
// of its number, and goes to the next account in turn; what free words match is
// as the store would write it.
var copied = []string{
	numbers + `INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search)
		SELECT i, platform_id, account_id + i % $2, 'T-' || i, 'T-' || i, created_at, updated_at, 't-' || i || $3 || 't-' || i
		FROM numbers CROSS JOIN tenant WHERE tenant.id = 1`,
	numbers + `INSERT INTO webhook_stream (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
		SELECT i, platform_id, 1, 1, 1, 1, 0, 0, 1, 1 FROM numbers CROSS JOIN tenant WHERE tenant.id = 1`,
	numbers + `INSERT INTO subscription (id, account_id, product_id, price_list_id, tenant_id, state, evergreen, renewal_term_months,
			start_date, end_date, term_start_date, anchor_day, charges, as_of, due_on, created_at, updated_at, search)
		SELECT i, account_id + i % $2, product_id, price_list_id, i, state, evergreen, renewal_term_months,
			start_date, end_date, term_start_date, anchor_day, charges, as_of, due_on, created_at, updated_at,
			'firm ' || (i % $2) || $3 || $3 || 't-' || i || $3 || 't-' || i
		FROM numbers CROSS JOIN subscription WHERE subscription.id = 1`,
}

// copyRows adds n - 1 copies of the first subscription.
func copyRows(ctx context.Context, e *engine, database string, first *billing.Subscription, n int) (err error) {
	if first.ID != 1 || *first.TenantID != 1 || first.AccountID != 1 {
		return errors.New("the first rows of a new database have other ids than 1")
	}
	db, err := e.raw(database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for i, text := range copied {
		args := []any{n}
		if i != 1 {
			args = append(args, crowdAccounts, "\x1f")
		}
		if _, err := db.ExecContext(ctx, text, args...); err != nil {
			return err
		}
	}
	if e.name == "postgres" { // as it would by itself a little later, in the middle of a measurement
		for _, text := range []string{"VACUUM (ANALYZE) tenant, webhook_stream, subscription", "CHECKPOINT"} {
			if _, err := db.ExecContext(ctx, text); err != nil {
				return err
			}
		}
	}
	return nil
}
