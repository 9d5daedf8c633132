package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lengths that mail servers accept, in bytes (RFC 5321).
const (
	maxEmail      = 254
	maxEmailLocal = 64
	maxLabel      = 63
)

// CheckEmail refuses what is surely no mail address: it finds slips of the
// keyboard and addresses with a name around them. Only a letter that arrives
// proves an address, so what is odd but possible passes, and quoted local
// parts, which nobody has, do not. Both parts may be in any script.
func CheckEmail(field, value string) *Error {
	if value == "" {
		return Requiredf(field, "%s must not be empty.", field)
	}
	if !utf8.ValidString(value) {
		return Invalidf(field, "%s is not valid UTF-8 text.", field)
	}
	if len(value) > maxEmail {
		return Invalidf(field, "A mail address has up to %d bytes; this has %d.", maxEmail, len(value))
	}
	if strings.ContainsAny(value, "<>") {
		return Invalidf(field, "%q is more than a mail address. Write only the address, such as ann@example.com, without a name or angle brackets.", Excerpt(value))
	}
	for _, r := range value {
		if !isVisible(r) {
			return Invalidf(field, "A mail address holds no blanks and no control or invisible characters; %q does.", Excerpt(value))
		}
	}
	at := strings.LastIndexByte(value, '@')
	if at < 0 {
		return Invalidf(field, "%q is not a mail address: it has no @.", Excerpt(value))
	}
	if e := checkEmailLocal(field, value[:at]); e != nil {
		return e
	}
	return checkEmailDomain(field, value[at+1:])
}

func checkEmailLocal(field, local string) *Error {
	switch {
	case local == "":
		return Invalidf(field, "The mail address has nothing before the @.")
	case len(local) > maxEmailLocal:
		return Invalidf(field, "A mail address has up to %d bytes before the @; this has %d.", maxEmailLocal, len(local))
	case strings.Contains(local, "@"):
		return Invalidf(field, "The mail address has more than one @. Write one address.")
	}
	// These mean something else where addresses are listed or quoted.
	if i := strings.IndexAny(local, `()[]\,;:"`); i >= 0 {
		return Invalidf(field, "A mail address has no %c before the @. Write one address, without quotes or comments.", local[i])
	}
	return nil
}

func checkEmailDomain(field, domain string) *Error {
	if domain == "" {
		return Invalidf(field, "The mail address has nothing after the @.")
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		switch {
		case label == "":
			return Invalidf(field, "The domain %q has a dot too many.", Excerpt(domain))
		case utf8.RuneCountInString(label) > maxLabel:
			return Invalidf(field, "A part of a domain has up to %d characters; %q is longer.", maxLabel, Excerpt(label))
		case label[0] == '-' || label[len(label)-1] == '-':
			return Invalidf(field, "No part of a domain begins or ends with a hyphen; in %q one does.", Excerpt(domain))
		}
		for _, r := range label {
			if !isLabelRune(r) {
				return Invalidf(field, "A domain holds letters, digits, hyphens and dots; %q holds %q.", Excerpt(domain), r)
			}
		}
	}
	if len(labels) == 1 {
		return Invalidf(field, "The domain %q is not complete: write it with its ending, such as example.com.", Excerpt(domain))
	}
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return Invalidf(field, "The domain %q ends in a number. Write a domain such as example.com, not an IP address.", Excerpt(domain))
	}
	return nil
}

// isLabelRune includes marks: several scripts write vowels with them.
func isLabelRune(r rune) bool {
	return r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
