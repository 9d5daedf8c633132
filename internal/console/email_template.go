package console

import (
	"cmp"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/ui"
)

var emailTemplatePages *resource[email.Template, billing.EmailTemplateID]

// Set here, because pages refer to each other.
func init() {
	emailTemplatePages = &resource[email.Template, billing.EmailTemplateID]{
		path: "email-templates", one: "e-mail template", many: "E-mail templates", billing: true, Resource: mailing.Templates,
		name:   func(t *email.Template) string { return messageWord(t.Name) + ", " + t.Locale },
		about:  "An e-mail template is what a message to customers says in one language, instead of what is built in. Begin with one of the messages.",
		hint:   "name:invoice, locale:de",
		fields: email.TemplateFields,
		listed: []string{"subject"},
		show: func(c *call, t *email.Template) (*ui.Details, error) {
			blocks, err := sampleBlocks(c, *t)
			return &ui.Details{Blocks: append([]ui.Block{{Title: "Template", Note: "Subject: " + t.Subject, Code: t.Body}}, blocks...)}, err
		},
		said: []string{"subject", "body"},
		begin: func(c *call) (email.Template, error) {
			t := email.Template{Name: cmp.Or(c.value("name"), mail.Invoice), Locale: cmp.Or(c.value("locale"), builtIn[0].Value)}
			used, _, err := c.service.Mailing.InUse(c.ctx(), t.Name, t.Locale)
			t.Subject, t.Body = used.Subject, used.Body
			return t, err
		},
		inputs: func(*call, *email.Template, bool) ([]ui.Section[email.Template], error) {
			body := ui.InputFor(email.TemplateFields, "body")
			body.Rows = 22
			body.Field.Help = "Plain text, with facts such as {{.CompanyName}} in double braces. The page of the message lists them."
			return ui.Sections(email.TemplateFields, messageInput(), ui.InputFor(email.TemplateFields, "subject").Wide(), body), nil
		},
		losses: func(*call, *email.Template) (string, error) {
			return "The message says again what is built in, or what you have it say in the language as a whole.", nil
		},
	}
}

// messageInput chooses the message.
func messageInput() ui.Input[email.Template] {
	options := make([]ui.Option, len(messages))
	for n, m := range messages {
		options[n] = ui.Option{Value: m.name, Text: m.word}
	}
	return ui.Choice("name", "Message", func(t *email.Template) *string { return &t.Name }, options...)
}
