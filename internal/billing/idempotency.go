package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxIdempotencyKey is how long a key may be, in characters.
const MaxIdempotencyKey = 255

// CheckIdempotencyKey refuses what cannot be the key of a request. It is about
// no field: the key is in a header.
func CheckIdempotencyKey(key string) *Error {
	switch {
	case key == "":
		return Invalidf("", "The Idempotency-Key is empty.")
	case !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl):
		return Invalidf("", "An Idempotency-Key is text, without control characters.")
	case utf8.RuneCountInString(key) > MaxIdempotencyKey:
		return Invalidf("", "An Idempotency-Key has at most %d characters.", MaxIdempotencyKey)
	}
	return nil
}
