package console

import (
	"net/url"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var messageList = ui.Link{Text: "Messages", Href: "/messages"}

// messages are what customers can be told, with when that is.
var messages = []struct{ name, word, when string }{
	{mail.Invoice, "Invoice", "An invoice is issued"},
	{mail.DueSoon, "Due soon", "A step of the dunning policy, before the due date"},
	{mail.Reminder, "Reminder", "A step of the dunning policy"},
	{mail.LastReminder, "Last reminder", "A step of the dunning policy, before the suspension"},
	{mail.Receipt, "Receipt", "A payment is recorded or collected"},
	{mail.PaymentFailed, "Payment failed", "The bank or the customer has refused a charge"},
	{mail.MethodExpires, "Payment method expires", "30 and 7 days before"},
	{mail.CreditNote, "Credit note", "A credit note is issued"},
}

// messageWord is the name of a message for people.
func messageWord(name string) string {
	for _, m := range messages {
		if m.name == name {
			return m.word
		}
	}
	return name
}

// builtIn are the languages of the messages that are built in.
var builtIn = []ui.Option{{Value: "en", Text: "English"}, {Value: "de", Text: "German"}, {Value: "fr", Text: "French"}}

func messageHref(name, locale string) string {
	link := url.URL{Path: messageList.Href + "/" + name, RawQuery: url.Values{"locale": {locale}}.Encode()}
	return link.String()
}

// showMessages lists what customers are told, in which languages.
func showMessages(c *call) error {
	own, err := store.AllEmailTemplates(c.ctx(), c.q())
	if err != nil {
		return err
	}
	table := ui.Table{Columns: []string{"Message", "When it is sent"}}
	for _, l := range builtIn {
		table.Columns = append(table.Columns, l.Text)
	}
	table.Columns = append(table.Columns, "Your other languages")
	for _, m := range messages {
		row := []ui.Cell{ui.Plain(m.word), ui.Plain(m.when)}
		for _, l := range builtIn {
			word := "built in"
			if slices.ContainsFunc(own, func(t email.Template) bool { return t.Name == m.name && t.Locale == l.Value }) {
				word = "your words"
			}
			row = append(row, ui.Linked(word, messageHref(m.name, l.Value)))
		}
		other := ui.OrDash("")
		for n := range own {
			if t := &own[n]; t.Name == m.name && !slices.ContainsFunc(builtIn, func(l ui.Option) bool { return l.Value == t.Locale }) {
				other = ui.Linked(t.Locale, emailTemplatePages.href(t.ID))
			}
		}
		table.Rows = append(table.Rows, append(row, other))
	}
	d := ui.Details{Name: messageList.Text, Kind: "", Here: messageList.Href, Blocks: []ui.Block{{
		Title: "What customers are told", Note: "The language of the account decides. Look at a message, and say it in your own words if you like.", Table: table,
	}}}
	return showPage.show(c, d.Name, d)
}

// showMessage shows a message as a sample customer gets it.
func showMessage(c *call) error {
	name, locale := c.r.PathValue("name"), c.value("locale")
	if locale == "" {
		locale = builtIn[0].Value
	}
	used, found, err := c.service.Mailing.InUse(c.ctx(), name, locale)
	if err != nil {
		return err
	}
	if !found {
		return errNoPage
	}
	d := ui.Details{Name: messageWord(name), Kind: "message", Here: messageHref(name, locale), Crumbs: []ui.Link{messageList}}
	own, err := ownTemplate(c, name, used.Locale)
	if err != nil {
		return err
	}
	if own != nil {
		d.Badges = []ui.Cell{ui.Badge("your words", "info")}
		d.Actions = []ui.Action{{Text: "Show template", Href: emailTemplatePages.href(own.ID)}}
	} else if c.may(billing.BillingWrite) {
		query := url.Values{"name": {name}, "locale": {used.Locale}}
		d.Actions = []ui.Action{{Text: "Say it in your own words", Href: "/" + emailTemplatePages.path + "/new?" + query.Encode()}}
	}
	d.Fact("Language", ui.Plain(used.Locale))
	blocks, err := sampleBlocks(c, email.Template{Name: name, Locale: used.Locale, Subject: used.Subject, Body: used.Body})
	d.Blocks = blocks
	if err != nil {
		return err
	}
	return showPage.show(c, d.Name, d)
}

// ownTemplate is the operator's template of a message in a language, nil if there is none.
func ownTemplate(c *call, name, locale string) (*email.Template, error) {
	all, err := store.AllEmailTemplates(c.ctx(), c.q())
	for n := range all {
		if all[n].Name == name && all[n].Locale == locale {
			return &all[n], err
		}
	}
	return nil, err
}

// sampleBlocks show a template as a sample customer gets it, and the facts that it can say.
func sampleBlocks(c *call, t email.Template) ([]ui.Block, error) {
	content, err := c.service.Mailing.Preview(c.ctx(), t)
	if err != nil {
		return nil, err
	}
	facts := ui.Block{Title: "Facts", Note: "What the text can say. Write a fact as {{.InvoiceNumber}}, and what depends on one as {{if .Method}}…{{else}}…{{end}}.",
		Table: ui.Table{Columns: []string{"Fact", "What it is", "Sample"}}}
	for _, f := range mail.Fields(t.Name, t.Locale) {
		facts.Table.Rows = append(facts.Table.Rows, []ui.Cell{ui.Code("{{." + f.Name + "}}"), ui.Plain(f.Help), ui.OrDash(f.Sample)})
	}
	return []ui.Block{{Title: "As a customer gets it", Note: "Subject: " + content.Subject, Text: content.Text}, facts}, nil
}
