package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testTenants(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other, empty billing.PlatformID
	var ann, bob, none billing.AccountID
	var a, b, twin, third *billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other, empty = m.platform().ID, m.platform().ID, m.platform().ID
		none, bob, ann = m.account("None").ID, m.account("Bob").ID, m.account("Ann").ID
		a, b, twin, third = m.tenant(p, ann), m.tenant(p, bob), m.tenant(other, ann), m.tenant(empty, none)
		twin.Code, third.Code = b.Code, b.Code
		must(store.Tenants.Update(ctx, tx, twin))
		must(store.Tenants.Update(ctx, tx, third))
	})
	tenant, tenants, number := got[*billing.Tenant](t), got[[]billing.Tenant](t), got[int](t)
	same(t, "TenantByCode", tenant(store.TenantByCode(ctx, q, other, b.Code)), twin)
	same(t, "TenantByCode of another platform", tenant(store.TenantByCode(ctx, q, other, a.Code)), (*billing.Tenant)(nil))
	same(t, "TenantsByBareCode", tenants(store.TenantsByBareCode(ctx, q, a.Code)), []billing.Tenant{*a})
	same(t, "TenantsByBareCode of three", tenants(store.TenantsByBareCode(ctx, q, b.Code)), []billing.Tenant{*b, *twin})
	same(t, "TenantsByBareCode of none", tenants(store.TenantsByBareCode(ctx, q, "none")), []billing.Tenant{})
	codes := map[billing.TenantID]string{}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.TenantCodes(ctx, tx.Queries, nil, codes))
		must(store.TenantCodes(ctx, tx.Queries, []billing.TenantID{twin.ID, a.ID, 1 << 40}, codes))
		same(t, "another statement", number(store.TenantsOnPlatform(ctx, tx.Queries, p)), 2)
		same(t, "TenantCodes, in time", codes, map[billing.TenantID]string{a.ID: a.Code, twin.ID: twin.Code})
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.Tenants.Delete(ctx, tx, third)) })
	same(t, "tenants of accounts", tenants(store.ChildrenOf(ctx, q, store.Tenants, "accountId", []billing.AccountID{none, ann}, billing.Filter{})), []billing.Tenant{*a, *twin})
	same(t, "tenants of accounts of none", tenants(store.ChildrenOf(ctx, q, store.Tenants, "accountId", []billing.AccountID(nil), billing.Filter{})), []billing.Tenant{})
	same(t, "tenants of platforms", tenants(store.ChildrenOf(ctx, q, store.Tenants, "platformId", []billing.PlatformID{empty, p}, billing.Filter{})), []billing.Tenant{*a, *b})
	same(t, "TenantsOnPlatform", number(store.TenantsOnPlatform(ctx, q, p)), 2)
	same(t, "TenantsOnPlatform of an empty one", number(store.TenantsOnPlatform(ctx, q, empty)), 0)
	same(t, "TenantsOfAccount", number(store.TenantsOfAccount(ctx, q, ann)), 2)
	same(t, "TenantsOfAccount of none", number(store.TenantsOfAccount(ctx, q, none)), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for range store.MostCounted + 2 {
			maker{ctx, tx}.tenant(empty, none)
		}
	})
	same(t, "TenantsOnPlatform of more", number(store.TenantsOnPlatform(ctx, q, empty)), store.MostCounted+1)
	same(t, "TenantsOfAccount of more", number(store.TenantsOfAccount(ctx, q, none)), store.MostCounted+1)
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		copied := *a
		must(store.Tenants.Insert(ctx, tx, &copied))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a second tenant of one code: %v, want a duplicate", err)
	}
}

func testLiveTenants(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, empty billing.PlatformID
	var sold, other offered
	var ids []billing.TenantID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, empty, sold, other = m.platform().ID, m.platform().ID, m.offer(), m.offer()
		account := m.account("A").ID
		ids = nil
		for range 5 {
			ids = append(ids, m.tenant(p, account).ID)
		}
		m.subscription(account, sold, forTenant(ids[2]), inState(subscription.StateTrial))
		m.subscription(account, sold, forTenant(ids[0]))
		m.subscription(account, sold, forTenant(ids[0])) // twice, which counts once
		m.subscription(account, sold, forTenant(ids[1]), inState(subscription.StateCanceled))
		m.subscription(account, sold, forTenant(ids[1]), inState(subscription.StatePending))
		m.subscription(account, other, forTenant(ids[3]))
		m.subscription(account, sold, forTenant(ids[4]))
		m.subscription(account, sold) // of no tenant
		m.subscription(account, other, forTenant(m.tenant(m.platform().ID, account).ID))
	})
	list, number := got[[]billing.TenantID](t), got[int](t)
	type tenants = []billing.TenantID
	same(t, "LiveTenants", list(store.LiveTenants(ctx, q, sold.product, 0, 10)), tenants{ids[0], ids[2], ids[4]})
	same(t, "LiveTenants, first page", list(store.LiveTenants(ctx, q, sold.product, 0, 2)), tenants{ids[0], ids[2]})
	same(t, "LiveTenants, second page", list(store.LiveTenants(ctx, q, sold.product, ids[2], 2)), tenants{ids[4]})
	same(t, "LiveTenants, after the last", list(store.LiveTenants(ctx, q, sold.product, ids[4], 2)), tenants(nil))
	same(t, "TenantsToTell", list(store.TenantsToTell(ctx, q, p, 0, 10)), tenants{ids[0], ids[2], ids[3], ids[4]})
	same(t, "TenantsToTell, second page", list(store.TenantsToTell(ctx, q, p, ids[0], 2)), tenants{ids[2], ids[3]})
	same(t, "TenantsToTell of an empty one", list(store.TenantsToTell(ctx, q, empty, 0, 10)), tenants(nil))
	same(t, "CountLiveTenants", number(store.CountLiveTenants(ctx, q, sold.product)), 3)
	same(t, "CountLiveTenants of no product", number(store.CountLiveTenants(ctx, q, 1<<40)), 0)
	same(t, "AmongToTell", list(store.AmongToTell(ctx, q, tenants{ids[3], ids[1], ids[0]})), tenants{ids[0], ids[3]})
	same(t, "CountTenantsToTell", number(store.CountTenantsToTell(ctx, q, p)), 4)
	same(t, "CountTenantsToTell of an empty one", number(store.CountTenantsToTell(ctx, q, empty)), 0)
}

// testReach counts the tenants that changes of a plan and of a product reach.
func testReach(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var sold, other offered
	var second billing.PlanID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, account := m.platform().ID, m.account("A").ID
		sold, other = m.offer(), m.offer()
		dearer := sold
		second = m.plan(sold.product).ID
		dearer.list = m.priceList(second).ID
		again := sold
		again.list = m.priceList(sold.plan).ID
		a, b, c := m.tenant(p, account).ID, m.tenant(p, account).ID, m.tenant(p, account).ID
		m.subscription(account, sold, forTenant(a))
		m.subscription(account, again, forTenant(a)) // twice on the plan, which counts once
		m.subscription(account, again, forTenant(b), inState(subscription.StateTrial))
		m.subscription(account, dearer, forTenant(b))
		m.subscription(account, dearer, forTenant(c), inState(subscription.StateCanceled))
		m.subscription(account, sold) // of no tenant
		m.subscription(account, other, forTenant(c))
	})
	reach, product := got[map[billing.PlanID]store.Reach](t), got[store.Reach](t)
	same(t, "plans", reach(store.ReachOfPlans(ctx, q, []billing.PlanID{sold.plan, second})), map[billing.PlanID]store.Reach{sold.plan: {Tenants: 2}, second: {Tenants: 1}})
	same(t, "no plans", reach(store.ReachOfPlans(ctx, q, nil)), map[billing.PlanID]store.Reach{})
	same(t, "a product", product(store.ReachOfProduct(ctx, q, sold.product)), store.Reach{Tenants: 2})
	same(t, "no product", product(store.ReachOfProduct(ctx, q, 1<<40)), store.Reach{})
}
