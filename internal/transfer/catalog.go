package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// includedFeature is a feature in a plan.
type includedFeature struct {
	plan    billing.PlanID
	feature billing.FeatureID
}

// knownCatalog is all that lines refer to by codes. What is new has ids below zero
// until it is written.
type knownCatalog struct {
	rows      map[string]any // of each kind, by its name; see kind.in
	chargesOf map[billing.PriceListID][]*catalog.Charge
	valueOf   map[includedFeature]string // what a plan says of a feature
	offers    map[billing.PriceListID]*subscription.Offer
	series    map[store.SeriesRef]int // the last count of each that has begun
	last      int64                   // of the ids that are made up
}

// loadCatalog reads the catalog of a database.
func loadCatalog(ctx context.Context, q store.Queries) (*knownCatalog, error) {
	c := &knownCatalog{
		rows: map[string]any{}, chargesOf: map[billing.PriceListID][]*catalog.Charge{}, valueOf: map[includedFeature]string{}, offers: map[billing.PriceListID]*subscription.Offer{},
	}
	for _, k := range rowKinds {
		if err := k.load(ctx, q, c); err != nil {
			return nil, err
		}
	}
	return c, c.loadSeries(ctx, q)
}

// pageSize is how many rows are read at once.
const pageSize = 500

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

// offer is what a price list offers. It is called when the catalog is complete.
func (c *knownCatalog) offer(list *catalog.PriceList) *subscription.Offer {
	if known := c.offers[list.ID]; known != nil {
		return known
	}
	o := &subscription.Offer{PriceList: *list, ProductID: plans.of(c, list.PlanID).ProductID, Features: map[billing.FeatureID]catalog.PricedFeature{}}
	for _, charge := range c.chargesOf[list.ID] {
		o.Charges = append(o.Charges, *charge)
		if charge.FeatureID != nil {
			f := features.of(c, *charge.FeatureID)
			o.Features[f.ID] = f.Priced(c.valueOf[includedFeature{list.PlanID, f.ID}])
		}
	}
	c.offers[list.ID] = o
	return o
}

// offerOf finds offers for those who move subscriptions in time.
func (c *knownCatalog) offerOf(id billing.PriceListID) (*subscription.Offer, error) {
	if list := priceLists.of(c, id); list != nil {
		return c.offer(list), nil
	}
	return nil, billing.Missing("", "price list", id)
}
