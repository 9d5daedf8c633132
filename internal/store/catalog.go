package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/db"
)

// offering is a price list with all that belongs to it. It is shared and never
// changed.
type offering struct {
	list     catalog.PriceList
	plan     catalog.Plan
	product  catalog.Product
	contents *catalog.PlanContents
	charges  []catalog.Charge
	features map[billing.FeatureID]catalog.PricedFeature
}

// maxOfferings bounds what is remembered; beyond it everything is forgotten.
const maxOfferings = 10_000

// catalogCache remembers price lists with all that belongs to them, and who sells
// with which taxes. Every change of the catalog raises a number in its own transaction, so that two who
// read the same number see the same catalog; what is remembered is good for one
// number. It is filled outside of transactions, where only what was committed
// is seen: a number that is taken back is given out again for something else.
type catalogCache struct {
	mu        sync.RWMutex
	version   int64
	offerings map[billing.PriceListID]*offering
	byCode    map[string]billing.PriceListID
	sellers   *Sellers
	wanted    map[billing.PriceListID]bool

	wanting     atomic.Bool // there is something in wanted, or the sellers are
	wantSellers bool
	filling     sync.Mutex // one fills it at a time
}

const catalogVersionText = `SELECT value FROM counter WHERE name = 'catalog'`

// get returns those that are remembered for a version.
func (c *catalogCache) get(version int64, ids []billing.PriceListID) map[billing.PriceListID]*offering {
	found := make(map[billing.PriceListID]*offering, 1)
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.version != version {
		return found
	}
	for _, id := range ids {
		if o := c.offerings[id]; o != nil {
			found[id] = o
		}
	}
	return found
}

// idOf returns the price list that a code means in a version, if it is
// remembered.
func (c *catalogCache) idOf(version int64, code string) (billing.PriceListID, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	id, known := c.byCode[code]
	return id, known && c.version == version
}

// want asks for price lists to be remembered.
func (c *catalogCache) want(found map[billing.PriceListID]*offering) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted == nil {
		c.wanted = map[billing.PriceListID]bool{}
	}
	for id := range found {
		if len(c.wanted) < maxOfferings {
			c.wanted[id] = true
		}
	}
	c.wanting.Store(len(c.wanted) > 0)
}

// take returns what is wanted and forgets it.
func (c *catalogCache) take() (ids []billing.PriceListID, sellers bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids = make([]billing.PriceListID, 0, len(c.wanted))
	for id := range c.wanted {
		ids = append(ids, id)
	}
	clear(c.wanted)
	sellers, c.wantSellers = c.wantSellers, false
	c.wanting.Store(false)
	return ids, sellers
}

// fill reads what is wanted, outside of any transaction. If it fails, whoever
// misses it next asks again.
func (c *catalogCache) fill(ctx context.Context, q Queries) {
	for c.wanting.Load() && c.filling.TryLock() {
		c.fillOnce(ctx, q)
		c.filling.Unlock()
	}
}

func (c *catalogCache) fillOnce(ctx context.Context, q Queries) {
	ids, wantSellers := c.take()
	// The same number before and after: nothing changed in between.
	var before, after int64
	if _, err := q.One(ctx, catalogVersionText, nil, &before); err != nil {
		return
	}
	var found map[billing.PriceListID]*offering
	var sellers *Sellers
	var err error
	if len(ids) > 0 {
		found, err = loadOfferings(ctx, q, ids)
	}
	if err == nil && wantSellers {
		sellers, err = readSellers(ctx, q)
	}
	if err != nil {
		return
	}
	if _, err := q.One(ctx, catalogVersionText, nil, &after); err == nil && before == after {
		c.add(before, found, sellers)
	}
}

// add remembers what was read of a version, and forgets any other one: also a
// higher one, which a database that was put back from a backup had once.
func (c *catalogCache) add(version int64, found map[billing.PriceListID]*offering, sellers *Sellers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version != c.version {
		c.sellers = nil
	}
	if sellers != nil {
		c.sellers = sellers
	}
	if version != c.version || c.offerings == nil || len(c.offerings)+len(found) > maxOfferings {
		c.version = version
		c.offerings, c.byCode = map[billing.PriceListID]*offering{}, map[string]billing.PriceListID{}
	}
	for id, o := range found {
		c.offerings[id], c.byCode[o.list.Code] = o, id
	}
}

// offeringsAt returns price lists of the catalog with that version, as far as
// they exist.
func offeringsAt(ctx context.Context, q Queries, version int64, ids []billing.PriceListID) (map[billing.PriceListID]*offering, error) {
	cache := stateOf(q).catalog
	if cache == nil {
		return loadOfferings(ctx, q, ids)
	}
	found := cache.get(version, ids)
	var missing []billing.PriceListID
	for _, id := range ids {
		if found[id] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	more, err := loadOfferings(ctx, q, missing)
	if err != nil {
		return nil, err
	}
	cache.want(more)
	for id, o := range more {
		found[id] = o
	}
	return found, nil
}

// loadOfferings reads price lists with all that belongs to them.
func loadOfferings(ctx context.Context, q Queries, ids []billing.PriceListID) (map[billing.PriceListID]*offering, error) {
	c, err := LoadCatalog(ctx, q, ids)
	if err != nil || len(c.PriceLists) == 0 {
		return nil, err
	}
	found := make(map[billing.PriceListID]*offering, len(c.PriceLists))
	for id, list := range c.PriceLists {
		plan, known := c.Plans[list.PlanID]
		if !known {
			continue // it is being deleted
		}
		found[id] = &offering{
			list: list, plan: plan, product: c.Products[plan.ProductID], contents: c.Contents[list.PlanID],
			charges: []catalog.Charge{}, features: map[billing.FeatureID]catalog.PricedFeature{},
		}
	}
	return found, loadCharges(ctx, q, ids, found)
}

func loadCharges(ctx context.Context, q Queries, ids []billing.PriceListID, into map[billing.PriceListID]*offering) error {
	charges, err := Charges.children(ctx, q, "price_list_id", db.JSONList(ids), billing.Filter{}, noLimit)
	if err != nil {
		return err
	}
	var priced []billing.FeatureID
	for _, c := range charges {
		if c.FeatureID != nil {
			priced = append(priced, *c.FeatureID)
		}
	}
	byID := map[billing.FeatureID]*catalog.Feature{}
	if len(priced) > 0 {
		features, err := Features.ByIDs(ctx, q, priced)
		if err != nil {
			return err
		}
		for i := range features {
			byID[features[i].ID] = &features[i]
		}
	}
	for _, c := range charges {
		o := into[c.PriceListID]
		if o == nil {
			continue
		}
		o.charges = append(o.charges, c)
		if c.FeatureID != nil && byID[*c.FeatureID] != nil {
			f := byID[*c.FeatureID]
			o.features[f.ID] = f.Priced(o.contents.ValueOf(f.ID))
		}
	}
	return nil
}

// catalogAt is LoadCatalog for a catalog with that version, which may be
// remembered.
func catalogAt(ctx context.Context, q Queries, version int64, ids []billing.PriceListID) (*Catalog, error) {
	if stateOf(q).catalog == nil {
		return LoadCatalog(ctx, q, ids)
	}
	found, err := offeringsAt(ctx, q, version, ids)
	c := newCatalog()
	for id, o := range found {
		c.PriceLists[id], c.Plans[o.plan.ID], c.Products[o.product.ID], c.Contents[o.plan.ID] = o.list, o.plan, o.product, o.contents
	}
	return c, err
}

// LoadOffer returns what a price list offers, or nil if there is none.
func LoadOffer(ctx context.Context, q Queries, id billing.PriceListID) (*subscription.Offer, error) {
	s, err := settingsOf(ctx, q)
	if err != nil {
		return nil, err
	}
	found, err := offeringsAt(ctx, q, s.version, []billing.PriceListID{id})
	if err != nil || found[id] == nil {
		return nil, err
	}
	o := found[id]
	return &subscription.Offer{PriceList: o.list, ProductID: o.product.ID, Charges: o.charges, Features: o.features}, nil
}

// LoadOfferByCode is LoadOffer for the price list with a code.
func LoadOfferByCode(ctx context.Context, q Queries, code string) (*subscription.Offer, error) {
	if cache := stateOf(q).catalog; cache != nil {
		s, err := settingsOf(ctx, q)
		if err != nil {
			return nil, err
		}
		if id, known := cache.idOf(s.version, code); known {
			return LoadOffer(ctx, q, id)
		}
	}
	list, err := PriceLists.ByCode(ctx, q, code)
	if err != nil || list == nil {
		return nil, err
	}
	return LoadOffer(ctx, q, list.ID)
}

// LockCatalog lets nobody else change the catalog until the transaction ends.
// Who changes it takes this before all other locks, since each change raises
// the one number that all changes raise. The transaction itself reads the
// catalog as it leaves it.
func LockCatalog(ctx context.Context, tx *Tx) error {
	stateOf(tx.Queries).catalog = nil
	if tx.Dialect.ForNoKeyUpdate == "" {
		return nil // there is one writer
	}
	var version int64
	_, err := tx.One(ctx, catalogVersionText+tx.Dialect.ForNoKeyUpdate, nil, &version)
	return err
}
