package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Feature(ctx context.Context, id *int64, code *string, productCode *string) (*node.Feature, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Features, id, code, codeWithin(store.Products, productCode, store.FeatureByCode, store.Features.ByCode))
	return one(row, err, r.reader.Features)
}

func (r query) Plan(ctx context.Context, id *int64, code *string, productCode *string) (*node.Plan, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Plans, id, code, codeWithin(store.Products, productCode, store.PlanByCode, store.Plans.ByCode))
	return one(row, err, r.reader.Plans)
}

func (r query) PriceListCharge(ctx context.Context, id *int64, code *string, priceListCode *string) (*node.PriceListCharge, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Charges, id, code, codeWithin(store.PriceLists, priceListCode, store.ChargeByCode, store.Charges.ByCode))
	return one(row, err, r.reader.PriceListCharges)
}

// codeWithin finds a row by a code that is unique only within its parent: in the
// parent with that code, or in any if none is given.
func codeWithin[P, T any, K ~int64](parents *store.Table[P, K], parentCode *string,
	within func(ctx context.Context, q store.Queries, parent K, code string) (*T, error),
	anywhere func(ctx context.Context, q store.Queries, code string) (*T, error),
) func(context.Context, store.Queries, string) (*T, error) {
	return func(ctx context.Context, q store.Queries, code string) (*T, error) {
		if parentCode == nil {
			return anywhere(ctx, q, code)
		}
		if !billing.IsCode(*parentCode) {
			return nil, nil
		}
		parent, err := parents.ByCode(ctx, q, *parentCode)
		if err != nil || parent == nil {
			return nil, err
		}
		return within(ctx, q, parents.ID(parent), code)
	}
}
