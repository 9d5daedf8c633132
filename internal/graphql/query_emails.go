package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/mail"
)

func (r query) EmailTemplatePreview(ctx context.Context, name, locale string, subject, body *string) (*node.EmailPreview, error) {
	content, err := r.service.Mailing.Preview(ctx, email.Template{Name: name, Locale: locale, Subject: valueOf(subject), Body: valueOf(body)})
	if err != nil {
		return nil, err
	}
	return node.EmailPreviewOf(content, mail.Fields(name, locale)), nil
}
