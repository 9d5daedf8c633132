package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
)

// noLimit is for what is read to be told: it is told whole, or not at all.
const noLimit = 1 << 30

// HoldProduct keeps the features of a product from changing until the
// transaction ends. A subscription that comes to life must not be missed by
// those who tell the tenants of a change: either they wait for it, or it waits
// for them and tells the change itself.
func HoldProduct(ctx context.Context, tx *Tx, id billing.ProductID) error {
	if tx.dialect.forUpdate == "" {
		return nil // there is one writer
	}
	var one int
	_, err := tx.one(ctx, `SELECT 1 FROM product WHERE id = $1 FOR KEY SHARE`, []any{int64(id)}, &one)
	return err
}

// Catalog is the part of the catalog that some price lists belong to.
type Catalog struct {
	PriceLists map[billing.PriceListID]billing.PriceList
	Plans      map[billing.PlanID]billing.Plan
	Products   map[billing.ProductID]billing.Product
	Contents   map[billing.PlanID]*billing.PlanContents
}

// LoadCatalog reads what those price lists belong to.
func LoadCatalog(ctx context.Context, q Queries, ids []billing.PriceListID) (*Catalog, error) {
	c := &Catalog{
		PriceLists: map[billing.PriceListID]billing.PriceList{}, Plans: map[billing.PlanID]billing.Plan{},
		Products: map[billing.ProductID]billing.Product{}, Contents: map[billing.PlanID]*billing.PlanContents{},
	}
	lists, err := PriceLists.ByIDs(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	var planIDs []billing.PlanID
	for _, l := range lists {
		c.PriceLists[l.ID] = l
		if c.Contents[l.PlanID] == nil {
			c.Contents[l.PlanID] = &billing.PlanContents{}
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
			c.Products[p.ProductID] = billing.Product{}
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
	included, err := PlanFeatures.children(ctx, q, "plan_id", jsonList(plans), billing.Filter{}, noLimit)
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
	byID := map[billing.FeatureID]billing.Feature{}
	for _, f := range features {
		byID[f.ID] = f
	}
	for _, pf := range included {
		contents := c.Contents[pf.PlanID]
		contents.Features = append(contents.Features, billing.IncludedFeature{Feature: byID[pf.FeatureID], PlanValue: pf.Value})
	}
	return nil
}

// LoadOffer returns what a price list offers, or nil if there is none.
func LoadOffer(ctx context.Context, q Queries, id billing.PriceListID) (*billing.Offer, error) {
	list, err := PriceLists.Get(ctx, q, id)
	if err != nil || list == nil {
		return nil, err
	}
	plan, err := Plans.Get(ctx, q, list.PlanID)
	if err != nil || plan == nil {
		return nil, err
	}
	charges, err := ChargesOf(ctx, q, []billing.PriceListID{id})
	if err != nil {
		return nil, err
	}
	var ids []billing.FeatureID
	for _, c := range charges {
		if c.FeatureID != nil {
			ids = append(ids, *c.FeatureID)
		}
	}
	codes := map[billing.FeatureID]string{}
	if len(ids) > 0 {
		features, err := Features.ByIDs(ctx, q, ids)
		if err != nil {
			return nil, err
		}
		for _, f := range features {
			codes[f.ID] = f.Code
		}
	}
	return &billing.Offer{PriceList: *list, ProductID: plan.ProductID, Charges: charges, FeatureCodes: codes}, nil
}

// LoadProvisioning reads all that webhooks tell about those tenants, without
// the features that their subscriptions give, and the catalog to find them
// with. A tenant that does not exist is not in the answer.
func LoadProvisioning(ctx context.Context, q Queries, ids []billing.TenantID) ([]*billing.ProvisioningState, *Catalog, error) {
	tenants, err := Tenants.ByIDs(ctx, q, ids)
	if err != nil {
		return nil, nil, err
	}
	var platformIDs []billing.PlatformID
	var accountIDs []billing.AccountID
	for _, t := range tenants {
		platformIDs, accountIDs = append(platformIDs, t.PlatformID), append(accountIDs, t.AccountID)
	}
	platforms, err := byID(ctx, q, Platforms, platformIDs, func(p *billing.Platform) billing.PlatformID { return p.ID })
	if err != nil {
		return nil, nil, err
	}
	accounts, err := byID(ctx, q, Accounts, accountIDs, func(a *billing.Account) billing.AccountID { return a.ID })
	if err != nil {
		return nil, nil, err
	}
	contacts, err := Contacts.children(ctx, q, "account_id", jsonList(accountIDs), billing.Filter{}, noLimit)
	if err != nil {
		return nil, nil, err
	}
	subscriptions, err := Subscriptions.children(ctx, q, "tenant_id", jsonList(ids), billing.Filter{}, noLimit)
	if err != nil {
		return nil, nil, err
	}
	var lists []billing.PriceListID
	for _, s := range subscriptions {
		lists = append(lists, s.PriceListID)
	}
	catalog, err := LoadCatalog(ctx, q, lists)
	if err != nil {
		return nil, nil, err
	}
	states := make([]*billing.ProvisioningState, len(tenants))
	for i, t := range tenants {
		state := &billing.ProvisioningState{Tenant: t, Platform: platforms[t.PlatformID], Account: accounts[t.AccountID]}
		for _, c := range contacts {
			if c.AccountID == t.AccountID {
				state.Contacts = append(state.Contacts, c)
			}
		}
		for _, s := range subscriptions {
			if *s.TenantID == t.ID {
				state.Subscriptions = append(state.Subscriptions, catalog.around(s))
			}
		}
		states[i] = state
	}
	return states, catalog, nil
}

func (c *Catalog) around(s billing.Subscription) billing.ProvisioningSubscription {
	list := c.PriceLists[s.PriceListID]
	plan := c.Plans[list.PlanID]
	return billing.ProvisioningSubscription{Subscription: s, Plan: plan, PriceList: list, Product: c.Products[plan.ProductID]}
}

func byID[T any, K ~int64](ctx context.Context, q Queries, table *Table[T, K], ids []K, id func(*T) K) (map[K]T, error) {
	rows, err := table.ByIDs(ctx, q, ids)
	found := make(map[K]T, len(rows))
	for i := range rows {
		found[id(&rows[i])] = rows[i]
	}
	return found, err
}
