package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
)

// EmailTemplates keeps email.Template.
var EmailTemplates = newTable(Table[email.Template, billing.EmailTemplateID]{
	name:      "email_template",
	id:        func(t *email.Template) *billing.EmailTemplateID { return &t.ID },
	described: email.TemplateFields,
	stamps:    func(t *email.Template) (*time.Time, *time.Time) { return &t.CreatedAt, &t.UpdatedAt },
	words:     func(t *email.Template) []string { return []string{t.Name, t.Locale, t.Subject} },
	filters:   map[string]field{"name": {"name", exact, nil}, "locale": {"locale", exact, nil}},
})

// AllEmailTemplates returns all templates.
func AllEmailTemplates(ctx context.Context, q Queries) ([]email.Template, error) {
	return EmailTemplates.all(ctx, q)
}
