package operation_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestInUse asks of every kind of thing whether it can be deleted, and then
// tries: both give the same answer.
func TestInUse(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		w.Sub(servicetest.ToPlan("pro-monthly", true)(w, s)) // from the next term on
		lonely, idle := w.Account("lonely"), w.Account("idle")
		vacant := w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("vacant", idle.ID), new("app"), nil))
		platform := func(code string) *webhook.Platform {
			return servicetest.Must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
				p.Code, p.Name = code, code
				return nil
			}, delivery.PlatformSecrets{}))
		}
		product := func(code string) *catalog.Product {
			return servicetest.Must[*catalog.Product](w)(w.Catalog.ProductCreate(w.Ctx, func(p *catalog.Product) error {
				p.Code, p.Name = code, code
				return nil
			}, nil))
		}
		unused, tenanted := platform("unused"), platform("tenanted")
		w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("there", idle.ID), &tenanted.Code, nil))
		empty, planned := product("empty"), product("planned")
		unpriced := w.AddPlan(planned.ID, "unpriced")
		payer := servicetest.Must[*billing.Account](w)(w.Customers.AccountCreate(w.Ctx, servicetest.Named("payer", nil), func(c *billing.Contact) error {
			c.FirstName = "Kim"
			return nil
		}))
		pays := servicetest.Must[*billing.Contact](w)(store.Contacts.Get(w.Ctx, w.Read(), *payer.BillingContactID))
		other := servicetest.Must[*billing.Contact](w)(w.Customers.ContactCreate(w.Ctx, func(c *billing.Contact) error {
			c.AccountID, c.FirstName = payer.ID, "Lee"
			return nil
		}))
		admin, viewer := w.User("ann@example.com", billing.Admin), w.User("bob@example.com", billing.Viewer)
		clock := w.NewClock("2026-01-01 00:00")

		for _, c := range []struct {
			what   string
			inUse  func() error
			remove func() error
			want   string // nothing if it can be deleted
		}{
			{"an account with a subscription", inUse(w, customers.Accounts, servicetest.Must[*billing.Account](w)(store.Accounts.Get(w.Ctx, w.Read(), s.AccountID))), func() error { return servicetest.ErrorOf(w.Customers.AccountDelete(w.Ctx, s.AccountID)) },
				"The account has 1 subscription and 1 tenant, which are kept for the record."},
			{"an account with tenants", inUse(w, customers.Accounts, idle), func() error { return servicetest.ErrorOf(w.Customers.AccountDelete(w.Ctx, idle.ID)) },
				"The account has 0 subscriptions and 2 tenants, which are kept for the record."},
			{"an account", inUse(w, customers.Accounts, lonely), func() error { return servicetest.ErrorOf(w.Customers.AccountDelete(w.Ctx, lonely.ID)) }, ""},
			{"a billing contact", inUse(w, customers.Contacts, pays), func() error { return servicetest.ErrorOf(w.Customers.ContactDelete(w.Ctx, pays.ID)) },
				"The contact is the billing contact of its account; choose another one first."},
			{"a contact", inUse(w, customers.Contacts, other), func() error { return servicetest.ErrorOf(w.Customers.ContactDelete(w.Ctx, other.ID)) }, ""},
			{"a platform with a product", inUse(w, delivery.Platforms, w.Platform), func() error { return servicetest.ErrorOf(w.Delivery.PlatformDelete(w.Ctx, w.Platform.ID)) },
				"The platform is used by 1 product, which must be moved or deleted first."},
			{"a platform with a tenant", inUse(w, delivery.Platforms, tenanted), func() error { return servicetest.ErrorOf(w.Delivery.PlatformDelete(w.Ctx, tenanted.ID)) },
				"The platform has 1 tenant, which must be deleted first."},
			{"a platform", inUse(w, delivery.Platforms, unused), func() error { return servicetest.ErrorOf(w.Delivery.PlatformDelete(w.Ctx, unused.ID)) }, ""},
			{"a product with plans and features", inUse(w, catalogs.Products, w.Product), func() error { return servicetest.ErrorOf(w.Catalog.ProductDelete(w.Ctx, w.Product.ID)) },
				"The product still has 2 plans and 3 features, which must be deleted first."},
			{"a product with a plan", inUse(w, catalogs.Products, planned), func() error { return servicetest.ErrorOf(w.Catalog.ProductDelete(w.Ctx, planned.ID)) },
				"The product still has 1 plan, which must be deleted first."},
			{"a product", inUse(w, catalogs.Products, empty), func() error { return servicetest.ErrorOf(w.Catalog.ProductDelete(w.Ctx, empty.ID)) }, ""},
			{"a feature with a price", inUse(w, catalogs.Features, w.Shop.Features["users"]), func() error { return servicetest.ErrorOf(w.Catalog.FeatureDelete(w.Ctx, w.Shop.Features["users"].ID)) },
				"The feature is priced by 4 charges, which must be deleted first."},
			{"a feature", inUse(w, catalogs.Features, w.Shop.Features["sso"]), func() error { return servicetest.ErrorOf(w.Catalog.FeatureDelete(w.Ctx, w.Shop.Features["sso"].ID)) }, ""},
			{"a plan with price lists", inUse(w, catalogs.Plans, w.Basic), func() error { return servicetest.ErrorOf(w.Catalog.PlanDelete(w.Ctx, w.Basic.ID)) },
				"The plan is priced by 2 price lists, which must be deleted first."},
			{"a plan", inUse(w, catalogs.Plans, unpriced), func() error { return servicetest.ErrorOf(w.Catalog.PlanDelete(w.Ctx, unpriced.ID)) }, ""},
			{"a price list that is sold", inUse(w, catalogs.PriceLists, w.Lists["basic-monthly"]), func() error {
				return servicetest.ErrorOf(w.Catalog.PriceListDelete(w.Ctx, w.Lists["basic-monthly"].ID))
			},
				"The price list is used by 1 subscription, and is kept for the record."},
			{"a price list that takes over", inUse(w, catalogs.PriceLists, w.Lists["pro-monthly"]), func() error { return servicetest.ErrorOf(w.Catalog.PriceListDelete(w.Ctx, w.Lists["pro-monthly"].ID)) },
				"The price list is used by 1 subscription, and is kept for the record."},
			{"a price list", inUse(w, catalogs.PriceLists, w.Lists["pro-quarter"]), func() error { return servicetest.ErrorOf(w.Catalog.PriceListDelete(w.Ctx, w.Lists["pro-quarter"].ID)) }, ""},
			{"a charge of a price list that takes over", inUse(w, catalogs.Charges, w.ChargeOf("pro-monthly", "seats")), func() error {
				return servicetest.ErrorOf(w.Catalog.ChargeDelete(w.Ctx, w.ChargeOf("pro-monthly", "seats").ID))
			},
				"The charge stays as long as changes of plan to its price list are scheduled, of subscription 1 (acme). Take them back first, or wait until they have happened."},
			{"a charge that is sold", inUse(w, catalogs.Charges, w.ChargeOf("basic-monthly", "seats")), func() error {
				return servicetest.ErrorOf(w.Catalog.ChargeDelete(w.Ctx, w.ChargeOf("basic-monthly", "seats").ID))
			}, ""},
			{"a tenant with a subscription", inUse(w, subscriptions.Tenants, servicetest.Must[*billing.Tenant](w)(store.Tenants.Get(w.Ctx, w.Read(), *s.TenantID))), func() error { return servicetest.ErrorOf(w.Subscriptions.TenantDelete(w.Ctx, *s.TenantID)) },
				"The tenant has 1 subscription, and is kept for the record."},
			{"a tenant", inUse(w, subscriptions.Tenants, vacant), func() error { return servicetest.ErrorOf(w.Subscriptions.TenantDelete(w.Ctx, vacant.ID)) }, ""},
			{"the last admin", inUse(w, access.Users, admin), func() error { return servicetest.ErrorOf(w.Access.UserDelete(w.Ctx, admin.ID)) },
				"This is the last admin who can sign in; make another user an admin first."},
			{"a user", inUse(w, access.Users, viewer), func() error { return servicetest.ErrorOf(w.Access.UserDelete(w.Ctx, viewer.ID)) }, ""},
			{"what is never in use", inUse(w, subscriptions.TestClocks, clock), func() error { return servicetest.ErrorOf(w.Subscriptions.TestClockDelete(w.Ctx, clock.ID)) }, ""},
		} {
			w.Equal(c.what, said(c.inUse()), c.want)
			w.Equal("deleting "+c.what, said(c.remove()), c.want)
		}
	})
}

// inUse asks why a row cannot be deleted.
func inUse[T any, K ~int64](w *servicetest.World, r operation.Resource[T, K], row *T) func() error {
	return func() error {
		if r.InUse == nil {
			return nil
		}
		return r.InUse(w.Ctx, w.Read(), row)
	}
}

// TestInUseByMany does not count all of them.
func TestInUseByMany(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		account := w.Account("acme")
		w.Damage(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			INSERT INTO tenant (id, platform_id, account_id, code, name, search, created_at, updated_at)
			SELECT 1000 + i, $1, $2, 't-' || i, 'T', '', 0, 0 FROM n`, int64(w.Platform.ID), int64(account.ID))
		w.Equal("a thousand", said(inUse(w, customers.Accounts, account)()), "The account has 0 subscriptions and 1000 tenants, which are kept for the record.")
		w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant("more", account.ID), new("app"), nil))
		w.Equal("more", said(inUse(w, customers.Accounts, account)()), "The account has 0 subscriptions and more than 1,000 tenants, which are kept for the record.")
	})
}

// said is what an error says, or nothing.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
