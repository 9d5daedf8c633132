package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// PriceList prices a plan, in the API.
type PriceList struct {
	*billing.PriceList
	group *group[billing.PriceList]
}

// PriceLists makes nodes of price lists that were loaded together.
func (r *Reader) PriceLists(rows []billing.PriceList) []*PriceList {
	return wrap(r, rows, func(l *billing.PriceList, g *group[billing.PriceList]) PriceList { return PriceList{l, g} })
}

func (r *Reader) priceListsByID(ctx context.Context, ids []billing.PriceListID) (map[billing.PriceListID]*PriceList, error) {
	found, err := store.PriceLists.ByIDs(ctx, r.q(), ids)
	return index(r.PriceLists(found), func(l *PriceList) billing.PriceListID { return l.ID }), err
}

// Plan is the one that is priced.
func (l *PriceList) Plan(ctx context.Context) (*Plan, error) {
	byID, err := together(l.group, "plan", func(rows []billing.PriceList) (map[billing.PlanID]*Plan, error) {
		return l.group.reader.plansByID(ctx, keys(rows, always(func(l *billing.PriceList) billing.PlanID { return l.PlanID })))
	})
	return byID[l.PlanID], err
}

// Product is the one of the plan.
func (l *PriceList) Product(ctx context.Context) (*Product, error) {
	plan, err := l.Plan(ctx)
	if err != nil || plan == nil {
		return nil, err
	}
	return plan.Product(ctx)
}

// Charges are the lines of the price list.
func (l *PriceList) Charges(ctx context.Context) ([]*PriceListCharge, error) {
	r := l.group.reader
	of, err := together(l.group, "charges", func(rows []billing.PriceList) (map[billing.PriceListID][]*PriceListCharge, error) {
		found, err := store.ChargesOf(ctx, r.q(), keys(rows, always(func(l *billing.PriceList) billing.PriceListID { return l.ID })))
		charges := r.PriceListCharges(found)
		priceListsKnownTo(charges, l.group)
		return collect(charges, func(c *PriceListCharge) billing.PriceListID { return c.PriceListID }), err
	})
	return of[l.ID], err
}

// priceListsKnownTo tells charges their price lists, which need not be loaded
// again for the currency of their prices.
func priceListsKnownTo(charges []*PriceListCharge, lists *group[billing.PriceList]) {
	if len(charges) == 0 {
		return
	}
	_, _ = together(charges[0].group, "priceList", func([]billing.Charge) (map[billing.PriceListID]*PriceList, error) {
		byID := make(map[billing.PriceListID]*PriceList, len(lists.rows))
		for i := range lists.rows {
			byID[lists.rows[i].ID] = &PriceList{&lists.rows[i], lists}
		}
		return byID, nil
	})
}

// PriceListCharge is a line of a price list, in the API.
type PriceListCharge struct {
	*billing.Charge
	group *group[billing.Charge]
}

// PriceListCharges makes nodes of charges that were loaded together.
func (r *Reader) PriceListCharges(rows []billing.Charge) []*PriceListCharge {
	return wrap(r, rows, func(c *billing.Charge, g *group[billing.Charge]) PriceListCharge { return PriceListCharge{c, g} })
}

// PriceList is the one the charge is a line of.
func (c *PriceListCharge) PriceList(ctx context.Context) (*PriceList, error) {
	r := c.group.reader
	byID, err := together(c.group, "priceList", func(rows []billing.Charge) (map[billing.PriceListID]*PriceList, error) {
		return r.priceListsByID(ctx, keys(rows, always(func(c *billing.Charge) billing.PriceListID { return c.PriceListID })))
	})
	return byID[c.PriceListID], err
}

// Feature is the one whose quantity the charge gives, if any.
func (c *PriceListCharge) Feature(ctx context.Context) (*Feature, error) {
	if c.FeatureID == nil {
		return nil, nil
	}
	byID, err := together(c.group, "feature", func(rows []billing.Charge) (map[billing.FeatureID]*Feature, error) {
		return c.group.reader.featuresByID(ctx, keys(rows, maybe(func(c *billing.Charge) *billing.FeatureID { return c.FeatureID })))
	})
	return byID[*c.FeatureID], err
}

// currency is that of the charge's price list.
func (c *PriceListCharge) currency(ctx context.Context) (string, error) {
	list, err := c.PriceList(ctx)
	if err != nil || list == nil {
		return "", err
	}
	return list.CurrencyID, nil
}

// Price is the price of a unit with the digits of its currency, if it is not for
// tiers to say.
func (c *PriceListCharge) Price(ctx context.Context) (*string, error) {
	if c.Charge.Price == nil {
		return nil, nil
	}
	currency, err := c.currency(ctx)
	text := c.Charge.Price.In(currency)
	return &text, err
}

// PriceListChargeTiers are the charge's tiers, in ascending order.
func (c *PriceListCharge) PriceListChargeTiers(ctx context.Context) ([]PriceListChargeTier, error) {
	tiers := make([]PriceListChargeTier, len(c.Tiers))
	if len(tiers) == 0 {
		return tiers, nil
	}
	currency, err := c.currency(ctx)
	for i, tier := range c.Tiers {
		tiers[i] = PriceListChargeTier{tier.Starts, tier.Price.In(currency)}
	}
	return tiers, err
}

// PriceListChargeTier is a price from a quantity on, in the API.
type PriceListChargeTier struct {
	Starts int
	Price  string
}
