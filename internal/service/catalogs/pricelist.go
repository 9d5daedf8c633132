package catalogs

import (
	"context"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PriceLists is what changing price lists has in common.
var PriceLists = operation.Resource[catalog.PriceList, billing.PriceListID]{
	Name: "priceList", Words: "price list", Table: store.PriceLists, Catalog: true,
	New: func(*store.Tx) catalog.PriceList { return catalog.PriceList{RenewalTermMonths: 1, IsVisible: true} },
	Check: func(ctx context.Context, tx *store.Tx, before, l *catalog.PriceList) (billing.Problems, error) {
		problems := l.Check()
		if before != nil {
			problems = append(problems, operation.Fixed("planId", "A price list stays with its plan", before.PlanID, l.PlanID)...)
			return checkSoldStays(ctx, tx, problems, before, l)
		}
		if l.PlanID == 0 {
			return append(problems, billing.Fail(billing.Required, "planId", "A price list prices a plan: give planId.")), nil
		}
		plan, err := store.Plans.Get(ctx, tx.Queries, l.PlanID)
		if err == nil && plan == nil {
			problems = append(problems, billing.Missing("planId", "plan", l.PlanID))
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, l *catalog.PriceList) error {
		n, err := store.SubscriptionsOnPriceList(ctx, q, l.ID)
		if err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The price list is used by %s, and is kept for the record.", operation.Counted(n, "subscription", "subscriptions"))
		}
		return err
	},
	Release: func(ctx context.Context, tx *store.Tx, l *catalog.PriceList) error {
		// Charges are parts of their price list and go with it.
		err := Charges.AuditDeletedParts(ctx, tx, "priceList", int64(l.ID), func(c *catalog.Charge) bool { return c.PriceListID == l.ID })
		if err == nil {
			_, err = store.DeleteChargesOf(ctx, tx, l.ID)
		}
		return err
	},
	Taken: func(l *catalog.PriceList) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another price list has the code %q.", l.Code)
	},
}

// checkSoldStays refuses another currency, or prices with tax instead of without,
// once something was sold on the price list.
func checkSoldStays(ctx context.Context, tx *store.Tx, problems billing.Problems, before, l *catalog.PriceList) (billing.Problems, error) {
	if l.CurrencyID == before.CurrencyID && l.PricesIncludeTax == before.PricesIncludeTax {
		return problems, nil
	}
	sold, err := store.SoldOnPriceList(ctx, tx.Queries, l.ID)
	if sold && l.PricesIncludeTax != before.PricesIncludeTax {
		problems = append(problems, billing.Fail(billing.NotAllowed, "pricesIncludeTax", "The price list was sold with prices that %s: create another one.", including(before.PricesIncludeTax)))
	}
	if sold && l.CurrencyID != before.CurrencyID {
		problems = append(problems, billing.Fail(billing.NotAllowed, "currencyId", "The price list was sold in %s: create another one for prices in %s.", before.CurrencyID, l.CurrencyID))
	}
	return problems, err
}

func including(tax bool) string {
	if tax {
		return "include tax"
	}
	return "do not include tax"
}

// PriceListCreate adds a price list with its first charges.
func (s *Service) PriceListCreate(ctx context.Context, edit func(*catalog.PriceList) error, charges []catalog.ChargeEdit) (*catalog.PriceList, error) {
	return PriceLists.Create(ctx, s.Runner, edit, func(ctx context.Context, tx *store.Tx, l *catalog.PriceList) error {
		for i, charge := range charges {
			if _, err := addCharge(ctx, tx, l.ID, charge); err != nil {
				return operation.Within("charges", operation.Within(strconv.Itoa(i), err))
			}
		}
		return nil
	})
}

// PriceListUpdate changes a price list.
func (s *Service) PriceListUpdate(ctx context.Context, id billing.PriceListID, edit func(*catalog.PriceList) error) (*catalog.PriceList, error) {
	return PriceLists.Update(ctx, s.Runner, id, edit)
}

// PriceListDelete removes a price list with its charges.
func (s *Service) PriceListDelete(ctx context.Context, id billing.PriceListID) (*catalog.PriceList, error) {
	return PriceLists.Delete(ctx, s.Runner, id)
}
