package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) PriceList(ctx context.Context, id *int64, code *string) (*node.PriceList, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.PriceLists, id, code, store.PriceListByCode)
	return one(row, err, r.reader.PriceLists)
}

func (r query) PriceLists(ctx context.Context, filter *string, limit *int) ([]*node.PriceList, error) {
	return list(ctx, r.resolver, store.PriceLists, r.reader.PriceLists, filter, limit)
}

func (r query) PriceListsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.PriceListConnection, error) {
	id := func(n *node.PriceList) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.PriceLists, r.reader.PriceLists, id, first, after, filter)
}

func (r query) PriceListCharge(ctx context.Context, id *int64, code *string, priceListCode *string) (*node.PriceListCharge, error) {
	byCode := func(ctx context.Context, q store.Queries, code string) (*billing.Charge, error) {
		if priceListCode == nil {
			return store.ChargeByBareCode(ctx, q, code)
		}
		if !billing.IsCode(*priceListCode) {
			return nil, nil
		}
		parent, err := store.PriceListByCode(ctx, q, *priceListCode)
		if err != nil || parent == nil {
			return nil, err
		}
		return store.ChargeByCode(ctx, q, parent.ID, code)
	}
	row, err := byIDOrCode(ctx, r.resolver, store.Charges, id, code, byCode)
	return one(row, err, r.reader.PriceListCharges)
}

func (r query) PriceListCharges(ctx context.Context, filter *string, limit *int) ([]*node.PriceListCharge, error) {
	return list(ctx, r.resolver, store.Charges, r.reader.PriceListCharges, filter, limit)
}

func (r query) PriceListChargesConnection(ctx context.Context, first *int, after *string, filter *string) (*node.PriceListChargeConnection, error) {
	id := func(n *node.PriceListCharge) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Charges, r.reader.PriceListCharges, id, first, after, filter)
}
