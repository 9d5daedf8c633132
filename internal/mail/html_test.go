package mail

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a customer chose as a name is only ever a name.
func TestNamesAreHarmless(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Eve\r\nBcc: eve@evil.example", "Eve\n\nPay here: https://evil.example/", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`,
		"{{.CompanyEmail}}", "https://evil.example/x", "Pay here: https://evil.example/x", "\u202egnp.exe", "a\x00b\u2028c", "&lt;b&gt;", "\xff",
		"https://billing.acme.example.evil.example/pay/7f3k2m9q", "billing@acme.example\" onclick=\"x",
	} {
		for _, template := range []Template{
			builtIn(t, Reminder, "en"), builtIn(t, Invoice, "de"), builtIn(t, MethodExpires, "fr"),
			{Name: Reminder, Locale: "en", Subject: "{{.CustomerName}}", Body: "{{.CustomerName}}\n\n{{.CustomerName}}: x\n{{.CustomerName}}: {{.CustomerName}}\n\nhttps://acme.example/{{.CustomerName}}"},
		} {
			facts := Sample(template.Name, template.Locale)
			usual := render(t, template, facts)
			facts.CustomerName, facts.ContactName = name, name
			content := render(t, template, facts)
			if strings.ContainsFunc(content.Subject, isControl) {
				t.Errorf("subject %q", content.Subject)
			}
			if strings.Count(content.Text, "\n") != strings.Count(usual.Text, "\n") || strings.ContainsFunc(strings.ReplaceAll(content.Text, "\n", ""), isControl) {
				t.Errorf("%q: text\n%s", name, content.Text)
			}
			if regexp.MustCompile(`href="https?://[^"/]*evil`).MatchString(content.HTML) || regexp.MustCompile(`<(script|img)`).MatchString(content.HTML) || strings.Contains(content.HTML, `" onclick`) {
				t.Errorf("%q: HTML\n%s", name, content.HTML)
			}
			checkHTML(t, content.HTML)
			m := plainMessage()
			m.Subject, m.Text, m.HTML = content.Subject, content.Text, content.HTML
			encoded, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if d := decode(t, encoded); len(d.header) != 8 || d.subject != content.Subject {
				t.Errorf("%q: %v", name, d.header)
			}
		}
	}
}

var openTag = regexp.MustCompile(`<(meta[^>]*|br)>`)

// checkHTML wants every element closed and only those that a page has.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	page = openTag.ReplaceAllString(strings.TrimPrefix(page, "<!DOCTYPE html>"), "<$1/>")
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Entity = xml.HTMLEntity
	known := " html head meta title body div p a br table tr th td "
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%v in\n%s", err, page)
			return
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains(known, " "+start.Name.Local+" ") {
			t.Errorf("the element %s in\n%s", start.Name.Local, page)
		}
	}
}

func TestHTMLOfText(t *testing.T) {
	t.Parallel()
	p := page{language: "en", title: "<Hello>", email: "a@b.example", trusted: []string{"https://a.example/x?y=1&z=_", "https://b.example/i/", "https://c.example"}}
	for text, want := range map[string]string{
		"one\ntwo\n\nthree":                                "<p>one<br>\ntwo</p>\n<p>three</p>\n",
		"a < b & \"c\"":                                    "<p>a &lt; b &amp; &#34;c&#34;</p>\n",
		"See https://a.example/x?y=1&z=_.":                 `<p>See <a href="https://a.example/x?y=1&amp;z=_">https://a.example/x?y=1&amp;z=_</a>.</p>` + "\n",
		"(https://b.example/i/17), https://c.example/evil": `<p>(<a href="https://b.example/i/17">https://b.example/i/17</a>), https://c.example/evil</p>` + "\n",
		"https://c.example!":                               `<p><a href="https://c.example">https://c.example</a>!</p>` + "\n",
		"http://a.example/x javascript:alert(1)":           "<p>http://a.example/x javascript:alert(1)</p>\n",
		"Write to a@b.example.":                            `<p>Write to <a href="mailto:a@b.example">a@b.example</a>.</p>` + "\n",
		"Pay\u00a0: https://b.example/i/17":                `<p><a href="https://b.example/i/17" style="` + buttonStyle + `">Pay</a></p>` + "\n",
		"Pay: https://evil.example/":                       "<p>Pay: https://evil.example/</p>\n",
	} {
		html := p.html(text)
		checkHTML(t, html)
		_, html, _ = strings.Cut(html, frameStyle+"\">\n")
		if got := strings.TrimSuffix(html, "</div>\n</body>\n</html>\n"); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	}
	if html := p.html("A: b\nC d: e"); strings.Count(html, "<tr") != 2 || !strings.Contains(html, ">C d</th>") || !strings.Contains(html, "<title>&lt;Hello&gt;</title>") {
		t.Error(html)
	}
}

// FuzzTemplate holds templates to their promise: what Check accepts can be rendered, with
// any facts.
func FuzzTemplate(f *testing.F) {
	for _, name := range Names {
		for _, language := range languages {
			template := builtIn(f, name, language)
			f.Add(template.Subject, template.Body, "Globex", 3, true)
		}
	}
	f.Add("{{.Total}}", "{{if and .Attached (or .Total 1) (not .Method)}}a{{else if eq .DaysLeft -1}}b{{end}}", "\r\n<b>https://x", -1, false)
	f.Add("x", "{{define \"body\"}}{{.}}{{end}}", "{{.}}", 1, false)
	f.Fuzz(func(t *testing.T, subject, body, value string, number int, yes bool) {
		for _, name := range Names {
			if Check(name, "en", subject, body) != nil {
				continue
			}
			facts := Facts{DaysLeft: number, DaysOverdue: number, Attached: yes}
			fields := reflect.ValueOf(&facts).Elem()
			for i := range fields.NumField() {
				if fields.Field(i).Kind() == reflect.String {
					fields.Field(i).SetString(value)
				}
			}
			content, err := Render(Template{name, "en", subject, body}, facts)
			if err != nil {
				t.Fatal(err)
			}
			if content.Subject == "" || strings.ContainsFunc(content.Subject, isControl) || len(content.Text) > MaxText+1 || !utf8.ValidString(content.Text) || strings.Contains(content.Text, "<no value>") && !strings.Contains(body+value, "no value") {
				t.Errorf("%q, %q", content.Subject, content.Text)
			}
			m := plainMessage()
			m.Subject, m.Text, m.HTML = content.Subject, content.Text, content.HTML
			if _, err := m.Encode(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
