package mail

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
)

// The limits of templates.
const (
	MaxSubjectTemplate = 500    // characters
	MaxBody            = 20_000 // bytes
)

var localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$`)

// Check refuses a template that is not right, with billing.Problems that say the line
// and what is wrong with it. One that it accepts can be rendered with any facts.
func Check(name, locale, subject, body string) error {
	var problems billing.Problems
	if !IsName(name) {
		problems.Add(billing.Invalidf("name", "There is no message %q. There are %s.", billing.Excerpt(name), strings.Join(Names, ", ")))
		return problems
	}
	if !localeForm.MatchString(locale) {
		problems.Add(billing.Invalidf("locale", "%q is not a language such as en, de or fr-CH.", billing.Excerpt(locale)))
	}
	problems.Add(checkSubject(subject), checkBody(body))
	if len(problems) > 0 {
		return problems
	}
	_, wrongSubject := compile(name, "subject", subject)
	_, wrongBody := compile(name, "body", body)
	if problems = append(wrongSubject, wrongBody...); len(problems) > 0 {
		return problems
	}
	t := Template{Name: name, Locale: locale, Subject: subject, Body: body}
	for _, facts := range []Facts{{}, only(name, everyFact(locale)), Sample(name, locale)} {
		content, err := Render(t, facts)
		if err != nil {
			return err
		}
		if facts == (Facts{}) {
			continue // may leave nothing to say
		}
		if strings.TrimSpace(content.Text) == "" {
			problems.Add(billing.Requiredf("body", "The body is empty for a usual message."))
			break
		}
	}
	return problems.Err()
}

func checkSubject(subject string) *billing.Error {
	switch {
	case strings.TrimSpace(subject) == "":
		return billing.Requiredf("subject", "The subject must not be empty.")
	case !utf8.ValidString(subject):
		return billing.Invalidf("subject", "The subject is not valid UTF-8 text.")
	case strings.ContainsAny(subject, "\r\n"):
		return billing.Invalidf("subject", "The subject has a line break. Write it on one line.")
	case strings.ContainsFunc(subject, isControl):
		return billing.Invalidf("subject", "The subject has a control character, such as a tab. Remove it.")
	}
	if n := utf8.RuneCountInString(subject); n > MaxSubjectTemplate {
		return billing.Invalidf("subject", "The subject has %d characters; at most %d are possible.", n, MaxSubjectTemplate)
	}
	return nil
}

func checkBody(body string) *billing.Error {
	switch {
	case strings.TrimSpace(body) == "":
		return billing.Requiredf("body", "The body must not be empty.")
	case !utf8.ValidString(body):
		return billing.Invalidf("body", "The body is not valid UTF-8 text.")
	case len(body) > MaxBody:
		return billing.Invalidf("body", "The body has %d bytes; at most %d are possible.", len(body), MaxBody)
	}
	if i := strings.IndexFunc(body, func(r rune) bool { return isControl(r) && r != '\n' && r != '\r' && r != '\t' }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(body[i:])
		return billing.Invalidf("body", "Line %d: there is a control character (%U). Remove it.", 1+strings.Count(body[:i], "\n"), r)
	}
	return nil
}
