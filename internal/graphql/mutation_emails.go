package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func (r mutation) EmailSend(ctx context.Context, id int64) (*gen.EmailSendPayload, error) {
	row, err := r.service.Mailing.EmailSend(ctx, billing.EmailID(id))
	p := &gen.EmailSendPayload{}
	p.Email, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Emails)
	return p, err
}
