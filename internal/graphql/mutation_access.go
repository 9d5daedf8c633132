package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) APIClientCreate(ctx context.Context, attributes gen.APIClientAttributes) (*gen.APIClientCreatePayload, error) {
	row, secret, err := r.service.Access.ClientCreate(ctx, editClient(attributes, true), nil)
	p := &gen.APIClientCreatePayload{}
	p.APIClient, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.ApiClients)
	if p.APIClient != nil {
		p.APIClient.ClientSecret = shown(secret)
	}
	return p, err
}

func (r mutation) APIClientSecretRenew(ctx context.Context, id int64, overlapHours *int, revokeTokens *bool) (*gen.APIClientSecretRenewPayload, error) {
	overlap := 0
	if overlapHours != nil {
		overlap = *overlapHours
	}
	row, secret, err := r.service.Access.ClientSecretRenew(ctx, billing.ClientID(id), overlap, revokeTokens != nil && *revokeTokens)
	p := &gen.APIClientSecretRenewPayload{}
	p.APIClient, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.ApiClients)
	if p.APIClient != nil {
		p.ClientID, p.ClientSecret = &row.ClientID, shown(secret)
		p.APIClient.ClientSecret = p.ClientSecret
	}
	return p, err
}

// shown is a secret on its way to the caller, null when it cannot be shown
// again.
func shown(secret string) *string {
	if secret == "" {
		return nil
	}
	return &secret
}
