package mail

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"
)

// MaxText is how long the text of a message can become, in bytes; the rest is left out.
const MaxText = 100_000

// The most that a fact can have, in characters.
const (
	maxFact = 500
	maxLink = 2000
)

// Content is what a message says.
type Content struct {
	Subject, Text string
	// HTML is the text for clients that show HTML. It is empty if it would be very
	// long.
	HTML string
}

// Ready is a template that facts can be put into, by many goroutines at once.
type Ready struct {
	template      Template
	subject, body compiled
}

// Prepare makes a template ready. It fails only for one that Check refuses.
func Prepare(t Template) (*Ready, error) {
	subject, wrongSubject := compile(t.Name, "subject", t.Subject)
	body, wrongBody := compile(t.Name, "body", t.Body)
	if problems := append(wrongSubject, wrongBody...); len(problems) > 0 {
		return nil, problems
	}
	return &Ready{t, subject, body}, nil
}

// Render puts facts into a template. It fails only for a template that Check refuses.
func Render(t Template, facts Facts) (Content, error) {
	ready, err := Prepare(t)
	if err != nil {
		return Content{}, err
	}
	return ready.Render(facts)
}

// Render puts facts into the template. Facts that it does not have are ignored.
func (r *Ready) Render(facts Facts) (Content, error) {
	t := &r.template
	facts = tidy(only(t.Name, facts))
	line, err := execute(r.subject.Template, facts)
	if err != nil {
		return Content{}, fmt.Errorf("subject of the message %q: %w", t.Name, err)
	}
	text, err := execute(r.body.Template, facts)
	if err != nil {
		return Content{}, fmt.Errorf("body of the message %q: %w", t.Name, err)
	}
	c := Content{Subject: clipRunes(oneLine(line), maxSubject), Text: lay(text)}
	c.Subject = cmp.Or(c.Subject, facts.CompanyName, t.Name)
	c.HTML = page{language: t.Locale, title: c.Subject, email: facts.CompanyEmail, trusted: r.body.links}.html(c.Text)
	return c, nil
}

// tidy is facts without line breaks and control characters, and of bounded length.
// Only the bank details have lines.
func tidy(f Facts) Facts {
	value := reflect.ValueOf(&f).Elem()
	for i := range value.NumField() {
		field := value.Field(i)
		if field.Kind() != reflect.String {
			continue
		}
		switch name := value.Type().Field(i).Name; {
		case name == "BankDetails":
			var lines []string
			for line := range strings.Lines(breaks.Replace(clip(field.String(), 4*maxFact))) {
				if line = oneLine(line); line != "" {
					lines = append(lines, clipRunes(line, maxFact))
				}
			}
			field.SetString(strings.Join(lines, "\n"))
		case strings.HasSuffix(name, "Link"):
			field.SetString(clipRunes(oneLine(field.String()), maxLink))
		default:
			field.SetString(clipRunes(oneLine(field.String()), maxFact))
		}
	}
	return f
}

var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// bounded keeps the beginning of what is written.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	b.Builder.Write(p[:min(len(p), MaxText-b.Len())])
	return len(p), nil
}

func execute(t *template.Template, facts Facts) (string, error) {
	var b bounded
	if err := t.Execute(&b, facts); err != nil {
		return "", err
	}
	return strings.ToValidUTF8(b.String(), ""), nil // it may end within a character
}

var (
	lineEnds   = regexp.MustCompile(`[ \t]+\n`)
	emptyLines = regexp.MustCompile(`\n{3,}`)
)

// lay puts a text into shape: what a condition left out leaves no gap.
func lay(text string) string {
	text = lineEnds.ReplaceAllString(breaks.Replace(text)+"\n", "\n")
	return strings.Trim(emptyLines.ReplaceAllString(text, "\n\n"), "\n") + "\n"
}
