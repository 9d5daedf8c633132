package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
)

// Form brings one tenant, as an application reports it, into the standard form. Its
// errors are meant for whoever wrote it.
type Form func(tenant []byte) ([]byte, error)

// Parse reads a report: a JSON array of tenants, or one tenant a line. Form is applied
// to each, unless it is nil. Fields that Parse does not know are ignored. An error names
// the line or the tenant, and then nothing of the report counts.
func Parse(body []byte, form Form) ([]State, error) {
	if len(body) > MostBytes {
		return nil, billing.Fail(billing.TooMany, "", "A request has at most %d MiB. Send several with one report id.", MostBytes>>20)
	}
	if !utf8.Valid(body) {
		return nil, billing.Invalidf("", "The report is not valid UTF-8 text.")
	}
	p := &parser{form: form}
	var err error
	if trimmed := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		err = p.array(trimmed)
	} else {
		err = p.lines(bytes.TrimPrefix(body, []byte("\ufeff")))
	}
	if err == nil {
		err = Check("", p.states, func(i int) string { return p.where[i] })
	}
	if err != nil {
		return nil, err
	}
	return p.states, nil
}

type parser struct {
	form   Form // nil if tenants are in the standard form
	made   int  // how many bytes it has made
	states []State
	where  []string
}

// tenant is a tenant in a report. What must be said is a pointer: an application that
// forgets its features has not lost them.
type tenant struct {
	Code     string     `json:"code"`
	Sequence *int       `json:"sequence"`
	At       *time.Time `json:"at"`
	Features *[]Feature `json:"features"`
}

func (p *parser) array(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return unreadable("The report", err)
	}
	for d.More() {
		where := fmt.Sprintf("Tenant %d", len(p.states)+1)
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return unreadable(where, err)
		}
		if err := p.add(where, one); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return unreadable("The report", err)
	}
	if rest := text[d.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return billing.Invalidf("", "There is something behind the end of the array of tenants: %q.", billing.Excerpt(string(bytes.TrimSpace(rest))))
	}
	return nil
}

func (p *parser) lines(text []byte) error {
	for number := 1; len(text) > 0; number++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := p.add(fmt.Sprintf("Line %d", number), line); err != nil {
			return err
		}
	}
	return nil
}

// add takes one tenant. It stops early, so that a report that is far too long costs no
// more than one that is a little too long.
func (p *parser) add(where string, text []byte) error {
	if len(p.states) > MostTenants {
		return Check("", p.states, nil)
	}
	if p.form == nil {
		return p.read(where, text)
	}
	if err := check(where, text); err != nil {
		return err
	}
	made, err := p.form(text)
	if err != nil {
		return billing.Invalidf("", "%s: stateProgram does not bring it into the standard form: %s.", where, strings.TrimSuffix(err.Error(), "."))
	}
	if p.made += len(made); p.made > MostMade {
		return billing.Fail(billing.TooMany, "", "%s: what stateProgram makes of a request has at most %d MiB. Send several with one report id.", where, MostMade>>20)
	}
	return p.read(where+" after stateProgram", made)
}

// check refuses what a program could not read, in words that are not about programs.
func check(where string, text []byte) error {
	if text[0] != '{' {
		return billing.Invalidf("", "%s is no tenant: it must be an object, not %q.", where, billing.Excerpt(string(text)))
	}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return unreadable(where, err)
	}
	return nil
}

// read reads a tenant in the standard form.
func (p *parser) read(where string, text []byte) error {
	if text[0] != '{' {
		return billing.Invalidf("", "%s is no tenant: it must be an object such as {\"code\":\"acme\",\"sequence\":3,\"features\":[]}, not %q.", where, billing.Excerpt(string(text)))
	}
	var t tenant
	if err := json.Unmarshal(text, &t); err != nil {
		return unreadable(where, err)
	}
	switch {
	case t.Sequence == nil:
		return billing.Requiredf("", "%s: tenant %q has no sequence. It is the highest webhook-sequence that was acted on, or 0 for none.", where, t.Code)
	case t.Features == nil:
		return billing.Requiredf("", "%s: tenant %q has no list of features. If it has none, the list is empty.", where, t.Code)
	}
	p.states = append(p.states, State{Code: t.Code, Sequence: *t.Sequence, At: t.At, Features: *t.Features})
	p.where = append(p.where, where)
	return nil
}

// unreadable says what is wrong with JSON that does not fit.
func unreadable(where string, err error) *billing.Error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return billing.Invalidf("", "%s: %s cannot be %s.", where, wrong.Field, wrong.Value)
	}
	var day *time.ParseError
	if errors.As(err, &day) {
		return billing.Invalidf("", "%s: at must be a time such as 2026-01-15T10:00:00Z.", where)
	}
	return billing.Invalidf("", "%s is no JSON that can be read: %v.", where, err)
}
