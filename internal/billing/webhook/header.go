package webhook

import (
	"maps"
	"regexp"
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

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// reservedHeaders are set by the sender itself: see delivery/worker/header.go.
var reservedHeaders = map[string]bool{
	"host": true, "content-type": true, "content-length": true, "transfer-encoding": true, "connection": true,
	"user-agent": true, "authorization": true,
	"webhook-id": true, "webhook-timestamp": true, "webhook-signature": true,
	"webhook-sequence": true, "webhook-attempt": true, "webhook-forced": true,
}

func checkHeaderName(field, name string) *billing.Error {
	if !headerName.MatchString(name) {
		return billing.Invalidf(field, "%q is not the name of an HTTP header: use letters, digits and hyphens, such as X-Signature.", name)
	}
	if reservedHeaders[strings.ToLower(name)] {
		return billing.Invalidf(field, "The header %s is set by Tenantry itself; choose another name.", name)
	}
	return nil
}

// CheckHeaderValue refuses what cannot stand in a header, for secrets that are
// sent in one.
func CheckHeaderValue(field, value string) *billing.Error {
	if len(value) > 2_000 {
		return billing.Invalidf(field, "The value is too long: at most 2,000 bytes.")
	}
	for i := 0; i < len(value); i++ {
		if value[i] < 0x20 || value[i] >= 0x7f {
			return billing.Invalidf(field, "The value must be printable ASCII: it is sent in an HTTP header.")
		}
	}
	return nil
}
