package subscriptions

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// NewSubscription is what a caller asks for in a new subscription.
type NewSubscription struct {
	Draft subscription.Draft
	// The account, by id, by code, or a new one.
	AccountID   *billing.AccountID
	AccountCode *string
	Account     *NewAccount
	PriceList   PriceListRef
	// TrialAgain allows a trial to an account that has had one of the product.
	TrialAgain bool
	// Tenant is nil for a subscription without one.
	Tenant *TenantRef
}

// NewAccount describes an account that is made with its first subscription.
type NewAccount struct {
	Edit           func(*billing.Account) error
	BillingContact func(*billing.Contact) error
}

// TenantRef names a tenant by its code; it is made if the platform has none.
type TenantRef struct {
	Code string
	Name *string
	// Nested says that a caller who makes a subscription wrote tenant: {code,
	// name} and not tenantCode and tenantName; problems name what was written.
	Nested bool
}

// asWritten names the fields of a tenant as the caller wrote them.
func (r TenantRef) asWritten(err error) error {
	if !r.Nested {
		return err
	}
	return operation.RenameField(operation.RenameField(err, "tenantCode", "tenant.code"), "tenantName", "tenant.name")
}

// SubscriptionCreate makes a subscription, with a new account and a new tenant
// if asked for, all or nothing.
func (s *Service) SubscriptionCreate(ctx context.Context, n NewSubscription) (*subscription.Subscription, error) {
	made, replayed, err := s.write(ctx, func(ctx context.Context, tx *store.Tx) ([]subscription.Subscription, error) {
		sub, err := s.newSubscription(ctx, tx, n)
		if err != nil {
			return nil, err
		}
		return []subscription.Subscription{*sub}, nil
	})
	if err != nil {
		return nil, err
	}
	sub := &made[0]
	if !replayed {
		return sub, nil
	}
	now, err := store.Subscriptions.Get(ctx, s.Read(), sub.ID)
	if err != nil || now == nil {
		return sub, err
	}
	return now, nil
}

func (s *Service) newSubscription(ctx context.Context, tx *store.Tx, n NewSubscription) (*subscription.Subscription, error) {
	offer, err := n.PriceList.find(ctx, tx)
	if err != nil {
		return nil, err
	}
	account, err := s.accountFor(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	cal, err := calendar.In(ctx, tx, account.TestClockID)
	if err != nil {
		return nil, err
	}
	// Everything that is wrong is said at once: each check adds to the problems.
	var problems billing.Problems
	n.Draft.BillingDay = account.BillingDay
	sub, change, err := subscription.New(n.Draft, offer, cal.Today)
	if err := collect(&problems, err); err != nil {
		return nil, err
	}
	sub.AccountID, sub.TestClockID = account.ID, account.TestClockID
	if n.Draft.Trial && offer.PriceList.TrialAllowed && !n.TrialAgain {
		if err := collect(&problems, checkFirstTrial(ctx, tx, account, offer.ProductID)); err != nil {
			return nil, err
		}
	}
	if n.Tenant != nil {
		tenant, err := tenantFor(ctx, tx, offer.ProductID, account, *n.Tenant)
		if err := collect(&problems, n.Tenant.asWritten(err)); err != nil {
			return nil, err
		}
		if tenant != nil {
			sub.TenantID = &tenant.ID
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	sub.NoteChange(nil, cal.Today)
	if err := saveChange(ctx, tx, &sub, change, cal, operation.CallerOf(ctx).Actor); err != nil {
		return nil, err
	}
	return &sub, operation.Audit(ctx, tx, "subscriptionCreate", "subscription", int64(sub.ID), subscription.Changes(nil, &sub, cal.Today))
}

// collect adds err to the problems if the caller can correct it, and returns it
// otherwise.
func collect(problems *billing.Problems, err error) error {
	more, is := billing.AsProblems(err)
	if err != nil && !is {
		return err
	}
	*problems = append(*problems, more...)
	return nil
}

// checkFirstTrial refuses a trial to an account that has had one of the product.
// The account is locked, so that two who ask for it come one after the other.
func checkFirstTrial(ctx context.Context, tx *store.Tx, account *billing.Account, product billing.ProductID) error {
	first, err := store.FirstTrial(ctx, tx.Queries, account.ID, product)
	if err != nil || first == nil {
		return err
	}
	return billing.Fail(billing.NotAllowed, "trial", "%s has a trial of this product already: subscription %d, from %s to %s. Leave trial out, or give trialAgain: true to allow another one.",
		account.Name, first.ID, *first.TrialStartDate, *first.TrialEndDate)
}

// accountFor finds or makes the account of a new subscription and locks it, for
// tenantFor, and so that it stays on its clock.
func (s *Service) accountFor(ctx context.Context, tx *store.Tx, n NewSubscription) (*billing.Account, error) {
	switch {
	case n.AccountID == nil && n.AccountCode == nil && n.Account == nil:
		return nil, billing.Fail(billing.Required, "accountId", "A subscription belongs to an account: give accountId, accountCode or account.")
	case n.AccountID != nil && n.AccountCode != nil:
		return nil, billing.Fail(billing.Invalid, "accountCode", "Give accountId or accountCode, not both.")
	case n.Account != nil && (n.AccountID != nil || n.AccountCode != nil):
		return nil, billing.Fail(billing.Invalid, "account", "Give account for a new account, or accountId or accountCode for one that exists, not both.")
	}
	if n.Account != nil {
		return s.addAccount(ctx, tx, n.Account)
	}
	id := n.AccountID
	if n.AccountCode != nil {
		account, err := store.Accounts.ByCode(ctx, tx.Queries, *n.AccountCode)
		if err != nil {
			return nil, err
		}
		if account == nil {
			return nil, billing.Fail(billing.NotFound, "accountCode", "There is no account with the code %q.", *n.AccountCode)
		}
		id = &account.ID
	}
	account, err := store.Accounts.Lock(ctx, tx, *id)
	if err == nil && account == nil {
		err = billing.Missing("accountId", "account", *id)
	}
	return account, err
}

func (s *Service) addAccount(ctx context.Context, tx *store.Tx, n *NewAccount) (*billing.Account, error) {
	account, err := customers.Accounts.Insert(ctx, tx, customers.NewAccount(tx), n.Edit, customers.WithBillingContact(n.BillingContact))
	return account, operation.Within("account", err)
}

// tenantFor finds or makes the account's tenant on the product's platform. The
// account is locked, so that two who bring the same new tenant come one after
// the other.
func tenantFor(ctx context.Context, tx *store.Tx, productID billing.ProductID, account *billing.Account, ref TenantRef) (*billing.Tenant, error) {
	product, err := heldProduct(ctx, tx, "priceListCode", productID)
	if err != nil {
		return nil, err
	}
	if product.PlatformID == nil {
		return nil, billing.Fail(billing.Invalid, "tenantCode", "The product %q is on no platform, so its subscriptions have no tenant; put it on a platform first.", product.Code)
	}
	tenant, err := store.TenantByCode(ctx, tx.Queries, *product.PlatformID, ref.Code)
	if err != nil {
		return nil, err
	}
	if tenant == nil {
		tenant, err := addTenant(ctx, tx, *product.PlatformID, account.ID, ref)
		return tenant, operation.RenameField(operation.RenameField(err, "code", "tenantCode"), "name", "tenantName")
	}
	if tenant.AccountID != account.ID {
		return nil, billing.Fail(billing.Taken, "tenantCode", "The tenant code %q belongs to another account on this platform.", ref.Code)
	}
	return tenant, nil
}

// heldProduct returns a product that stays on its platform until the
// transaction ends.
func heldProduct(ctx context.Context, tx *store.Tx, field string, id billing.ProductID) (*catalog.Product, error) {
	if err := store.HoldProduct(ctx, tx, id); err != nil {
		return nil, err
	}
	return operation.Find(ctx, tx, store.Products, field, "product", id)
}

// addTenant adds a tenant to an account and a platform that are known to exist.
func addTenant(ctx context.Context, tx *store.Tx, platform billing.PlatformID, account billing.AccountID, ref TenantRef) (*billing.Tenant, error) {
	known := Tenants
	known.Check = func(_ context.Context, _ *store.Tx, _, t *billing.Tenant) (billing.Problems, error) {
		return t.Check(), nil
	}
	edit := func(t *billing.Tenant) error {
		t.Code, t.Name = ref.Code, ref.Code
		if ref.Name != nil && *ref.Name != "" {
			t.Name = *ref.Name
		}
		return nil
	}
	return known.Insert(ctx, tx, billing.Tenant{PlatformID: platform, AccountID: account}, edit)
}
