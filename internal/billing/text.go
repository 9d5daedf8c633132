package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of text, in characters.
const (
	MaxName        = 255
	MaxShortText   = 255
	MaxDescription = 10_000
)

// NameText, ShortText and LongText check the texts of fields.
func NameText(field, value string) *Error  { return RequireText(field, value, MaxName) }
func ShortText(field, value string) *Error { return CheckText(field, value, MaxShortText) }
func LongText(field, value string) *Error  { return CheckText(field, value, MaxDescription) }

// CheckText refuses text that a database or a JSON body cannot hold, and text
// of more than max characters. Everything else is kept as given: nothing is
// trimmed or normalised.
func CheckText(field, value string, max int) *Error {
	if !utf8.ValidString(value) {
		return Invalidf(field, "%s is not valid UTF-8 text.", field)
	}
	// PostgreSQL cannot store it, so no database may.
	if strings.ContainsRune(value, 0) {
		return Invalidf(field, "%s must not hold the character NUL.", field)
	}
	if n := utf8.RuneCountInString(value); n > max {
		return Invalidf(field, "%s may have up to %d characters; this has %d.", field, max, n)
	}
	return nil
}

// RequireText is CheckText for a value that somebody must be able to see: it
// also refuses text that is empty or blank.
func RequireText(field, value string, max int) *Error {
	if e := CheckText(field, value, max); e != nil {
		return e
	}
	if value == "" {
		return Requiredf(field, "%s must not be empty.", field)
	}
	if isBlank(value) {
		return Requiredf(field, "%s must not be blank.", field)
	}
	return nil
}

func isBlank(value string) bool { return !strings.ContainsFunc(value, isVisible) }

// isVisible says whether r alone leaves a mark on the screen. Zero-width
// characters do not, and a name made of them cannot be told from an empty one.
func isVisible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
}

// Excerpt shortens what a caller sent, so that a message that repeats it stays
// readable.
func Excerpt(s string) string {
	const most = 40
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
