package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxCode is the length of a code, in characters.
const MaxCode = 100

// IsCode says whether something can have that code. To look for one that
// nothing can have is needless, and with a NUL in it PostgreSQL refuses to.
func IsCode(value string) bool { return CheckCode("code", value) == nil }

// CheckCode refuses what cannot identify a thing: an empty or overlong code,
// one with control characters, and one with a blank at either end, which
// nobody sees and a form or a spreadsheet loses. Everything else is a code as
// given, in any script.
func CheckCode(field, value string) *Error {
	if value == "" {
		return Requiredf(field, "%s must not be empty: it identifies the record.", field)
	}
	if e := CheckText(field, value, MaxCode); e != nil {
		return e
	}
	if strings.ContainsFunc(value, unicode.IsControl) {
		return Invalidf(field, "%s must not hold tabs, line breaks or other control characters.", field)
	}
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	if unicode.IsSpace(first) || unicode.IsSpace(last) {
		return Invalidf(field, "%s must not begin or end with a blank.", field)
	}
	return nil
}
