package mail

import (
	"embed"
	"slices"
	"strings"
)

// The names of the templates.
const (
	Invoice       = "invoice"        // a new invoice
	DueSoon       = "due-soon"       // an invoice is due in some days
	Reminder      = "reminder"       // an invoice is overdue
	LastReminder  = "last-reminder"  // the same, and announces the suspension
	Receipt       = "receipt"        // a payment was received
	PaymentFailed = "payment-failed" // a payment method could not be charged
	MethodExpires = "method-expires" // a payment method expires in some days
	CreditNote    = "credit-note"    // a new credit note
)

// Names are the names of all templates.
var Names = []string{Invoice, DueSoon, Reminder, LastReminder, Receipt, PaymentFailed, MethodExpires, CreditNote}

// IsName reports whether a template has this name.
func IsName(name string) bool { return slices.Contains(Names, name) }

// Template is what a message says, with facts left open. The body is plain text;
// paragraphs are separated by empty lines. Both have actions in double braces:
//
//	{{.InvoiceNumber}}                        a fact
//	{{if .Method}}…{{else}}…{{end}}           a text that depends on one
//	{{if eq .DaysLeft 1}}, {{if gt .DaysLeft 1}}, {{if not .AmountDue}}, and, or
//
// This is the language of package text/template without loops, variables and everything
// else that could fail or not end.
type Template struct {
	Name   string
	Locale string
	// Subject is one line.
	Subject string
	Body    string
}

//go:embed templates
var files embed.FS

// languages are those of the built-in templates. The first is for everybody else.
var languages = []string{"en", "de", "fr"}

// language is that of the built-in templates which is used for a locale.
func language(locale string) string {
	of, _, _ := strings.Cut(normal(locale), "-")
	if slices.Contains(languages, of) {
		return of
	}
	return languages[0]
}

// normal is a locale in the form in which locales are compared.
func normal(locale string) string { return strings.ToLower(strings.ReplaceAll(locale, "_", "-")) }

// BuiltIn returns the built-in template of a name, in the language of the locale or in
// English. It is false if there is none of this name.
func BuiltIn(name, locale string) (Template, bool) {
	if !IsName(name) {
		return Template{}, false
	}
	in := language(locale)
	file, err := files.ReadFile("templates/" + in + "/" + name + ".txt")
	if err != nil {
		return Template{}, false // TestEveryTemplateExists
	}
	head, body, _ := strings.Cut(string(file), "\n\n")
	t := Template{Name: name, Locale: in, Subject: strings.TrimPrefix(head, "Subject: "), Body: body}
	if subtags := strings.Split(normal(locale), "-"); in == "de" && (slices.Contains(subtags, "ch") || slices.Contains(subtags, "li")) {
		// Nobody writes ß there.
		t.Subject, t.Body = strings.ReplaceAll(t.Subject, "ß", "ss"), strings.ReplaceAll(t.Body, "ß", "ss")
	}
	return t, true
}

// Choose returns the template of a name that is nearest to a locale: of the operator's
// own ones that with its country, then that of its language, then the built-in one, and
// the same in English if there is none in the language. It is false if no template has
// the name.
func Choose(own []Template, name, locale string) (Template, bool) {
	wanted := normal(locale)
	for tag := wanted; ; {
		if i := slices.IndexFunc(own, func(t Template) bool { return t.Name == name && normal(t.Locale) == tag }); i >= 0 {
			return own[i], true
		}
		cut := strings.LastIndexByte(tag, '-')
		if cut < 0 {
			break
		}
		tag = tag[:cut]
	}
	of, _, _ := strings.Cut(wanted, "-")
	if !slices.Contains(languages, of) {
		return Choose(own, name, languages[0])
	}
	return BuiltIn(name, locale)
}
