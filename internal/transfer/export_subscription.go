package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

func (e *exporter) subscriptions(ctx context.Context) error {
	return eachPage(ctx, e.tx.Queries, store.Subscriptions, func(rows []subscription.Subscription) error {
		accounts, err := owners(ctx, e, rows, func(s *subscription.Subscription) billing.AccountID { return s.AccountID })
		if err != nil {
			return err
		}
		var ids []billing.TenantID
		for i := range rows {
			if rows[i].TenantID != nil {
				ids = append(ids, *rows[i].TenantID)
			}
		}
		found, err := store.Tenants.ByIDs(ctx, e.tx.Queries, ids)
		if err != nil {
			return err
		}
		tenants := make(map[billing.TenantID]string, len(found))
		for i := range found {
			tenants[found[i].ID] = found[i].Code
		}
		for i := range rows {
			s := &rows[i]
			if err := store.Readable(s); err != nil {
				return err
			}
			if accounts[s.AccountID] == nil {
				continue
			}
			if s.Code == nil {
				e.missing.Subscriptions++
			}
			if err := e.write(subscriptionKind, e.subscription(s, text(accounts[s.AccountID].Code), tenants)); err != nil {
				return err
			}
		}
		return nil
	})
}

// subscription is a subscription as it is, to the day that it has been brought
// to.
func (e *exporter) subscription(s *subscription.Subscription, account string, tenants map[billing.TenantID]string) *subscriptionLine {
	l := &subscriptionLine{
		code: text(s.Code), account: account, priceList: priceLists.of(e.catalog, s.PriceListID).Code,
		record: subscription.Record{
			State: &s.State, Evergreen: &s.Evergreen, RenewalTermMonths: &s.RenewalTermMonths, StartDate: &s.StartDate, EndDate: &s.EndDate,
			TermStartDate: &s.TermStartDate, AnchorDay: &s.AnchorDay, Epochs: s.Epochs, Pauses: s.Pauses, TrialStartDate: s.TrialStartDate, TrialEndDate: s.TrialEndDate,
			TrialExpirationAction: s.TrialExpirationAction, CancellationDate: s.CancellationDate, Unused: s.Unused, AsOf: &s.AsOf,
			PONumber: s.PONumber, BilledThrough: s.BilledThrough,
		},
		lines: make([]chargeOf, len(s.Charges)),
	}
	if s.SeparateInvoice {
		l.record.SeparateInvoice = &s.SeparateInvoice
	}
	if s.TenantID != nil {
		code := tenants[*s.TenantID]
		l.tenant = &code
	}
	if n := s.NextPriceList; n != nil {
		l.next = &nextLine{priceList: priceLists.of(e.catalog, n.ID).Code, on: n.On}
		for _, q := range n.Quantities {
			if charge := charges.of(e.catalog, q.ChargeID); charge != nil {
				l.next.quantities = append(l.next.quantities, subscription.QuantityOrder{Code: charge.Code, Quantity: q.Quantity})
			}
		}
	}
	for i := range s.Charges {
		l.lines[i] = e.lineOf(s, &s.Charges[i])
	}
	return l
}

// lineOf is a line of a subscription with all that it has of its own: its charge
// may have changed since, or be gone.
func (e *exporter) lineOf(s *subscription.Subscription, line *subscription.Line) chargeOf {
	l := chargeOf{
		charge: line.Code, name: &line.Name, chargeType: &line.Type, quantity: line.Quantity, price: line.Price, noPrice: true, rate: line.Rate,
		start: &line.StartDate, end: &line.EndDate, keptTo: line.KeptTo, noFeature: true,
	}
	if line.Off {
		l.off = &line.Off
	}
	gone := deletedLine{}
	if charge := charges.of(e.catalog, line.ChargeID); charge == nil {
		gone.charge = number(line.ChargeID)
	} else if l.charge = charge.Code; charge.Code != line.Code {
		l.code = &line.Code
	}
	if list := priceLists.of(e.catalog, line.PriceListID); list == nil {
		gone.priceList = number(line.PriceListID)
		l.currencyID, l.currency = &line.CurrencyID, line.CurrencyID
	} else {
		l.currency = list.CurrencyID
		if line.PriceListID != s.PriceListID {
			l.priceList = &list.Code
		}
	}
	if line.FeatureID != nil {
		if feature := features.of(e.catalog, *line.FeatureID); feature == nil {
			gone.feature = number(*line.FeatureID)
		} else {
			l.feature = &feature.Code
		}
	}
	if gone != (deletedLine{}) {
		l.deleted = &gone
	}
	return l
}

// number is the number of something that was deleted. One that was imported is
// kept below zero, where no id is.
func number[K ~int64](id K) *int64 {
	n := int64(id)
	if n < 0 {
		n = -n
	}
	return &n
}
