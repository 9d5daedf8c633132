package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFewAreLookedUp reads a few rows of a table that is neither small nor
// large: PostgreSQL once read all of it, because it took a list of ids for a
// long one.
func TestFewAreLookedUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			for range 4000 {
				m.account("An account with a name of some length")
			}
		})
		analyze(t, s)
		p := plan{
			name: "a few of some thousand", sqlite: "SEARCH account USING INTEGER PRIMARY KEY (rowid=?)", postgres: "Index Scan using account_pkey; ! Seq Scan on account",
			ask: func(ctx context.Context, q store.Queries) error {
				_, err := store.Accounts.ByIDs(ctx, q, []billing.AccountID{7, 77, 777})
				return err
			},
		}
		if problem := p.check(t, s); problem != "" {
			t.Error(problem)
		}
	})
}

// TestRareReferences looks for the few subscriptions on one price list where
// nearly all are on another, and for a tenant by its code: PostgreSQL once went
// through all of them, because it did not know whose subscriptions it looked
// for, and had no index on the code alone.
func TestRareReferences(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var rare *catalog.PriceList
		var tenant *billing.Tenant
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			account, platform, o := m.account("A").ID, m.platform().ID, m.offer()
			rare = m.priceList(o.plan)
			m.subscription(account, offered{o.product, o.plan, rare.ID})
			for range 4000 {
				tenant = m.tenant(platform, account)
				m.subscription(account, o, forTenant(tenant.ID))
			}
		})
		analyze(t, s)
		for _, p := range []plan{
			{"a rare price list", subscriptionsOf(term("priceList", rare.Code)), "SEARCH subscription USING INDEX subscription_price_list (price_list_id=?)" + notSorted,
				"Index Scan using subscription_price_list; ! subscription_pkey"},
			{"a tenant's subscriptions", subscriptionsOf(term("tenant", tenant.Code)), "SEARCH tenant USING COVERING INDEX tenant_code (platform_id=? AND code=?); SEARCH subscription USING INDEX subscription_tenant (tenant_id=?)",
				"((platform_id = platform.id) AND (code = ; Index Scan using subscription_tenant; ! Seq Scan on tenant"},
			{"a tenant's code", func(ctx context.Context, q store.Queries) error {
				_, err := store.Tenants.List(ctx, q, store.Page{Filter: term("code", tenant.Code), Limit: 51})
				return err
			}, "SEARCH tenant USING INDEX tenant_code (platform_id=? AND code=?)", "((platform_id = platform.id) AND (code = ; ! Seq Scan on tenant"},
			{"a bare code", func(ctx context.Context, q store.Queries) error {
				_, err := store.TenantsByBareCode(ctx, q, tenant.Code)
				return err
			}, "SEARCH tenant USING INDEX tenant_code (platform_id=? AND code=?)", "((platform_id = platform.id) AND (code = ; ! Seq Scan on tenant"},
		} {
			if problem := p.check(t, s); problem != "" {
				t.Error(problem)
			}
		}
	})
}

func subscriptionsOf(filter billing.Filter) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		_, err := store.Subscriptions.List(ctx, q, store.Page{Filter: filter, Backwards: true, Limit: 51})
		return err
	}
}
