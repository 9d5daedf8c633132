package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testLive reads the live subscriptions of the tenants that have one to a product.
func testLive(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var one, two offered
	var both *billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, platform := m.account("acme").ID, m.platform().ID
		one, two = m.offer(), m.offer()
		both = m.tenant(platform, account)
		other, gone := m.tenant(platform, account), m.tenant(platform, account)
		m.subscription(account, one, forTenant(both.ID))
		m.subscription(account, two, forTenant(other.ID))
		m.subscription(account, two, forTenant(both.ID), inState(subscription.StateTrial))
		m.subscription(account, one, forTenant(gone.ID), inState(subscription.StateCanceled))
		m.subscription(account, one)
	})
	var found []string
	must(store.EachLive(t.Context(), s.Queries(), one.product, func(l *store.LiveSubscription) error {
		found = append(found, fmt.Sprint(l.TenantCode, " ", l.Subscription.PriceListID, " ", l.Subscription.State, " ", l.Users, " ", l.TestClockID == nil))
		return nil
	}))
	same(t, "live", found, []string{fmt.Sprint(both.Code, " ", one.list, " ACTIVE 0 true"), fmt.Sprint(both.Code, " ", two.list, " TRIAL 0 true")})
	shapes, err := store.LiveShapes(t.Context(), s.Queries(), one.product)
	must(err)
	same(t, "shapes", len(shapes), 1)
	shape := shapes[0]
	same(t, "a shape", fmt.Sprint(shape.Tenants, shape.ToProduct, shape.Subscriptions[0].PriceListID, shape.Subscriptions[1].PriceListID, shape.Subscriptions[1].Standing),
		fmt.Sprint(1, 1, one.list, two.list, "GOOD"))
	largest, err := store.LargestTenants(t.Context(), s.Queries(), []billing.PriceListID{one.list}, 5)
	must(err)
	same(t, "the largest", fmt.Sprint(len(largest), largest[0].ID, largest[0].Code), fmt.Sprint(1, both.ID, both.Code))
}

// testBilledTo adds up what accounts were billed, without drafts.
func testBilledTo(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ids []billing.AccountID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ids = []billing.AccountID{m.account("acme").ID, m.account("zenith").ID, m.account("other").ID}
		m.invoice(ids[0])
		m.invoice(ids[0], draft)
		m.creditNote(ids[0])
		m.invoice(ids[1])
		m.invoice(ids[2])
	})
	sums, err := store.BilledTo(t.Context(), s.Queries(), ids[:2])
	must(err)
	same(t, "billed", sums, map[string]money.Amount{"EUR": 1500})
}
