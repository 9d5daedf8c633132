package billing

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which texts are compared without regard to
// case: two texts that differ only in case, or in how an accented letter is
// composed, fold to the same. Control characters become blanks.
//
// It is Unicode's simple case folding on NFC text, the relation of
// strings.EqualFold; it follows no language, so that a dotless ı is not an i
// and ß is not ss. Fold(Fold(s)) is Fold(s).
func Fold(s string) string {
	if isFoldedASCII(s) {
		return s
	}
	folded := strings.Map(foldRune, norm.NFC.String(s))
	// Some letters with a mark exist composed in lower case only, such as ẖ:
	// H and its mark become composable once the H is an h.
	return norm.NFC.String(folded)
}

// isFoldedASCII finds what needs no work, which is most of what is compared.
func isFoldedASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// foldRune returns the same rune for every rune that differs only in case.
func foldRune(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if least == r && unicode.SimpleFold(r) == r {
		// Not ToLower: it would make İ an i, and EqualFold does not.
		return r
	}
	// Starting from the least makes it one answer for all of them. By way of
	// upper case, because the least may be an odd one: U+0345, a mark, is a
	// case of iota.
	return unicode.ToLower(unicode.ToUpper(least))
}
