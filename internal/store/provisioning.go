package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store/db"
)

// noLimit is for what is read to be told: it is told whole, or not at all.
const noLimit = 1 << 30

// HoldProduct keeps the features of a product from changing until the
// transaction ends. A subscription that comes to life must not be missed by
// those who tell the tenants of a change: either they wait for it, or it waits
// for them and tells the change itself.
func HoldProduct(ctx context.Context, tx *Tx, id billing.ProductID) error {
	if tx.Dialect.ForUpdate == "" {
		return nil // there is one writer
	}
	var one int
	_, err := tx.One(ctx, `SELECT 1 FROM product WHERE id = $1 FOR KEY SHARE`, []any{int64(id)}, &one)
	return err
}

// Catalog is the part of the catalog that some price lists belong to.
type Catalog struct {
	PriceLists map[billing.PriceListID]catalog.PriceList
	Plans      map[billing.PlanID]catalog.Plan
	Products   map[billing.ProductID]catalog.Product
	Contents   map[billing.PlanID]*catalog.PlanContents
}

func newCatalog() *Catalog {
	return &Catalog{
		PriceLists: map[billing.PriceListID]catalog.PriceList{}, Plans: map[billing.PlanID]catalog.Plan{},
		Products: map[billing.ProductID]catalog.Product{}, Contents: map[billing.PlanID]*catalog.PlanContents{},
	}
}

// LoadCatalog reads what those price lists belong to.
func LoadCatalog(ctx context.Context, q Queries, ids []billing.PriceListID) (*Catalog, error) {
	c := newCatalog()
	lists, err := PriceLists.ByIDs(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	var planIDs []billing.PlanID
	for _, l := range lists {
		c.PriceLists[l.ID] = l
		if c.Contents[l.PlanID] == nil {
			c.Contents[l.PlanID] = &catalog.PlanContents{}
			planIDs = append(planIDs, l.PlanID)
		}
	}
	plans, err := Plans.ByIDs(ctx, q, planIDs)
	if err != nil {
		return nil, err
	}
	var productIDs []billing.ProductID
	for _, p := range plans {
		c.Plans[p.ID] = p
		if _, known := c.Products[p.ProductID]; !known {
			c.Products[p.ProductID] = catalog.Product{}
			productIDs = append(productIDs, p.ProductID)
		}
	}
	products, err := Products.ByIDs(ctx, q, productIDs)
	if err != nil {
		return nil, err
	}
	for _, p := range products {
		c.Products[p.ID] = p
	}
	return c, c.loadContents(ctx, q, planIDs)
}

func (c *Catalog) loadContents(ctx context.Context, q Queries, plans []billing.PlanID) error {
	included, err := PlanFeatures.children(ctx, q, "plan_id", db.JSONList(plans), billing.Filter{}, noLimit)
	if err != nil {
		return err
	}
	var ids []billing.FeatureID
	for _, pf := range included {
		ids = append(ids, pf.FeatureID)
	}
	features, err := Features.ByIDs(ctx, q, ids)
	if err != nil {
		return err
	}
	byID := map[billing.FeatureID]catalog.Feature{}
	for _, f := range features {
		byID[f.ID] = f
	}
	for _, pf := range included {
		contents := c.Contents[pf.PlanID]
		contents.Features = append(contents.Features, catalog.IncludedFeature{Feature: byID[pf.FeatureID], PlanValue: pf.Value, WhenRestricted: pf.WhenRestricted, RestrictedQuantity: pf.RestrictedQuantity})
	}
	return nil
}

// LoadProvisioning reads all that webhooks tell about those tenants, without
// the features that their subscriptions give, and the catalog to find them
// with. Of platforms, accounts and contacts only what is told is read. A tenant
// that does not exist is not in the answer.
func LoadProvisioning(ctx context.Context, q Queries, ids []billing.TenantID) ([]*webhook.ProvisioningState, *Catalog, error) {
	var states []*webhook.ProvisioningState
	var version int64
	if err := loadStates(ctx, q, ids, &states, &version); err != nil {
		return nil, nil, err
	}
	var contacts []billing.Contact
	if err := loadContacts(ctx, q, ids, &contacts); err != nil {
		return nil, nil, err
	}
	condition, arg := among("tenant_id", ids)
	columns, scan := Subscriptions.Projection(nil)
	text := `SELECT ` + columns + ` FROM subscription WHERE ` + condition + ` ORDER BY id`
	subscriptions, err := Subscriptions.rows(ctx, q, text, []any{arg}, len(ids), scan)
	if err != nil || len(states) == 0 {
		return nil, newCatalog(), err
	}
	known := map[billing.PriceListID]bool{}
	var lists []billing.PriceListID
	for i := range subscriptions {
		if list := subscriptions[i].PriceListID; !known[list] {
			known[list], lists = true, append(lists, list)
		}
	}
	catalog, err := catalogAt(ctx, q, version, lists)
	if err != nil {
		return nil, nil, err
	}
	addContacts(states, contacts)
	byTenant := make(map[billing.TenantID]*webhook.ProvisioningState, len(states))
	for _, state := range states {
		byTenant[state.Tenant.ID] = state
	}
	for i := range subscriptions {
		s := webhook.ProvisioningSubscription{Subscription: subscriptions[i]}
		s.PriceList = catalog.PriceLists[s.PriceListID]
		s.Plan = catalog.Plans[s.PriceList.PlanID]
		s.Product = catalog.Products[s.Plan.ProductID]
		state := byTenant[*s.TenantID]
		state.Subscriptions = append(state.Subscriptions, s)
	}
	return states, catalog, nil
}

// loadStates reads tenants with their platform and account, and the version of
// the catalog at that moment: one statement, so all is of one moment. They are
// there when another statement has run.
func loadStates(ctx context.Context, q Queries, ids []billing.TenantID, states *[]*webhook.ProvisioningState, version *int64) error {
	condition, arg := among("tenant.id", ids)
	text := `SELECT tenant.id, tenant.code, tenant.name, platform.id, platform.code, platform.name,
			account.id, account.name, account.billing_day, account.test_clock_id, (` + catalogVersionText + `)
		FROM tenant JOIN platform ON platform.id = tenant.platform_id JOIN account ON account.id = tenant.account_id
		WHERE ` + condition + ` ORDER BY tenant.id`
	return q.EachLater(ctx, text, []any{arg}, func(rows scanner) error {
		s := &webhook.ProvisioningState{}
		*states = append(*states, s)
		err := rows.Scan(&s.Tenant.ID, &s.Tenant.Code, &s.Tenant.Name, &s.Platform.ID, &s.Platform.Code, &s.Platform.Name,
			&s.Account.ID, &s.Account.Name, &s.Account.BillingDay, &s.Account.TestClockID, version)
		s.Tenant.PlatformID, s.Tenant.AccountID = s.Platform.ID, s.Account.ID
		return err
	})
}

// loadContacts reads the contacts of the tenants' accounts. They are there when
// another statement has run.
func loadContacts(ctx context.Context, q Queries, tenants []billing.TenantID, contacts *[]billing.Contact) error {
	condition, arg := among("tenant.id", tenants)
	text := `SELECT id, account_id, first_name, last_name, email FROM contact
		WHERE account_id IN (SELECT tenant.account_id FROM tenant WHERE ` + condition + `) ORDER BY id`
	return q.EachLater(ctx, text, []any{arg}, func(rows scanner) error {
		var c billing.Contact
		err := rows.Scan(&c.ID, &c.AccountID, &c.FirstName, &c.LastName, &c.Email)
		*contacts = append(*contacts, c)
		return err
	})
}

// addContacts gives each tenant the contacts of its account.
func addContacts(states []*webhook.ProvisioningState, contacts []billing.Contact) {
	of := make(map[billing.AccountID][]billing.Contact, len(states))
	for _, c := range contacts {
		of[c.AccountID] = append(of[c.AccountID], c)
	}
	for _, s := range states {
		s.Contacts = of[s.Account.ID]
	}
}

// among is a condition on a column that has one of those ids, as $1.
func among[K ~int64](column string, ids []K) (condition string, arg any) {
	if len(ids) == 1 {
		return column + " = $1", int64(ids[0])
	}
	return column + " IN (SELECT value FROM json_each(CAST($1 AS TEXT)))", db.JSONList(ids)
}
