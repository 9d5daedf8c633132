package mail

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestTemplatesThatAreRight(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"Hello", "Hello {{.CustomerName}}", "{{/* a note */}}Hello", "{{- .CustomerName -}}",
		"{{if .InvoiceDate}}a{{else if .BankDetails}}b{{else}}c{{end}}",
		`{{if eq .DaysOverdue 1}}a{{end}}{{if ge .DaysOverdue 10}}{{.DaysOverdue}}{{end}}!`,
		`{{if and .Attached (not .BankDetails) (or .ContactName .DaysOverdue)}}a{{end}}!`,
		`{{if eq .CustomerName "Globex"}}a{{else}}b{{end}}`, `{{if ne .Attached true}}a{{end}}!`, `{{"{{"}} {{1}} {{.Attached}}`,
		`{{or .ContactName .CustomerName}}`, strings.Repeat("ä", MaxBody/2), "a\tb\r\nc", strings.Repeat("{{.CompanyName}} ", 1000),
		strings.Repeat("{{if .Attached}}", 800) + "x" + strings.Repeat("{{end}}", 800) + "!",
	} {
		if err := Check(Reminder, "de-AT", "Hello {{.CustomerName}}", body); err != nil {
			t.Errorf("%.80q: %v", body, err)
		}
	}
}

func TestTemplatesThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, body, field, want string }{
		{"", "x", "subject", "The subject must not be empty."},
		{"a\nb", "x", "subject", "The subject has a line break."},
		{"a\tb", "x", "subject", "control character"},
		{strings.Repeat("ä", 501), "x", "subject", "has 501 characters; at most 500"},
		{"\xff", "x", "subject", "UTF-8"},
		{"{{.Foo}}", "x", "subject", "Subject: there is no fact .Foo."},
		{"{{.InvoceNumber", "x", "subject", "Subject: an action that begins with {{ is not closed with }}."},
		{"x", " \n", "body", "The body must not be empty."},
		{"x", "\xff", "body", "UTF-8"},
		{"x", "a\nb\x00", "body", "Line 2: there is a control character (U+0000)."},
		{"x", strings.Repeat("x", MaxBody+1), "body", "has 20001 bytes; at most 20000"},
		{"x", "a\nb {{.InvoceNumber}}", "body", "Line 2: there is no fact .InvoceNumber. Did you mean .InvoiceNumber?"},
		{"x", "{{.invoicenumber}}", "body", "Did you mean .InvoiceNumber?"},
		{"x", "{{.Banana}}", "body", "Line 1: there is no fact .Banana. There are .CompanyName, .CompanyEmail, "},
		{"x", "{{.CreditAmount}}", "body", `the message "reminder" has no fact .CreditAmount. There are`},
		{"x", "{{InvoiceNumber}}", "body", "If you mean the fact, write {{.InvoiceNumber}}, with a dot."},
		{"x", "{{printf \"%1000000000d\" 1}}", "body", "there is no function printf. There are and, or, not"},
		{"x", "{{html .Total}}", "body", "no function html"},
		{"x", "{{call .Total}}", "body", "no function call"},
		{"x", "a\nb\n{{.Total", "body", "Line 3: an action that begins with {{ is not closed with }}."},
		{"x", "{{.Total}", "body", "Line 1:"},
		{"x", "{{.Total\n}}\n{{", "body", "is not closed"},
		{"x", "a\n{{if .Total}}\nb\nc", "body", "Line 2: the {{if}} has no {{end}}."},
		{"x", "{{if .Total}}{{if .Attached}}\n{{end}}", "body", "Line 1: the {{if}} has no {{end}}."},
		{"x", "a{{end}}", "body", "Line 1: an {{end}} or {{else}} has no {{if}} before it."},
		{"x", "{{else}}", "body", "has no {{if}} before it"},
		{"x", "{{}}", "body", "an action is empty"},
		{"x", "{{if}}a{{end}}", "body", "an action is empty"},
		{"x", "{{range 1000000000}}a{{end}}", "body", "range is not available here."},
		{"x", "{{with .Total}}a{{end}}", "body", "with is not available here."},
		{"x", "{{template \"body\"}}", "body", "template is not available here."},
		{"x", "a{{define \"x\"}}a{{end}}", "body", "define and block are not available here."},
		{"x", "{{block \"x\" .}}a{{end}}", "body", "not available here."},
		{"x", "{{$x := .Total}}", "body", "variables are not available here."},
		{"x", "{{$x}}", "body", "variables are not available here."},
		{"x", "{{$.Total}}", "body", "without a $"},
		{"x", "{{.Total | not}}", "body", "| is not available here."},
		{"x", "{{.}}", "body", ". is not a fact."},
		{"x", "{{nil}}", "body", "Line 1:"},
		{"x", "{{(.Total).Foo}}", "body", "is not a fact"},
		{"x", "{{.Total.Foo}}", "body", "the fact .Total has no parts: remove .Foo."},
		{"x", "{{.Total 1}}", "body", ".Total is not a function, but 1 follows it."},
		{"x", "{{1.5}}", "body", "is not a whole number"},
		{"x", "{{99999999999}}", "body", "is not a whole number"},
		{"x", "{{eq .DaysOverdue 1.0}}", "body", "is not a whole number"},
		{"x", "{{'a'}}", "body", "is not a whole number"},
		{"x", "{{if eq .Total 1}}a{{end}}", "body", "eq compares a text with a number: .Total is a text and 1 is a number."},
		{"x", "{{if eq .Total}}a{{end}}", "body", "eq takes two values"},
		{"x", "{{if lt .Attached true}}a{{end}}", "body", "lt compares numbers or texts"},
		{"x", "{{if eq (or .Total 1) (or .Total 1)}}a{{end}}", "body", "one of several kinds"},
		{"x", "{{not}}", "body", "not takes one value"},
		{"x", "{{and .Total}}", "body", "and takes two or more values"},
		{"x", "{{if not eq .Total \"a\"}}a{{end}}", "body", "write eq in parentheses with its values"},
		{"x", "a{{if .Attached}}{{if not .Attached}}{{.Foo}}{{end}}{{end}}", "body", "there is no fact .Foo"},
		{"x", "{{break}}", "body", "loops are not available here."},
		{"x", "{{if not .InvoiceNumber}}a{{end}}", "body", "The body is empty for a usual message."},
	} {
		err := Check(Reminder, "en", c.subject, c.body)
		problems, ok := errors.AsType[billing.Problems](err)
		if !ok || !strings.Contains(problems[0].Message, c.want) || !slices.Equal(problems[0].Field, []string{c.field}) {
			t.Errorf("%.40q %.60q: %v, want %s", c.subject, c.body, err, c.want)
		}
		if ok && strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("%.60q: the error has a line break: %q", c.body, err)
		}
	}
	if err := Check("nothing", "en", "x", "x"); !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), "There are invoice, due-soon") {
		t.Error(err)
	}
	for _, locale := range []string{"", "German", "de-", "d", "de\n"} {
		if err := Check(Reminder, locale, "x", "x"); !billing.Is(err, billing.Invalid) {
			t.Errorf("%q: %v", locale, err)
		}
	}
	if err := Check(Reminder, "en", "{{.A}}", "{{.B}}\n{{.C}}"); strings.Count(err.Error(), "there is no fact") != 3 {
		t.Errorf("not all is said: %v", err)
	}
}

func TestTemplatesThatWereNotCheckedAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := Render(Template{Name: Reminder, Subject: "{{.Foo}}", Body: "x"}, Facts{}); err == nil {
		t.Error("rendered")
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	facts := Facts{CustomerName: strings.Repeat("ä<", 10_000), CompanyName: "Acme"}
	for _, body := range []string{strings.Repeat("{{.CustomerName}}", 1000), strings.Repeat("a: b\n", 4000), strings.Repeat("a\n\n", 6000)} {
		content := render(t, Template{Name: Reminder, Locale: "en", Subject: strings.Repeat("{{.CustomerName}}", 25), Body: body}, facts)
		if len(content.Text) > MaxText+1 || len(content.HTML) > maxHTML+MaxText*40 || utf8.RuneCountInString(content.Subject) > maxSubject+1 || !utf8.ValidString(content.Text) {
			t.Errorf("%d bytes of text, %d of HTML, subject %q", len(content.Text), len(content.HTML), content.Subject)
		}
	}
	if content := render(t, Template{Name: Reminder, Subject: "{{.ContactName}}", Body: "x"}, facts); content.Subject != "Acme" {
		t.Errorf("subject %q", content.Subject)
	}
}
