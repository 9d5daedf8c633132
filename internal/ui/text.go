package ui

import (
	"strconv"
	"strings"
)

// Grouped writes a number with commas between thousands.
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural is a number with its noun in the singular or the plural.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Ended is a sentence with its full stop. A name at its end may have one already.
func Ended(sentence string) string {
	if strings.HasSuffix(sentence, ".") {
		return sentence
	}
	return sentence + "."
}

// Enumerated lists words in a sentence: "a, b and c".
func Enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// EnumText writes a value of an enum as text: PER_UNIT becomes "Per unit".
func EnumText[V ~string](v V) string {
	return Capitalized(strings.ReplaceAll(strings.ToLower(string(v)), "_", " "))
}

// Capitalized is a text that begins a sentence. Its first character is ASCII.
func Capitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Uncapitalized is a sentence that continues after a colon. Its first character
// is ASCII.
func Uncapitalized(sentence string) string {
	if sentence == "" {
		return ""
	}
	return strings.ToLower(sentence[:1]) + sentence[1:]
}

// Shortened is a text of at most so many characters, with an ellipsis in place
// of the rest.
func Shortened(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// IDText is an id in decimal digits, empty for zero.
func IDText[K ~int64](id K) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(int64(id), 10)
}

// Deref is an optional value, the zero value if there is none.
func Deref[V any](v *V) (value V) {
	if v != nil {
		value = *v
	}
	return value
}
