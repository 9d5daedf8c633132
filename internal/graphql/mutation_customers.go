package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) AccountCreate(ctx context.Context, attributes gen.AccountAttributes) (*gen.AccountCreatePayload, error) {
	row, err := r.service.Customers.AccountCreate(ctx, editAccount(attributes, true), editBillingContact(attributes))
	p := &gen.AccountCreatePayload{}
	p.Account, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Accounts)
	return p, err
}

func (r mutation) AccountUpdate(ctx context.Context, id int64, attributes gen.AccountAttributes) (*gen.AccountUpdatePayload, error) {
	row, err := r.service.Customers.AccountUpdate(ctx, billing.AccountID(id), editAccount(attributes, false), editBillingContact(attributes))
	p := &gen.AccountUpdatePayload{}
	p.Account, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Accounts)
	return p, err
}

func (r mutation) AccountDelete(ctx context.Context, id int64) (*gen.AccountDeletePayload, error) {
	row, err := r.service.Customers.AccountDelete(ctx, billing.AccountID(id))
	p := &gen.AccountDeletePayload{}
	p.Account, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Accounts)
	return p, err
}

func (r mutation) ContactCreate(ctx context.Context, attributes gen.ContactAttributes) (*gen.ContactCreatePayload, error) {
	row, err := r.service.Customers.ContactCreate(ctx, edit(setContact, attributes, true))
	p := &gen.ContactCreatePayload{}
	p.Contact, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Contacts)
	return p, err
}

func (r mutation) ContactUpdate(ctx context.Context, id int64, attributes gen.ContactAttributes) (*gen.ContactUpdatePayload, error) {
	row, err := r.service.Customers.ContactUpdate(ctx, billing.ContactID(id), edit(setContact, attributes, false))
	p := &gen.ContactUpdatePayload{}
	p.Contact, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Contacts)
	return p, err
}

func (r mutation) ContactDelete(ctx context.Context, id int64) (*gen.ContactDeletePayload, error) {
	row, err := r.service.Customers.ContactDelete(ctx, billing.ContactID(id))
	p := &gen.ContactDeletePayload{}
	p.Contact, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Contacts)
	return p, err
}
