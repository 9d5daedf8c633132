package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) AccountCreate(ctx context.Context, attributes gen.AccountAttributes) (*gen.AccountCreatePayload, error) {
	return r.accountCreatePayload(r.service.Customers.AccountCreate(ctx, editAccount(attributes, true), editBillingContact(attributes)))
}

func (r mutation) AccountUpdate(ctx context.Context, id int64, attributes gen.AccountAttributes) (*gen.AccountUpdatePayload, error) {
	return r.accountUpdatePayload(r.service.Customers.AccountUpdate(ctx, billing.AccountID(id), editAccount(attributes, false), editBillingContact(attributes)))
}
