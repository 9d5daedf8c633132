package worker

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

const (
	// shortSecret is the length up to which a secret is looked for only as it is:
	// its other forms would be found in anything.
	shortSecret = 5
	// shortPart is the part of a secret that is hidden at the end of a text,
	// where the rest of it may have been cut off.
	shortPart = 6
	// mayBeCut is shorter than all texts of which there may have been more.
	mayBeCut = 400
	// maxShown is how much of an answer's body is kept, hidden values included.
	maxShown = 16 << 10
)

// redactor hides the secrets of a request in what its receiver answers: as they
// were sent, and in the forms that programs give them when they show them.
type redactor struct {
	forms []string // in lower case
}

func newRedactor(secrets []string) *redactor {
	found := map[string]bool{}
	for _, s := range secrets {
		for _, value := range valuesIn(s) {
			for _, form := range formsOf(value) {
				found[lower(form)] = true
			}
		}
	}
	r := &redactor{}
	for form := range found {
		r.forms = append(r.forms, form)
	}
	return r
}

// valuesIn are the secret and what is secret in it: what follows a scheme, as
// in "Basic dXNlcjpwYXNz", and a password in that.
func valuesIn(secret string) []string {
	values := []string{secret, strings.TrimPrefix(secret, "whsec_")}
	last := secret
	if i := strings.LastIndexByte(secret, ' '); i >= 0 {
		last = secret[i+1:]
		values = append(values, last)
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		decoded, err := encoding.DecodeString(last)
		if user, password, pair := strings.Cut(string(decoded), ":"); err == nil && pair && utf8.Valid(decoded) {
			values = append(values, user+":"+password, password)
		}
	}
	// Receivers take values apart, as those of cookies and of parameters.
	if scheme, rest, has := strings.Cut(secret, " "); has && !strings.Contains(scheme, "=") {
		secret = rest
	}
	for _, part := range strings.FieldsFunc(secret, func(c rune) bool { return strings.ContainsRune(` ;,="`, c) }) {
		if len(part) > shortSecret {
			values = append(values, part)
		}
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// formsOf are the ways in which a value may be written.
func formsOf(value string) []string {
	if len(value) <= shortSecret {
		return []string{value}
	}
	quoted, _ := json.Marshal(value) // a string always marshals
	forms := []string{
		value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value), string(quoted[1 : len(quoted)-1]),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, `/`, `\/`).Replace(value), hex.EncodeToString([]byte(value)),
	}
	// In base64 it depends on what stands before: there are three ways.
	for before, skip := range []int{0, 2, 3} {
		text := append(make([]byte, before), value...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, encoding.EncodeToString(text)[skip:len(text)*8/6])
		}
	}
	return forms
}

// hide returns a text without the secrets.
func (r *redactor) hide(text string) string {
	type span struct{ from, to int }
	var spans []span
	folded := lower(text)
	for _, form := range r.forms {
		for at := 0; ; {
			i := strings.Index(folded[at:], form)
			if i < 0 {
				break
			}
			spans = append(spans, span{at + i, at + i + len(form)})
			at += i + 1
		}
		for n := len(form) - 1; n >= shortPart && len(text) >= mayBeCut; n-- {
			if strings.HasSuffix(folded, form[:n]) {
				spans = append(spans, span{len(text) - n, len(text)})
				break
			}
		}
	}
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := 0 // of what was hidden
	for i, s := range spans {
		if i == 0 || s.from > end {
			b.WriteString(text[end:s.from])
			b.WriteString(webhook.HiddenValue)
		}
		end = max(end, s.to)
	}
	b.WriteString(text[end:])
	return b.String()
}

// body hides secrets in the body of an answer, and says whether that makes it
// too long to be kept whole.
func (r *redactor) body(text string) (shown string, cut bool) {
	shown = r.hide(text)
	if len(shown) <= maxShown {
		return shown, false
	}
	return strings.ToValidUTF8(shown[:maxShown], ""), true
}

// header hides secrets in the headers of an answer, in their names too.
func (r *redactor) header(h http.Header) http.Header {
	shown := make(http.Header, len(h))
	for name, values := range h {
		name = r.hide(name)
		for _, value := range values {
			shown[name] = append(shown[name], r.hide(value))
		}
	}
	return shown
}

// lower folds ASCII letters, so that places stay the same whatever else there is.
func lower(text string) string {
	folded := []byte(text)
	for i, c := range folded {
		if 'A' <= c && c <= 'Z' {
			folded[i] = c + 'a' - 'A'
		}
	}
	return string(folded)
}
