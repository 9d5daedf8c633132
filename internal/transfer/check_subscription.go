package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// subscriptionCheck is what some lines of subscriptions are compared with.
type subscriptionCheck struct {
	*importer
	accounts map[string]*billing.Account
	tenants  map[store.TenantCode]*billing.Tenant
	known    map[string]*subscription.Subscription
}

func (i *importer) checkSubscriptions(ctx context.Context, items []item) (err error) {
	lines := make([]subscriptionLine, len(items))
	codes, accounts := make([]string, len(items)), make([]string, len(items))
	var places []store.TenantCode
	for n, one := range items {
		l := &lines[n]
		_ = readFields(one.members, l.fields())
		codes[n], accounts[n] = l.code, l.account
		if p := i.platformOf(l); p != nil && l.tenant != nil && p.ID > 0 {
			places = append(places, store.TenantCode{Platform: p.ID, Code: *l.tenant})
		}
	}
	c := subscriptionCheck{importer: i}
	if c.accounts, err = i.accounts(ctx, accounts); err != nil {
		return err
	}
	if c.tenants, err = i.tenants(ctx, places); err != nil {
		return err
	}
	rows, err := store.SubscriptionsByCode(ctx, i.st.Snapshot(), codes, false)
	if err != nil {
		return err
	}
	c.known = make(map[string]*subscription.Subscription, len(rows))
	for n := range rows {
		c.known[*rows[n].Code] = &rows[n]
	}
	for n, one := range items {
		result, err := c.one(&lines[n])
		i.found(subscriptionKind, one.line, result, err)
	}
	return nil
}

// platformOf is the platform that a subscription's tenant is on.
func (i *importer) platformOf(l *subscriptionLine) *webhook.Platform {
	list := priceLists.find(i.catalog, l.priceList)
	if list == nil {
		return nil
	}
	product := products.of(i.catalog, plans.of(i.catalog, list.PlanID).ProductID)
	if product.PlatformID == nil {
		return nil
	}
	return platforms.of(i.catalog, *product.PlatformID)
}

func (c *subscriptionCheck) one(l *subscriptionLine) (operation.ImportResult, error) {
	list, err := c.catalog.resolve(l)
	err = join(err, c.lacks(c.accounts, l.account))
	if list != nil {
		err = join(err, c.lacksTenant(l))
	}
	if err != nil {
		return 0, err
	}
	restored, err := subscription.Restore(l.record, c.catalog.offer(list), c.catalog.offerOf, c.today)
	if err != nil {
		return 0, err
	}
	was := c.known[l.code]
	if was == nil {
		return operation.Created, nil
	}
	account := c.accounts[l.account]
	if err := store.Readable(was); err != nil {
		return 0, err
	}
	if account == nil || was.AccountID != account.ID || was.ProductID != restored.ProductID {
		return 0, billing.Fail(billing.Immutable, "code", "The subscription %q exists, with another account or product; it cannot be moved.", l.code)
	}
	restored.Code, restored.AccountID = was.Code, was.AccountID
	if l.tenant != nil {
		if t := c.tenants[store.TenantCode{Platform: c.platformOf(l).ID, Code: *l.tenant}]; t != nil {
			restored.TenantID = &t.ID
		} else {
			return operation.Changed, nil // to a tenant that is new
		}
	}
	if len(was.Unlike(restored, c.catalog.offerOf)) > 0 {
		return operation.Changed, nil
	}
	return operation.Unchanged, nil
}

// lacksTenant returns a problem if a subscription cannot have its tenant.
func (c *subscriptionCheck) lacksTenant(l *subscriptionLine) *billing.Error {
	if l.tenant == nil {
		return nil
	}
	platform := c.platformOf(l)
	if platform == nil {
		return billing.Fail(billing.Invalid, "tenant", "The product of the price list %q is on no platform, so its subscriptions have no tenant.", l.priceList)
	}
	owner, listed := c.tenantAccount[keyText([]string{platform.Code, *l.tenant})]
	if !listed {
		t := c.tenants[store.TenantCode{Platform: platform.ID, Code: *l.tenant}]
		if t == nil {
			return missing("tenant", "tenant of the platform "+platform.Code, *l.tenant)
		}
		if account := c.accounts[l.account]; account != nil && account.ID == t.AccountID {
			return nil
		}
	}
	if owner == l.account {
		return nil
	}
	return billing.Fail(billing.Taken, "tenant", "The tenant %q belongs to another account than %q.", *l.tenant, l.account)
}
