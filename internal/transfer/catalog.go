package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
)

// within is a code that is unique in something else.
type within struct{ parent, code string }

// planFeatureKey names what a plan makes of a feature.
type planFeatureKey struct{ product, plan, feature string }

// includedFeature is a feature in a plan.
type includedFeature struct {
	plan    billing.PlanID
	feature billing.FeatureID
}

// knownCatalog is all that is sold, by codes. New things have ids below zero until
// they are written.
type knownCatalog struct {
	platforms    map[string]*webhook.Platform
	products     map[string]*catalog.Product
	features     map[within]*catalog.Feature // in products
	plans        map[within]*catalog.Plan    // in products
	planFeatures map[planFeatureKey]*catalog.PlanFeature
	priceLists   map[string]*catalog.PriceList
	charges      map[within]*catalog.Charge // in price lists

	platformOf  map[billing.PlatformID]*webhook.Platform
	productOf   map[billing.ProductID]*catalog.Product
	featureOf   map[billing.FeatureID]*catalog.Feature
	planOf      map[billing.PlanID]*catalog.Plan
	priceListOf map[billing.PriceListID]*catalog.PriceList
	chargeOf    map[billing.ChargeID]*catalog.Charge
	chargesOf   map[billing.PriceListID][]*catalog.Charge
	valueOf     map[includedFeature]string // what a plan says of a feature

	offers map[billing.PriceListID]*subscription.Offer
	last   int64 // of the ids that are made up
}

func newCatalog() *knownCatalog {
	return &knownCatalog{
		platforms: map[string]*webhook.Platform{}, products: map[string]*catalog.Product{}, features: map[within]*catalog.Feature{},
		plans: map[within]*catalog.Plan{}, planFeatures: map[planFeatureKey]*catalog.PlanFeature{},
		priceLists: map[string]*catalog.PriceList{}, charges: map[within]*catalog.Charge{},
		platformOf: map[billing.PlatformID]*webhook.Platform{}, productOf: map[billing.ProductID]*catalog.Product{},
		featureOf: map[billing.FeatureID]*catalog.Feature{}, planOf: map[billing.PlanID]*catalog.Plan{},
		priceListOf: map[billing.PriceListID]*catalog.PriceList{}, chargeOf: map[billing.ChargeID]*catalog.Charge{},
		chargesOf: map[billing.PriceListID][]*catalog.Charge{}, valueOf: map[includedFeature]string{}, offers: map[billing.PriceListID]*subscription.Offer{},
	}
}

// loadCatalog reads the catalog of a database.
func loadCatalog(ctx context.Context, q store.Queries) (*knownCatalog, error) {
	c := newCatalog()
	steps := []func() error{
		func() error { return eachRow(ctx, q, store.Platforms, c.setPlatform) },
		func() error { return eachRow(ctx, q, store.Products, c.setProduct) },
		func() error { return eachRow(ctx, q, store.Features, c.setFeature) },
		func() error { return eachRow(ctx, q, store.Plans, c.setPlan) },
		func() error { return eachRow(ctx, q, store.PlanFeatures, c.setPlanFeature) },
		func() error { return eachRow(ctx, q, store.PriceLists, c.setPriceList) },
		func() error { return eachRow(ctx, q, store.Charges, c.setCharge) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// pageSize is how many rows are read at once.
const pageSize = 500

// eachRow calls do for every row of a table, in the order of ids.
func eachRow[T any, K ~int64](ctx context.Context, q store.Queries, table *store.Table[T, K], do func(*T)) error {
	return eachPage(ctx, q, table, func(rows []T) error {
		for i := range rows {
			do(&rows[i])
		}
		return nil
	})
}

// eachPage calls do for the rows of a table, many at once.
func eachPage[T any, K ~int64](ctx context.Context, q store.Queries, table *store.Table[T, K], do func([]T) error) error {
	page := store.Page{Limit: pageSize}
	for {
		rows, err := table.List(ctx, q, page)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			if err := do(rows); err != nil {
				return err
			}
			page.After = int64(table.ID(&rows[len(rows)-1]))
		}
		if len(rows) < page.Limit {
			return nil
		}
	}
}

// madeUp gives a new thing an id that nothing has.
func madeUp[K ~int64](c *knownCatalog, id *K) {
	if *id == 0 {
		c.last--
		*id = K(c.last)
	}
}

func (c *knownCatalog) setPlatform(p *webhook.Platform) {
	madeUp(c, &p.ID)
	c.platforms[p.Code], c.platformOf[p.ID] = p, p
}

func (c *knownCatalog) setProduct(p *catalog.Product) {
	madeUp(c, &p.ID)
	c.products[p.Code], c.productOf[p.ID] = p, p
}

func (c *knownCatalog) setFeature(f *catalog.Feature) {
	madeUp(c, &f.ID)
	c.features[within{c.productOf[f.ProductID].Code, f.Code}], c.featureOf[f.ID] = f, f
}

func (c *knownCatalog) setPlan(p *catalog.Plan) {
	madeUp(c, &p.ID)
	c.planOf[p.ID] = p
	if p.Code != nil {
		c.plans[within{c.productOf[p.ProductID].Code, *p.Code}] = p
	}
}

func (c *knownCatalog) setPlanFeature(pf *catalog.PlanFeature) {
	madeUp(c, &pf.ID)
	c.valueOf[includedFeature{pf.PlanID, pf.FeatureID}] = pf.Value
	if plan := c.planOf[pf.PlanID]; plan.Code != nil {
		c.planFeatures[planFeatureKey{c.productOf[plan.ProductID].Code, *plan.Code, c.featureOf[pf.FeatureID].Code}] = pf
	}
}

func (c *knownCatalog) setPriceList(l *catalog.PriceList) {
	madeUp(c, &l.ID)
	c.priceLists[l.Code], c.priceListOf[l.ID] = l, l
}

func (c *knownCatalog) setCharge(charge *catalog.Charge) {
	madeUp(c, &charge.ID)
	list := c.priceListOf[charge.PriceListID]
	if known := c.charges[within{list.Code, charge.Code}]; known != nil {
		*known = *charge
		return
	}
	c.charges[within{list.Code, charge.Code}], c.chargeOf[charge.ID] = charge, charge
	c.chargesOf[list.ID] = append(c.chargesOf[list.ID], charge)
}

// offer is what a price list offers. It is called when the catalog is complete.
func (c *knownCatalog) offer(list *catalog.PriceList) *subscription.Offer {
	if known := c.offers[list.ID]; known != nil {
		return known
	}
	o := &subscription.Offer{PriceList: *list, ProductID: c.planOf[list.PlanID].ProductID, Features: map[billing.FeatureID]catalog.PricedFeature{}}
	for _, charge := range c.chargesOf[list.ID] {
		o.Charges = append(o.Charges, *charge)
		if charge.FeatureID != nil {
			f := c.featureOf[*charge.FeatureID]
			o.Features[f.ID] = f.Priced(c.valueOf[includedFeature{list.PlanID, f.ID}])
		}
	}
	c.offers[list.ID] = o
	return o
}

// offerOf finds offers for those who move subscriptions in time.
func (c *knownCatalog) offerOf(id billing.PriceListID) (*subscription.Offer, error) {
	if list := c.priceListOf[id]; list != nil {
		return c.offer(list), nil
	}
	return nil, billing.Missing("", "price list", id)
}
