package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) PriceListCreate(ctx context.Context, attributes gen.PriceListAttributes) (*gen.PriceListCreatePayload, error) {
	return r.priceListCreatePayload(r.service.Catalog.PriceListCreate(ctx, editPriceList(attributes, true), editCharges(attributes)))
}

func (r mutation) PriceListChargeCreate(ctx context.Context, attributes gen.PriceListChargeAttributes) (*gen.PriceListChargeCreatePayload, error) {
	var list billing.PriceListID
	if id := attributes.PriceListID.Value(); id != nil {
		list = billing.PriceListID(*id)
	}
	return r.priceListChargeCreatePayload(r.service.Catalog.ChargeCreate(ctx, list, catalog.ChargeEdit{Edit: editCharge(attributes, true), FeatureCode: attributes.FeatureCode.Value()}))
}

func (r mutation) PriceListChargeUpdate(ctx context.Context, id int64, attributes gen.PriceListChargeAttributes) (*gen.PriceListChargeUpdatePayload, error) {
	return r.priceListChargeUpdatePayload(r.service.Catalog.ChargeUpdate(ctx, billing.ChargeID(id), catalog.ChargeEdit{Edit: editCharge(attributes, false), FeatureCode: attributes.FeatureCode.Value()}))
}
