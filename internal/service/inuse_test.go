package service_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/access"
	catalogs "github.com/tenantry/tenantry/internal/service/catalog"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestInUse asks of every kind of thing whether it can be deleted, and then
// tries: both give the same answer.
func TestInUse(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		w.sub(toPlan("pro-monthly", true)(w, s)) // from the next term on
		lonely, idle := w.account("lonely"), w.account("idle")
		vacant := w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("vacant", idle.ID), ptr("app"), nil))
		platform := func(code string) *webhook.Platform {
			return must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
				p.Code, p.Name = code, code
				return nil
			}, delivery.PlatformSecrets{}))
		}
		product := func(code string) *catalog.Product {
			return must[*catalog.Product](w)(w.Catalog.ProductCreate(w.ctx, func(p *catalog.Product) error {
				p.Code, p.Name = code, code
				return nil
			}, nil))
		}
		unused, tenanted := platform("unused"), platform("tenanted")
		w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("there", idle.ID), &tenanted.Code, nil))
		empty, planned := product("empty"), product("planned")
		unpriced := w.addPlan(planned.ID, "unpriced")
		payer := must[*billing.Account](w)(w.Customers.AccountCreate(w.ctx, named("payer", nil), func(c *billing.Contact) error {
			c.FirstName = "Kim"
			return nil
		}))
		pays := must[*billing.Contact](w)(store.Contacts.Get(w.ctx, w.Read(), *payer.BillingContactID))
		other := must[*billing.Contact](w)(w.Customers.ContactCreate(w.ctx, func(c *billing.Contact) error {
			c.AccountID, c.FirstName = payer.ID, "Lee"
			return nil
		}))
		admin, viewer := w.user("ann@example.com", billing.Admin), w.user("bob@example.com", billing.Viewer)
		clock := w.newClock("2026-01-01 00:00")

		for _, c := range []struct {
			what   string
			inUse  func() error
			remove func() error
			want   string // nothing if it can be deleted
		}{
			{"an account with a subscription", inUse(w, customers.Accounts, must[*billing.Account](w)(store.Accounts.Get(w.ctx, w.Read(), s.AccountID))), func() error { return second(w.Customers.AccountDelete(w.ctx, s.AccountID)) },
				"The account has 1 subscription and 1 tenant, which are kept for the record."},
			{"an account with tenants", inUse(w, customers.Accounts, idle), func() error { return second(w.Customers.AccountDelete(w.ctx, idle.ID)) },
				"The account has 0 subscriptions and 2 tenants, which are kept for the record."},
			{"an account", inUse(w, customers.Accounts, lonely), func() error { return second(w.Customers.AccountDelete(w.ctx, lonely.ID)) }, ""},
			{"a billing contact", inUse(w, customers.Contacts, pays), func() error { return second(w.Customers.ContactDelete(w.ctx, pays.ID)) },
				"The contact is the billing contact of its account; choose another one first."},
			{"a contact", inUse(w, customers.Contacts, other), func() error { return second(w.Customers.ContactDelete(w.ctx, other.ID)) }, ""},
			{"a platform with a product", inUse(w, delivery.Platforms, w.platform), func() error { return second(w.Delivery.PlatformDelete(w.ctx, w.platform.ID)) },
				"The platform is used by 1 product, which must be moved or deleted first."},
			{"a platform with a tenant", inUse(w, delivery.Platforms, tenanted), func() error { return second(w.Delivery.PlatformDelete(w.ctx, tenanted.ID)) },
				"The platform has 1 tenant, which must be deleted first."},
			{"a platform", inUse(w, delivery.Platforms, unused), func() error { return second(w.Delivery.PlatformDelete(w.ctx, unused.ID)) }, ""},
			{"a product with plans and features", inUse(w, catalogs.Products, w.product), func() error { return second(w.Catalog.ProductDelete(w.ctx, w.product.ID)) },
				"The product still has 2 plans and 3 features, which must be deleted first."},
			{"a product with a plan", inUse(w, catalogs.Products, planned), func() error { return second(w.Catalog.ProductDelete(w.ctx, planned.ID)) },
				"The product still has 1 plan, which must be deleted first."},
			{"a product", inUse(w, catalogs.Products, empty), func() error { return second(w.Catalog.ProductDelete(w.ctx, empty.ID)) }, ""},
			{"a feature with a price", inUse(w, catalogs.Features, w.shop.features["users"]), func() error { return second(w.Catalog.FeatureDelete(w.ctx, w.shop.features["users"].ID)) },
				"The feature is priced by 4 charges, which must be deleted first."},
			{"a feature", inUse(w, catalogs.Features, w.shop.features["sso"]), func() error { return second(w.Catalog.FeatureDelete(w.ctx, w.shop.features["sso"].ID)) }, ""},
			{"a plan with price lists", inUse(w, catalogs.Plans, w.basic), func() error { return second(w.Catalog.PlanDelete(w.ctx, w.basic.ID)) },
				"The plan is priced by 2 price lists, which must be deleted first."},
			{"a plan", inUse(w, catalogs.Plans, unpriced), func() error { return second(w.Catalog.PlanDelete(w.ctx, unpriced.ID)) }, ""},
			{"a price list that is sold", inUse(w, catalogs.PriceLists, w.lists["basic-monthly"]), func() error { return second(w.Catalog.PriceListDelete(w.ctx, w.lists["basic-monthly"].ID)) },
				"The price list is used by 1 subscription, and is kept for the record."},
			{"a price list that takes over", inUse(w, catalogs.PriceLists, w.lists["pro-monthly"]), func() error { return second(w.Catalog.PriceListDelete(w.ctx, w.lists["pro-monthly"].ID)) },
				"The price list is used by 1 subscription, and is kept for the record."},
			{"a price list", inUse(w, catalogs.PriceLists, w.lists["pro-quarter"]), func() error { return second(w.Catalog.PriceListDelete(w.ctx, w.lists["pro-quarter"].ID)) }, ""},
			{"a charge of a price list that takes over", inUse(w, catalogs.Charges, w.chargeOf("pro-monthly", "seats")), func() error { return second(w.Catalog.ChargeDelete(w.ctx, w.chargeOf("pro-monthly", "seats").ID)) },
				"The charge stays as long as changes of plan to its price list are scheduled, of subscription 1 (acme). Take them back first, or wait until they have happened."},
			{"a charge that is sold", inUse(w, catalogs.Charges, w.chargeOf("basic-monthly", "seats")), func() error { return second(w.Catalog.ChargeDelete(w.ctx, w.chargeOf("basic-monthly", "seats").ID)) }, ""},
			{"a tenant with a subscription", inUse(w, subscriptions.Tenants, must[*billing.Tenant](w)(store.Tenants.Get(w.ctx, w.Read(), *s.TenantID))), func() error { return second(w.Subscriptions.TenantDelete(w.ctx, *s.TenantID)) },
				"The tenant has 1 subscription, and is kept for the record."},
			{"a tenant", inUse(w, subscriptions.Tenants, vacant), func() error { return second(w.Subscriptions.TenantDelete(w.ctx, vacant.ID)) }, ""},
			{"the last admin", inUse(w, access.Users, admin), func() error { return second(w.Access.UserDelete(w.ctx, admin.ID)) },
				"This is the last admin who can sign in; make another user an admin first."},
			{"a user", inUse(w, access.Users, viewer), func() error { return second(w.Access.UserDelete(w.ctx, viewer.ID)) }, ""},
			{"what is never in use", inUse(w, subscriptions.TestClocks, clock), func() error { return second(w.Subscriptions.TestClockDelete(w.ctx, clock.ID)) }, ""},
		} {
			w.same(c.what, said(c.inUse()), c.want)
			w.same("deleting "+c.what, said(c.remove()), c.want)
		}
	})
}

// inUse asks why a row cannot be deleted.
func inUse[T any, K ~int64](w *world, r operation.Resource[T, K], row *T) func() error {
	return func() error {
		if r.InUse == nil {
			return nil
		}
		return r.InUse(w.ctx, w.Read(), row)
	}
}

// TestInUseByMany does not count all of them.
func TestInUseByMany(t *testing.T) {
	each(t, func(w *world) {
		account := w.account("acme")
		w.damage(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			INSERT INTO tenant (id, platform_id, account_id, code, name, search, created_at, updated_at)
			SELECT 1000 + i, $1, $2, 't-' || i, 'T', '', 0, 0 FROM n`, int64(w.platform.ID), int64(account.ID))
		w.same("a thousand", said(inUse(w, customers.Accounts, account)()), "The account has 0 subscriptions and 1000 tenants, which are kept for the record.")
		w.tenant(w.Subscriptions.TenantCreate(w.ctx, w.newTenant("more", account.ID), ptr("app"), nil))
		w.same("more", said(inUse(w, customers.Accounts, account)()), "The account has 0 subscriptions and more than 1,000 tenants, which are kept for the record.")
	})
}

// chargeOf is a charge of a price list of the shop, made up if it is gone.
func (w *world) chargeOf(list, code string) *catalog.Charge {
	w.t.Helper()
	c := must[*catalog.Charge](w)(store.ChargeByCode(w.ctx, w.Read(), w.lists[list].ID, code))
	if c == nil {
		c = &catalog.Charge{}
	}
	return c
}

// said is what an error says, or nothing.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
