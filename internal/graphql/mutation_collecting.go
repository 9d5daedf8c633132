package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) PaymentMethodCreate(ctx context.Context, accountID int64, provider collect.Provider, token string) (*gen.PaymentMethodCreatePayload, error) {
	row, err := r.service.Invoicing.PaymentMethodCreate(ctx, billing.AccountID(accountID), provider, token)
	p := &gen.PaymentMethodCreatePayload{}
	p.PaymentMethod, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentMethods)
	return p, err
}

func (r mutation) PaymentMethodSetup(ctx context.Context, accountID int64, successURL, cancelURL string) (*gen.PaymentMethodSetupPayload, error) {
	url, failure := r.service.Invoicing.PaymentMethodSetup(ctx, billing.AccountID(accountID), successURL, cancelURL)
	p := &gen.PaymentMethodSetupPayload{}
	var err error
	p.URL, p.Errors, p.UserErrors, err = outcome(&url, failure, func(urls []string) []*string { return []*string{&urls[0]} })
	return p, err
}

func (r mutation) PaymentMethodMakeDefault(ctx context.Context, id int64) (*gen.PaymentMethodMakeDefaultPayload, error) {
	row, err := r.service.Invoicing.PaymentMethodMakeDefault(ctx, billing.PaymentMethodID(id))
	p := &gen.PaymentMethodMakeDefaultPayload{}
	p.PaymentMethod, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentMethods)
	return p, err
}

func (r mutation) PaymentMethodDelete(ctx context.Context, id int64) (*gen.PaymentMethodDeletePayload, error) {
	row, err := r.service.Invoicing.PaymentMethodDelete(ctx, billing.PaymentMethodID(id))
	p := &gen.PaymentMethodDeletePayload{}
	p.PaymentMethod, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentMethods)
	return p, err
}

func (r mutation) InvoiceCollect(ctx context.Context, id int64) (*gen.InvoiceCollectPayload, error) {
	row, err := r.service.Invoicing.InvoiceCollect(ctx, billing.InvoiceID(id))
	p := &gen.InvoiceCollectPayload{}
	p.Collection, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentCollections)
	return p, err
}

func (r mutation) PaymentCollectionSettle(ctx context.Context, id int64, succeeded bool, reference *string) (*gen.PaymentCollectionSettlePayload, error) {
	row, err := r.service.Invoicing.PaymentCollectionSettle(ctx, billing.PaymentCollectionID(id), succeeded, valueOf(reference))
	p := &gen.PaymentCollectionSettlePayload{}
	p.Collection, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentCollections)
	return p, err
}

func (r mutation) PaymentRefund(ctx context.Context, id int64, amount *string, creditNoteID *int64) (*gen.PaymentRefundPayload, error) {
	row, err := r.service.Invoicing.PaymentRefund(ctx, billing.PaymentID(id), valueOf(amount), (*billing.CreditNoteID)(creditNoteID))
	p := &gen.PaymentRefundPayload{}
	p.Refund, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PaymentRefunds)
	return p, err
}
