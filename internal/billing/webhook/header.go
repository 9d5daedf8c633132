package webhook

import (
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Headers are further headers of the requests to an endpoint, by their names.
type Headers map[string]string

// HiddenValue is shown in place of a value that looks like a secret.
const HiddenValue = "(hidden)"

// secretWords are what the names of headers that carry secrets have in them.
var secretWords = []string{"auth", "token", "secret", "key", "password", "credential", "cookie", "session", "signature"}

// SecretHeader says whether a header of that name may carry a secret.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// Shown are the headers as people may see them: what looks like a secret is
// hidden.
func (h Headers) Shown() Headers {
	shown := make(Headers, len(h))
	for name, value := range h {
		if shown[name] = value; SecretHeader(name) {
			shown[name] = HiddenValue
		}
	}
	return shown
}

// Restore puts back values that somebody only saw hidden and sent in again as
// they were shown.
func (h Headers) Restore(before Headers) {
	for name, value := range h {
		if known, had := before[name]; had && value == HiddenValue {
			h[name] = known
		}
	}
}

// Secrets are the names of the headers with secrets, those that were sent in as
// they are shown, to be kept, and those whose values are given.
func (h Headers) Secrets() (kept, given []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch {
		case !SecretHeader(name):
		case h[name] == HiddenValue:
			kept = append(kept, name)
		default:
			given = append(given, name)
		}
	}
	return kept, given
}

// Has says whether there is a header of that name, in whatever case.
func (h Headers) Has(name string) bool {
	for own := range h {
		if strings.EqualFold(own, name) {
			return true
		}
	}
	return false
}

// Check returns what is wrong with the headers, nil if nothing is.
func (h Headers) Check(field string) billing.Problems {
	var ps billing.Problems
	if len(h) > MaxWorkflowHeaders {
		ps.Add(billing.Invalidf(field, "There may be up to %d further headers; %d were given.", MaxWorkflowHeaders, len(h)))
		return ps
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if e := checkHeaderName(field, name); e != nil {
			ps.Add(e)
			continue
		}
		if lower := strings.ToLower(name); seen[lower] {
			ps.Add(billing.Invalidf(field, "The header %s is there twice; the case of letters makes no difference.", name))
		} else {
			seen[lower] = true
		}
		switch e := CheckHeaderValue(field, h[name]); {
		case e != nil:
			e.Message = "The header " + name + ": " + e.Message
			ps.Add(e)
		case h[name] == HiddenValue:
			ps.Add(billing.Invalidf(field, "The header %s has no value yet that could be kept: send the value itself, not %q.", name, HiddenValue))
		}
	}
	return ps
}
