package main

import (
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing/subscription"
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
	// database is its address, if it was kept.
	database string
	clock    atomic.Pointer[time.Time]
	*service.Service
}

// at is the time in the crowd's world.
func (c *crowd) at() time.Time { return *c.clock.Load() }

// newCrowd makes a database with n subscriptions, each with a tenant of its
// own. The first is made by the service, the others are copies of its rows.
func (r *run) newCrowd(name string, n int) *crowd {
	say("seeding %s with %s subscriptions", r.engine.name, thousands(n))
	database := r.create(name)
	began := r.openCrowd(database, crowdBegan)
	shop := openShop(r.Context(), began.store, crowdAccounts)
	code, seats := priceListCode, 3
	first := must(began.Subscriptions.SubscriptionCreate(asClient(r.Context()), subscriptions.NewSubscription{
		Draft:     subscription.Draft{Evergreen: true, Quantities: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}},
		AccountID: &shop.accounts[0], PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: "T-1"},
	}))
	check(began.store.Close())
	r.copyRows(database, first, n)
	r.maintain(database)
	say("seeded")
	due := r.openCrowd(database, crowdDue)
	r.closing(due.store.Close)
	due.shop, due.database = shop, database
	return due
}

func (r *run) openCrowd(database string, at time.Time) *crowd {
	c := &crowd{}
	c.clock.Store(&at)
	c.store = must(store.Open(r.Context(), store.Options{URL: database, Now: c.at}))
	c.Service = operations(c.store)
	return c
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
	numbers + `INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
		SELECT 'TENANT', i, platform_id, 1, 1, 1, 1, 0, 0, 1, 1 FROM numbers CROSS JOIN tenant WHERE tenant.id = 1`,
	numbers + `INSERT INTO subscription (id, account_id, product_id, price_list_id, tenant_id, state, evergreen, renewal_term_months,
			start_date, end_date, term_start_date, anchor_day, charges, as_of, due_on, created_at, updated_at, search)
		SELECT i, account_id + i % $2, product_id, price_list_id, i, state, evergreen, renewal_term_months,
			start_date, end_date, term_start_date, anchor_day, charges, as_of, due_on, created_at, updated_at,
			'firm ' || (i % $2) || $3 || $3 || 't-' || i || $3 || 't-' || i
		FROM numbers CROSS JOIN subscription WHERE subscription.id = 1`,
}

// copyRows adds n - 1 copies of the first subscription.
func (r *run) copyRows(database string, first *subscription.Subscription, n int) {
	if first.ID != 1 || *first.TenantID != 1 || first.AccountID != 1 {
		r.Fatal("the first rows of a new database have other ids than 1")
	}
	db := must(r.engine.raw(database))
	defer db.Close()
	for i, text := range copied {
		args := []any{n}
		if i != 1 {
			args = append(args, crowdAccounts, "\x1f")
		}
		must(db.ExecContext(r.Context(), text, args...))
	}
	if r.engine.name == "postgres" { // as it would by itself a little later, in the middle of a measurement
		r.execute(db, "VACUUM (ANALYZE) tenant, webhook_stream, subscription", "CHECKPOINT")
	}
}
