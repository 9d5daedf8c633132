package subscriptions

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// Tenants is what changing tenants has in common.
var Tenants = operation.Resource[billing.Tenant, billing.TenantID]{
	Name: "tenant", Words: "tenant", Table: store.Tenants,
	Check: func(ctx context.Context, tx *store.Tx, before, t *billing.Tenant) (billing.Problems, error) {
		problems := t.Check()
		if before != nil {
			problems = append(problems, operation.Fixed("accountId", "A tenant stays with its account", before.AccountID, t.AccountID)...)
			return append(problems, operation.Fixed("platformId", "A tenant stays on its platform", before.PlatformID, t.PlatformID)...), nil
		}
		for _, err := range []error{
			exists(ctx, tx, store.Accounts, "accountId", "account", t.AccountID),
			exists(ctx, tx, store.Platforms, "platformId", "platform", t.PlatformID),
		} {
			missing, known := billing.AsProblems(err)
			if err != nil && !known {
				return nil, err
			}
			problems = append(problems, missing...)
		}
		return problems, nil
	},
	InUse: func(ctx context.Context, q store.Queries, t *billing.Tenant) error {
		n, err := store.SubscriptionsOfTenant(ctx, q, t.ID)
		if err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The tenant has %s, and is kept for the record.", operation.Counted(n, "subscription", "subscriptions"))
		}
		return err
	},
	Release: func(ctx context.Context, tx *store.Tx, t *billing.Tenant) error {
		return outbox.DeleteEventsOf(ctx, tx, t.ID)
	},
	Taken: func(t *billing.Tenant) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another tenant of the platform has the code %q.", t.Code)
	},
}

// exists returns a problem if a caller's reference names nothing.
func exists[T any, K ~int64](ctx context.Context, tx *store.Tx, table *store.Table[T, K], field, words string, id K) error {
	if id == 0 {
		return billing.Fail(billing.Required, field, "Give %s.", field)
	}
	_, err := operation.Find(ctx, tx, table, field, words, id)
	return err
}

// TenantCreate adds a tenant. If subscription is not nil, it moves to the new
// tenant.
func (s *Service) TenantCreate(ctx context.Context, edit func(*billing.Tenant) error, platformCode *string, subscriptionID *billing.SubscriptionID) (*billing.Tenant, error) {
	defer s.Wake()
	full := func(t *billing.Tenant) error {
		err := edit(t)
		if t.Name == "" {
			t.Name = t.Code
		}
		return err
	}
	return Tenants.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Tenant, error) {
		var row billing.Tenant
		if platformCode != nil {
			platform, err := store.Platforms.ByCode(ctx, tx.Queries, *platformCode)
			if err != nil {
				return nil, err
			}
			if platform == nil {
				return nil, billing.Fail(billing.NotFound, "platformCode", "There is no platform with the code %q.", *platformCode)
			}
			row.PlatformID = platform.ID
		}
		if subscriptionID == nil {
			return Tenants.Insert(ctx, tx, row, full)
		}
		account, err := lockAccountOf(ctx, tx, "subscriptionId", *subscriptionID)
		if err != nil {
			return nil, err
		}
		row.AccountID = account.ID // unless the caller names another, which is refused
		t, err := Tenants.Insert(ctx, tx, row, full)
		if err != nil {
			return nil, err
		}
		_, err = s.lockAndChange(ctx, tx, moving("subscriptionId", *subscriptionID,
			func(context.Context, *store.Tx, *billing.Account, *subscription.Subscription) (*billing.Tenant, error) {
				return t, nil
			}))
		return t, err
	})
}

// lockTenant takes all that a change of a tenant reaches, in the order that
// package service keeps. With the account, no subscription comes or goes; with
// its subscriptions, what they are found by stays right.
func lockTenant(ctx context.Context, tx *store.Tx, id billing.TenantID) (subscriptions int, err error) {
	t, err := store.Tenants.Get(ctx, tx.Queries, id)
	if err != nil {
		return 0, err
	}
	if t == nil {
		return 0, billing.Missing("id", Tenants.Words, id)
	}
	if _, err := store.Accounts.Lock(ctx, tx, t.AccountID); err != nil {
		return 0, err
	}
	if subscriptions, err = store.LockSubscriptionsOfTenant(ctx, tx, id); err != nil {
		return 0, err
	}
	return subscriptions, outbox.LockStream(ctx, tx, id)
}

// TenantUpdate renames a tenant; its application is told.
func (s *Service) TenantUpdate(ctx context.Context, id billing.TenantID, edit func(*billing.Tenant) error) (*billing.Tenant, error) {
	defer s.Wake()
	return Tenants.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Tenant, error) {
		subscriptions, err := lockTenant(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		var before billing.Tenant
		remember := func(t *billing.Tenant) error {
			before = *t
			return edit(t)
		}
		return Tenants.UpdateIn(ctx, tx, id, remember, func(ctx context.Context, tx *store.Tx, t *billing.Tenant) error {
			if subscriptions == 0 || t.Name == before.Name && t.Code == before.Code {
				return nil
			}
			return provisioning.RecordEvents(ctx, tx, []billing.TenantID{t.ID}, subscription.KindTenantChanged)
		})
	})
}

// TenantDelete removes a tenant that has no subscriptions.
func (s *Service) TenantDelete(ctx context.Context, id billing.TenantID) (*billing.Tenant, error) {
	return Tenants.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Tenant, error) {
		// What is kept of its drift goes with it. Whoever repairs locks that before streams.
		if _, err := store.LockDrift(ctx, tx, []billing.TenantID{id}); err != nil {
			return nil, err
		}
		if _, err := lockTenant(ctx, tx, id); err != nil {
			return nil, err
		}
		return Tenants.DeleteIn(ctx, tx, id)
	})
}

// TenantMetrics is what an application reports about a tenant; nil leaves a
// value as it is.
type TenantMetrics struct {
	LastLogin          *time.Time
	UserCount          *int
	UtilizationMetrics json.RawMessage
}

// TenantMetricsUpdate keeps what an application reports about a tenant.
func (s *Service) TenantMetricsUpdate(ctx context.Context, code string, platformCode *string, m TenantMetrics) (*billing.Tenant, error) {
	tenant, err := s.TenantNamed(ctx, code, platformCode)
	if err != nil {
		return nil, err
	}
	reported := Tenants
	reported.Action = "tenantMetricsUpdate"
	return reported.Update(ctx, s.Runner, tenant.ID, func(t *billing.Tenant) error {
		if m.LastLogin != nil {
			t.LastLogin = m.LastLogin
		}
		if m.UserCount != nil {
			t.UserCount = m.UserCount
		}
		if m.UtilizationMetrics != nil {
			t.UtilizationMetrics = m.UtilizationMetrics
		}
		return nil
	})
}

// TenantNamed returns the tenant with a code, which must be of one platform
// only if none is named.
func (s *Service) TenantNamed(ctx context.Context, code string, platformCode *string) (*billing.Tenant, error) {
	missing := billing.Fail(billing.NotFound, "code", "There is no tenant with the code %q.", code)
	if !billing.IsCode(code) {
		return nil, missing // and is not asked for: PostgreSQL takes no text with NUL in it
	}
	if platformCode == nil {
		found, err := store.TenantsByBareCode(ctx, s.Read(), code)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			return nil, missing
		case len(found) > 1:
			return nil, billing.Fail(billing.Invalid, "platformCode", "Several platforms have a tenant %q; give platformCode.", code)
		}
		return &found[0], nil
	}
	var platform *webhook.Platform
	var err error
	if billing.IsCode(*platformCode) {
		if platform, err = store.Platforms.ByCode(ctx, s.Read(), *platformCode); err != nil {
			return nil, err
		}
	}
	if platform == nil {
		return nil, billing.Fail(billing.NotFound, "platformCode", "There is no platform with the code %q.", *platformCode)
	}
	tenant, err := store.TenantByCode(ctx, s.Read(), platform.ID, code)
	if err == nil && tenant == nil {
		err = missing
	}
	return tenant, err
}

// SubscriptionTenantUpdate moves a subscription to another tenant of its account
// and platform, found by its code or made. Both tenants are told.
func (s *Service) SubscriptionTenantUpdate(ctx context.Context, id billing.SubscriptionID, ref TenantRef) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, moving("id", id,
		func(ctx context.Context, tx *store.Tx, account *billing.Account, sub *subscription.Subscription) (*billing.Tenant, error) {
			tenant, err := tenantFor(ctx, tx, sub.ProductID, account, ref)
			return tenant, operation.RenameField(operation.RenameField(err, "tenantCode", "code"), "tenantName", "name")
		})))
}

// lockAccountOf locks the account of a subscription that a caller named.
func lockAccountOf(ctx context.Context, tx *store.Tx, field string, id billing.SubscriptionID) (*billing.Account, error) {
	owner, found, err := store.AccountOfSubscription(ctx, tx.Queries, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, billing.Missing(field, "subscription", id)
	}
	account, err := store.Accounts.Lock(ctx, tx, owner)
	if err == nil && account == nil { // deleted meanwhile, with all it owned
		err = billing.Missing(field, "subscription", id)
	}
	return account, err
}

// moving is the action of putting a subscription on the tenant that target
// finds or makes.
func moving(field string, id billing.SubscriptionID,
	target func(ctx context.Context, tx *store.Tx, account *billing.Account, sub *subscription.Subscription) (*billing.Tenant, error),
) action {
	var account *billing.Account
	var to *billing.Tenant
	return action{
		name: "subscriptionTenantUpdate", field: field, ids: []billing.SubscriptionID{id},
		first: func(ctx context.Context, tx *store.Tx) (err error) {
			account, err = lockAccountOf(ctx, tx, field, id)
			return err
		},
		prepare: func(ctx context.Context, tx *store.Tx, subs []*subscription.Subscription) (billing.TenantID, error) {
			var err error
			if to, err = target(ctx, tx, account, subs[0]); err != nil {
				return 0, err
			}
			return to.ID, nil
		},
		decide: func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return moveTo(ctx, tx, to, sub, cal)
		},
	}
}

// moveTo puts a subscription on a tenant. The tenant it leaves is told here; the
// one it joins is told when the change is saved.
func moveTo(ctx context.Context, tx *store.Tx, to *billing.Tenant, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
	var none subscription.Change
	if to.AccountID != sub.AccountID {
		return sub, none, billing.Fail(billing.Invalid, "subscriptionId", "The subscription belongs to another account than the tenant.")
	}
	if err := samePlatform(ctx, tx, sub.ProductID, to.PlatformID); err != nil {
		return sub, none, err
	}
	moved, change, err := sub.MoveTo(to.ID)
	if err != nil || !change.Happened() || sub.TenantID == nil {
		return moved, change, err
	}
	if err := store.Subscriptions.Update(ctx, tx, &moved); err != nil {
		return sub, none, err
	}
	return moved, change, provisioning.RecordEvent(ctx, tx, *sub.TenantID, subscription.KindTenantChanged, cal.Today)
}

func samePlatform(ctx context.Context, tx *store.Tx, product billing.ProductID, platform billing.PlatformID) error {
	p, err := heldProduct(ctx, tx, "subscriptionId", product)
	if err == nil && (p.PlatformID == nil || *p.PlatformID != platform) {
		err = billing.Fail(billing.Invalid, "subscriptionId", "The subscription's product is not on the tenant's platform.")
	}
	return err
}
