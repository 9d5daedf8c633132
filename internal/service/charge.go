package service

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

var charges = noun[billing.Charge, billing.ChargeID]{
	name: "priceListCharge", words: "price list charge", table: store.Charges, catalog: true,
	id: func(c *billing.Charge) billing.ChargeID { return c.ID },
	check: func(ctx context.Context, tx *store.Tx, before, c *billing.Charge) (billing.Problems, error) {
		problems := c.Check()
		if before != nil {
			problems = append(problems, fixed("priceListId", "A charge stays with its price list", before.PriceListID, c.PriceListID)...)
		}
		if c.FeatureID == nil || len(problems) > 0 {
			return problems, nil
		}
		product, err := productOfPriceList(ctx, tx, c.PriceListID)
		if err != nil {
			return nil, err
		}
		f, err := store.Features.Get(ctx, tx.Queries, *c.FeatureID)
		if err == nil && (f == nil || f.ProductID != product) {
			problems = append(problems, billing.Fail(billing.NotFound, "featureId", "The product of the price list has no feature with id %d.", *c.FeatureID))
		}
		return problems, err
	},
	taken: func(c *billing.Charge) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another charge of the price list has the code %q.", c.Code)
	},
}

// ChargeEdit is how a caller describes a charge. FeatureCode names its feature
// instead of an id, if it is not nil.
type ChargeEdit struct {
	Edit        func(*billing.Charge) error
	FeatureCode *string
}

// ChargeCreate adds a charge to a price list.
func (s *Service) ChargeCreate(ctx context.Context, list billing.PriceListID, charge ChargeEdit) (*billing.Charge, error) {
	return charges.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*billing.Charge, error) {
		if list == 0 {
			return nil, billing.Fail(billing.Required, "priceListId", "A charge belongs to a price list: give priceListId.")
		}
		if _, err := find(ctx, tx, store.PriceLists, "priceListId", "price list", list); err != nil {
			return nil, err
		}
		return addCharge(ctx, tx, list, charge)
	})
}

// ChargeUpdate changes a charge.
func (s *Service) ChargeUpdate(ctx context.Context, id billing.ChargeID, charge ChargeEdit) (*billing.Charge, error) {
	return charges.operation(ctx, s, func(ctx context.Context, tx *store.Tx) (*billing.Charge, error) {
		c, err := charges.lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		before := *c
		edit, err := charge.inList(ctx, tx, c.PriceListID)
		if err != nil {
			return nil, err
		}
		if err := charges.edited(ctx, tx, &before, c, edit); err != nil {
			return nil, err
		}
		if err := store.Charges.Update(ctx, tx, c); err != nil {
			return nil, charges.explain(err, c)
		}
		return c, audit(ctx, tx, "priceListChargeUpdate", "priceListCharge", int64(id), billing.Changes(&before, c))
	})
}

// ChargeDelete removes a charge from its price list.
func (s *Service) ChargeDelete(ctx context.Context, id billing.ChargeID) (*billing.Charge, error) {
	return charges.delete(ctx, s, id)
}

// addCharge adds a charge to a price list that exists. Unless the caller says
// otherwise it recurs every month at a flat price; a one-time charge is billed
// once.
func addCharge(ctx context.Context, tx *store.Tx, list billing.PriceListID, charge ChargeEdit) (*billing.Charge, error) {
	c := billing.Charge{PriceListID: list, ChargeType: billing.Recurring, PricingModel: billing.Flat}
	edit, err := charge.inList(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	err = charges.edited(ctx, tx, nil, &c, func(c *billing.Charge) error {
		err := edit(c)
		c.SetPeriod()
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := store.Charges.Insert(ctx, tx, &c); err != nil {
		return nil, charges.explain(err, &c)
	}
	return &c, audit(ctx, tx, "priceListChargeCreate", "priceListCharge", int64(c.ID), billing.Changes(nil, &c))
}

// inList returns the edit with the feature's code looked up in the product of
// the price list.
func (e ChargeEdit) inList(ctx context.Context, tx *store.Tx, list billing.PriceListID) (func(*billing.Charge) error, error) {
	if e.FeatureCode == nil {
		return e.Edit, nil
	}
	product, err := productOfPriceList(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	var f *billing.Feature
	if billing.IsCode(*e.FeatureCode) {
		if f, err = store.FeatureByCode(ctx, tx.Queries, product, *e.FeatureCode); err != nil {
			return nil, err
		}
	}
	return func(c *billing.Charge) error {
		if f == nil {
			return and(e.Edit(c), billing.Fail(billing.NotFound, "featureCode", "The product of the price list has no feature with the code %q.", *e.FeatureCode))
		}
		err := e.Edit(c)
		c.FeatureID = &f.ID
		return err
	}, nil
}

func productOfPriceList(ctx context.Context, tx *store.Tx, list billing.PriceListID) (billing.ProductID, error) {
	l, err := find(ctx, tx, store.PriceLists, "priceListId", "price list", list)
	if err != nil {
		return 0, err
	}
	p, err := find(ctx, tx, store.Plans, "planId", "plan", l.PlanID)
	if err != nil {
		return 0, err
	}
	return p.ProductID, nil
}
