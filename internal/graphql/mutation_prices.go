package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/service/catalog"
)

func (r mutation) PriceListCreate(ctx context.Context, attributes gen.PriceListAttributes) (*gen.PriceListCreatePayload, error) {
	row, err := r.service.Catalog.PriceListCreate(ctx, editPriceList(attributes, true), editCharges(attributes))
	p := &gen.PriceListCreatePayload{}
	p.PriceList, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceLists)
	return p, err
}

func (r mutation) PriceListUpdate(ctx context.Context, id int64, attributes gen.PriceListAttributes) (*gen.PriceListUpdatePayload, error) {
	row, err := r.service.Catalog.PriceListUpdate(ctx, billing.PriceListID(id), editPriceList(attributes, false))
	p := &gen.PriceListUpdatePayload{}
	p.PriceList, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceLists)
	return p, err
}

func (r mutation) PriceListDelete(ctx context.Context, id int64) (*gen.PriceListDeletePayload, error) {
	row, err := r.service.Catalog.PriceListDelete(ctx, billing.PriceListID(id))
	p := &gen.PriceListDeletePayload{}
	p.PriceList, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceLists)
	return p, err
}

func (r mutation) PriceListChargeCreate(ctx context.Context, attributes gen.PriceListChargeAttributes) (*gen.PriceListChargeCreatePayload, error) {
	var list billing.PriceListID
	if id := attributes.PriceListID.Value(); id != nil {
		list = billing.PriceListID(*id)
	}
	row, err := r.service.Catalog.ChargeCreate(ctx, list, catalog.ChargeEdit{Edit: editCharge(attributes, true), FeatureCode: attributes.FeatureCode.Value()})
	p := &gen.PriceListChargeCreatePayload{}
	p.PriceListCharge, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceListCharges)
	return p, err
}

func (r mutation) PriceListChargeUpdate(ctx context.Context, id int64, attributes gen.PriceListChargeAttributes) (*gen.PriceListChargeUpdatePayload, error) {
	row, err := r.service.Catalog.ChargeUpdate(ctx, billing.ChargeID(id), catalog.ChargeEdit{Edit: editCharge(attributes, false), FeatureCode: attributes.FeatureCode.Value()})
	p := &gen.PriceListChargeUpdatePayload{}
	p.PriceListCharge, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceListCharges)
	return p, err
}

func (r mutation) PriceListChargeDelete(ctx context.Context, id int64) (*gen.PriceListChargeDeletePayload, error) {
	row, err := r.service.Catalog.ChargeDelete(ctx, billing.ChargeID(id))
	p := &gen.PriceListChargeDeletePayload{}
	p.PriceListCharge, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PriceListCharges)
	return p, err
}
