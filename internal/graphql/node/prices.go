package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
)

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
	of, err := together(l.group, "charges", func(rows []catalog.PriceList) (map[billing.PriceListID][]*PriceListCharge, error) {
		found, err := store.ChargesOf(ctx, r.q(), keys(rows, always(func(l *catalog.PriceList) billing.PriceListID { return l.ID })))
		charges := r.PriceListCharges(found)
		priceListsKnownTo(charges, l.group)
		return gather(charges, func(c *PriceListCharge) billing.PriceListID { return c.PriceListID }), err
	})
	return of[l.ID], err
}

// priceListsKnownTo tells charges their price lists, which need not be loaded
// again for the currency of their prices.
func priceListsKnownTo(charges []*PriceListCharge, lists *group[catalog.PriceList]) {
	if len(charges) == 0 {
		return
	}
	_, _ = together(charges[0].group, "priceList", func([]catalog.Charge) (map[billing.PriceListID]*PriceList, error) {
		byID := make(map[billing.PriceListID]*PriceList, len(lists.rows))
		for i := range lists.rows {
			byID[lists.rows[i].ID] = &PriceList{&lists.rows[i], lists}
		}
		return byID, nil
	})
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
