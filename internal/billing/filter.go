package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a filter.
const (
	maxFilterTerms = 20
	maxFilterText  = 1_000
)

// Op compares a field with a value.
type Op string

// The comparisons of a filter.
const (
	Equal        Op = "="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="

	// ByID is for programs only and cannot be written in a filter: what a
	// field refers to has exactly that id, whatever has it as its code.
	ByID Op = "#"
)

// Filter narrows a list: every word and every term must match. The empty
// filter matches everything.
type Filter struct {
	Words []string
	Terms []Term
}

// Term is a qualifier such as created:>=2026-01-01. Which fields there are and
// what values they take is for the list to say.
type Term struct {
	Field string
	Op    Op
	Value string
}

// ParseFilter reads words and field:value qualifiers with blanks between them.
// A value may begin with one of >= <= > < =. Double quotes group a word or a
// value, with \" and \\ inside; what is quoted is never a qualifier. Its
// errors are about the field "filter" and say at which character, from 1.
func ParseFilter(text string) (Filter, error) {
	s := filterScanner{text: text}
	if e := s.check(); e != nil {
		return Filter{}, e
	}
	var f Filter
	for s.skipBlanks() {
		if len(f.Words)+len(f.Terms) == maxFilterTerms {
			return Filter{}, s.fail(s.at, "has more than %d terms, the first too many at character %d. Leave some out.", maxFilterTerms)
		}
		if e := s.scan(&f); e != nil {
			return Filter{}, e
		}
	}
	return f, nil
}

// String returns the filter in the one form that ParseFilter reads back as the
// same filter. It is never longer than a text the filter was read from.
func (f Filter) String() string {
	var parts []string
	for _, word := range f.Words {
		if _, ok := qualifier(word); ok || mustQuote(word) {
			word = quote(word)
		}
		parts = append(parts, word)
	}
	for _, term := range f.Terms {
		value := term.Value
		if strings.ContainsAny(value[:min(1, len(value))], "<>=") || mustQuote(value) {
			value = quote(value)
		}
		if term.Op != Equal {
			value = string(term.Op) + value
		}
		parts = append(parts, term.Field+":"+value)
	}
	return strings.Join(parts, " ")
}

func mustQuote(s string) bool {
	return strings.Contains(s, `"`) || strings.ContainsFunc(s, unicode.IsSpace)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// qualifier returns the field name that s begins with, if a colon follows it.
func qualifier(s string) (string, bool) {
	name, _, found := strings.Cut(s, ":")
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return "", false
		}
	}
	return name, found && name != ""
}

// filterScanner reads a filter from left to right. at is a byte offset.
type filterScanner struct {
	text string
	at   int
}

// fail says what is wrong. The format's last verb is for the character at the
// offset, counted as people count.
func (s *filterScanner) fail(offset int, format string, args ...any) *Error {
	args = append(args, utf8.RuneCountInString(s.text[:offset])+1)
	return Invalidf("filter", "The filter "+format, args...)
}

func (s *filterScanner) rest() string { return s.text[s.at:] }

func (s *filterScanner) check() *Error {
	if n := utf8.RuneCountInString(s.text); n > maxFilterText {
		return Invalidf("filter", "The filter may have up to %d characters; this has %d. Leave some terms out.", maxFilterText, n)
	}
	for i, r := range s.text {
		if r == 0 {
			return s.fail(i, "holds the character NUL at character %d. Remove it.")
		}
		if _, size := utf8.DecodeRuneInString(s.text[i:]); r == utf8.RuneError && size == 1 {
			return s.fail(i, "is not valid UTF-8 at character %d. Send it as UTF-8.")
		}
	}
	return nil
}

// skipBlanks goes to the next term and says whether there is one.
func (s *filterScanner) skipBlanks() bool {
	s.at = len(s.text) - len(strings.TrimLeftFunc(s.rest(), unicode.IsSpace))
	return s.at < len(s.text)
}

// scan reads one word or qualifier into f.
func (s *filterScanner) scan(f *Filter) *Error {
	field, ok := qualifier(s.rest())
	if !ok {
		word, e := s.group()
		if e == nil {
			f.Words = append(f.Words, word)
		}
		return e
	}
	start := s.at
	s.at += len(field) + len(":")
	op := s.operator()
	next, _ := utf8.DecodeRuneInString(s.rest())
	if s.rest() == "" || unicode.IsSpace(next) || strings.HasPrefix(s.rest(), `""`) {
		return s.fail(start, "has no value for %[1]s at character %[2]d. Write %[1]s:value without a blank, or put the word in quotes.", Excerpt(field))
	}
	if strings.ContainsRune("<>=", next) {
		return s.fail(s.at, `has a second comparison for %s at character %d. Use one of >= <= > < =, or put a value that begins with such a sign in quotes.`, Excerpt(field))
	}
	value, e := s.group()
	if e == nil {
		f.Terms = append(f.Terms, Term{Field: field, Op: op, Value: value})
	}
	return e
}

// operator reads the comparison before a value; without one it is Equal.
func (s *filterScanner) operator() Op {
	// The longer ones first, because the shorter begin them.
	for _, op := range []Op{GreaterEqual, LessEqual, Greater, Less, Equal} {
		if strings.HasPrefix(s.rest(), string(op)) {
			s.at += len(op)
			return op
		}
	}
	return Equal
}

// group reads up to the next blank, or what stands in quotes.
func (s *filterScanner) group() (string, *Error) {
	if strings.HasPrefix(s.rest(), `"`) {
		return s.quoted()
	}
	bare := s.rest()
	if end := strings.IndexFunc(bare, unicode.IsSpace); end >= 0 {
		bare = bare[:end]
	}
	if i := strings.IndexByte(bare, '"'); i >= 0 {
		return "", s.fail(s.at+i, `has a quote inside a word at character %d. Put all of the word in quotes, and write \" for a quote inside.`)
	}
	s.at += len(bare)
	return bare, nil
}

func (s *filterScanner) quoted() (string, *Error) {
	start := s.at
	var b strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case '"':
			s.at++
			return b.String(), s.checkQuoted(start, b.Len())
		case '\\':
			s.at++
			if !strings.HasPrefix(s.rest(), `"`) && !strings.HasPrefix(s.rest(), `\`) {
				return "", s.fail(s.at-1, `has a lone backslash in quotes at character %d. Write \\ for a backslash and \" for a quote.`)
			}
			b.WriteByte(s.text[s.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", s.fail(start, `has a quote at character %d that is never closed. Add the closing ", or remove it.`)
}

// checkQuoted looks at what stands in the quotes that opened at start, and at
// what follows them.
func (s *filterScanner) checkQuoted(start, length int) *Error {
	if length == 0 {
		return s.fail(start, "has empty quotes at character %d. Put text between them, or remove them.")
	}
	if next, _ := utf8.DecodeRuneInString(s.rest()); s.rest() != "" && !unicode.IsSpace(next) {
		return s.fail(s.at, "goes on right after a closing quote at character %d. Put a blank there.")
	}
	return nil
}
