package mailing

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Templates is what changing the templates of e-mail has in common.
var Templates = operation.Resource[email.Template, billing.EmailTemplateID]{
	Name: "emailTemplate", Words: "e-mail template", Table: store.EmailTemplates, Catalog: true,
	Check: func(_ context.Context, _ *store.Tx, _, t *email.Template) (billing.Problems, error) {
		return CheckTemplate(t), nil
	},
	Taken: func(t *email.Template) *billing.Error {
		return billing.Fail(billing.Taken, "locale", "There is a template of the message %q in %q already. Change that one.", t.Name, t.Locale)
	},
}

// CheckTemplate returns what is wrong with a template, with the line.
func CheckTemplate(t *email.Template) billing.Problems {
	t.Body = strings.ReplaceAll(t.Body, "\r\n", "\n")
	problems := billing.Problems{}
	if err := mail.Check(t.Name, t.Locale, t.Subject, t.Body); errors.As(err, &problems) {
		return problems
	}
	return nil
}

// InUse is the template that says a message in a language: the nearest of the operator, or
// what is built in. It is false if there is no such message.
func (s *Service) InUse(ctx context.Context, name, locale string) (mail.Template, bool, error) {
	own, err := store.AllEmailTemplates(ctx, s.Read())
	if err != nil {
		return mail.Template{}, false, err
	}
	known := make([]mail.Template, len(own))
	for n := range own {
		known[n] = templateOf(&own[n])
	}
	t, found := mail.Choose(known, name, locale)
	return t, found, nil
}

// Preview is what a message would say to a customer who does not exist. What is left empty
// is that of the template in use.
func (s *Service) Preview(ctx context.Context, t email.Template) (mail.Content, error) {
	used, found, err := s.InUse(ctx, t.Name, t.Locale)
	if err != nil {
		return mail.Content{}, err
	}
	if found {
		t.Subject, t.Body = cmp.Or(t.Subject, used.Subject), cmp.Or(t.Body, used.Body)
	}
	if problems := CheckTemplate(&t); len(problems) > 0 {
		return mail.Content{}, problems
	}
	return mail.Render(templateOf(&t), mail.Sample(t.Name, t.Locale))
}
