package catalogs

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Charges is what changing charges has in common.
var Charges = operation.Resource[catalog.Charge, billing.ChargeID]{
	Name: "priceListCharge", Words: "price list charge", Table: store.Charges, Catalog: true,
	New: func(*store.Tx) catalog.Charge {
		return catalog.Charge{ChargeType: catalog.Recurring, PricingModel: catalog.Flat}
	},
	Check: func(ctx context.Context, tx *store.Tx, before, c *catalog.Charge) (billing.Problems, error) {
		problems := c.Check()
		if before != nil {
			problems = append(problems, operation.Fixed("priceListId", "A charge stays with its price list", before.PriceListID, c.PriceListID)...)
			planned, err := keptAsPlanned(ctx, tx.Queries, before, c)
			if err != nil {
				return nil, err
			}
			problems = append(problems, planned...)
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
	InUse: func(ctx context.Context, q store.Queries, c *catalog.Charge) error {
		planned, err := plannedFor(ctx, q, c.PriceListID)
		if err == nil && planned != "" {
			err = billing.Fail(billing.InUse, "id", "The charge stays as long as changes of plan to its price list are scheduled, of %s. Take them back first, or wait until they have happened.", planned)
		}
		return err
	},
	Taken: func(c *catalog.Charge) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another charge of the price list has the code %q.", c.Code)
	},
}

// plannedFor names the subscriptions that are to change to a price list, empty if
// there are none.
func plannedFor(ctx context.Context, q store.Queries, list billing.PriceListID) (string, error) {
	const most = 3
	planned, err := store.SubscriptionsPlannedFor(ctx, q, list, most+1)
	var names []string
	for i, p := range planned {
		if i == most {
			names = append(names, "others")
			break
		}
		names = append(names, fmt.Sprintf("subscription %d (%s)", p.ID, p.Account))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1], err
	}
	return strings.Join(names, ""), err
}

// keptAsPlanned refuses to change what decides whether a number that was given
// for a charge, or is to be carried over to it, finds it: changes of plan were
// accepted with it. Its price and its bounds may change, since what was accepted
// stays accepted.
func keptAsPlanned(ctx context.Context, q store.Queries, before, c *catalog.Charge) (problems billing.Problems, err error) {
	same := reflect.DeepEqual(before.FeatureID, c.FeatureID)
	if same && before.Code == c.Code && before.ChargeType == c.ChargeType {
		return nil, nil
	}
	planned, err := plannedFor(ctx, q, before.PriceListID)
	if err != nil || planned == "" {
		return nil, err
	}
	refuse := func(field, words string) {
		problems = append(problems, billing.Fail(billing.InUse, field, "A charge keeps its %s as long as changes of plan to its price list are scheduled, of %s.", words, planned))
	}
	if !same {
		refuse("featureId", "feature")
	}
	if before.Code != c.Code {
		refuse("code", "code")
	}
	if before.ChargeType != c.ChargeType {
		refuse("chargeType", "type")
	}
	return problems, nil
}

// ChargeCreate adds a charge to a price list.
func (s *Service) ChargeCreate(ctx context.Context, list billing.PriceListID, charge catalog.ChargeEdit) (*catalog.Charge, error) {
	return Charges.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Charge, error) {
		if list == 0 {
			return nil, billing.Fail(billing.Required, "priceListId", "A charge belongs to a price list: give priceListId.")
		}
		if _, err := operation.Find(ctx, tx, store.PriceLists, "priceListId", "price list", list); err != nil {
			return nil, err
		}
		return addCharge(ctx, tx, list, charge)
	})
}

// ChargeUpdate changes a charge.
func (s *Service) ChargeUpdate(ctx context.Context, id billing.ChargeID, charge catalog.ChargeEdit) (*catalog.Charge, error) {
	return Charges.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*catalog.Charge, error) {
		c, err := operation.Find(ctx, tx, store.Charges, "id", Charges.Words, id)
		if err != nil {
			return nil, err
		}
		edit, err := inList(ctx, tx, c.PriceListID, charge)
		if err != nil {
			return nil, err
		}
		return Charges.UpdateIn(ctx, tx, id, edit, repriced)
	})
}

// ChargeDelete removes a charge from its price list.
func (s *Service) ChargeDelete(ctx context.Context, id billing.ChargeID) (*catalog.Charge, error) {
	return Charges.Delete(ctx, s.Runner, id)
}

// addCharge adds a charge to a price list that exists. Unless the caller says
// otherwise it recurs every month at a flat price; a one-time charge is billed
// once.
func addCharge(ctx context.Context, tx *store.Tx, list billing.PriceListID, charge catalog.ChargeEdit) (*catalog.Charge, error) {
	c := Charges.New(tx)
	c.PriceListID = list
	edit, err := inList(ctx, tx, list, charge)
	if err != nil {
		return nil, err
	}
	return Charges.Insert(ctx, tx, c, edit, repriced)
}

// repriced notes for previews that a price list has other charges.
func repriced(ctx context.Context, _ *store.Tx, c *catalog.Charge) error {
	if p := operation.PreviewIn(ctx); p != nil {
		p.PriceLists = append(p.PriceLists, c.PriceListID)
	}
	return nil
}

// inList returns the edit with the feature's code looked up in the product of
// the price list, and with defaults for what was left out.
func inList(ctx context.Context, tx *store.Tx, list billing.PriceListID, e catalog.ChargeEdit) (func(*catalog.Charge) error, error) {
	edit := func(c *catalog.Charge) error {
		was := *c
		err := e.Edit(c)
		c.SetDefaults(was)
		return err
	}
	if e.FeatureCode == nil {
		return edit, nil
	}
	product, err := productOfPriceList(ctx, tx, list)
	if err != nil {
		return nil, err
	}
	var f *catalog.Feature
	if billing.IsCode(*e.FeatureCode) {
		if f, err = store.FeatureByCode(ctx, tx.Queries, product, *e.FeatureCode); err != nil {
			return nil, err
		}
	}
	return func(c *catalog.Charge) error {
		if f == nil {
			return operation.And(edit(c), billing.Fail(billing.NotFound, "featureCode", "The product of the price list has no feature with the code %q.", *e.FeatureCode))
		}
		err := edit(c)
		c.FeatureID = &f.ID
		return err
	}, nil
}

func productOfPriceList(ctx context.Context, tx *store.Tx, list billing.PriceListID) (billing.ProductID, error) {
	l, err := operation.Find(ctx, tx, store.PriceLists, "priceListId", "price list", list)
	if err != nil {
		return 0, err
	}
	p, err := operation.Find(ctx, tx, store.Plans, "planId", "plan", l.PlanID)
	if err != nil {
		return 0, err
	}
	return p.ProductID, nil
}
