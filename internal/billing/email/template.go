package email

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Template is what an operator has messages say instead of what is built in, in one
// language.
type Template struct {
	ID     billing.EmailTemplateID `json:"id"`
	Name   string                  `json:"name"`
	Locale string                  `json:"locale"`
	// Subject and Body have actions in double braces: see package mail, which checks
	// them.
	Subject   string    `json:"subject"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// TemplateFields describes the fields of a template.
var TemplateFields = billing.Fields[Template]{
	{Fields: []billing.Field[Template]{
		billing.Describe("name", "Message", func(t *Template) *string { return &t.Name }).AsRequired(),
		billing.Describe("locale", "Language", func(t *Template) *string { return &t.Locale }).AsRequired().WithHelp("Such as en, de or fr-CH."),
		billing.Describe("subject", "Subject", func(t *Template) *string { return &t.Subject }).AsRequired(),
		billing.Describe("body", "Text", func(t *Template) *string { return &t.Body }).AsRequired().AsLines(),
	}},
}

// Mode says what becomes of e-mail of accounts on real time.
type Mode string

// The modes of e-mail. Without one, none is written.
const (
	Off     Mode = ""
	Send    Mode = "send"
	Mailbox Mode = "mailbox" // it is only shown in the console
)
