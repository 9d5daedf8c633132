package document

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// maxNumber is how many characters a number may have.
const maxNumber = 20

// TestFormat is the format of the numbers of a test clock's documents. No other
// begins as they do.
var TestFormat = NumberFormat{testPrefix + "{000000}", []part{{text: testPrefix}, {count: 6}}}

const testPrefix = "TEST-"

// NumberFormat is how the numbers of a series are written: text with one group
// of zeros in braces, which stands for the count with at least that many digits,
// and optionally a year, {YYYY} or {YY}. With a year, the count starts again each
// year.
type NumberFormat struct {
	text  string
	parts []part
}

// part is a piece of a format: a text, or the width of a year or of the count.
type part struct {
	text        string
	year, count int
}

// ParseNumberFormat reads a format such as INV-{YYYY}-{000000}.
func ParseNumberFormat(s string) (NumberFormat, error) {
	f := NumberFormat{text: s}
	for rest := s; rest != ""; {
		text, after, open := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return f, f.wrong("it has a } without a {")
		}
		if text != "" {
			f.parts = append(f.parts, part{text: text})
		}
		if !open {
			break
		}
		name, after, closed := strings.Cut(after, "}")
		switch {
		case !closed:
			return f, f.wrong("it has a { without a }")
		case name == "YYYY" || name == "YY":
			f.parts = append(f.parts, part{year: len(name)})
		case name != "" && strings.Trim(name, "0") == "":
			f.parts = append(f.parts, part{count: len(name)})
		default:
			return f, f.wrong("{%s} is neither a year, {YYYY} or {YY}, nor a count such as {000000}", name)
		}
		rest = after
	}
	return f, f.check()
}

func (f *NumberFormat) check() error {
	counts, years := 0, 0
	for _, p := range f.parts {
		counts += min(1, p.count)
		years += min(1, p.year)
		for _, r := range p.text {
			if r <= ' ' || r > '~' {
				return f.wrong("%q is not a letter, a digit or a sign", string(r))
			}
		}
	}
	switch {
	case counts != 1:
		return f.wrong("it needs exactly one count, such as {000000}, so that numbers differ")
	case years > 1:
		return f.wrong("it has more than one year")
	case f.width() > maxNumber:
		return f.wrong("numbers would have %d characters, and they have at most %d", f.width(), maxNumber)
	case strings.HasPrefix(f.text, testPrefix):
		return f.wrong("numbers that begin with %s are those of test clocks", testPrefix)
	}
	return nil
}

func (f *NumberFormat) wrong(format string, args ...any) error {
	return billing.Fail(billing.Invalid, "numberFormat", "%q is not a format of numbers: %s. Write it as INV-{YYYY}-{000000}.", f.text, fmt.Sprintf(format, args...))
}

// String is the format as it was read.
func (f NumberFormat) String() string { return f.text }

// HasYear reports whether the count starts again each year.
func (f *NumberFormat) HasYear() bool {
	for _, p := range f.parts {
		if p.year > 0 {
			return true
		}
	}
	return false
}

// width is how many characters the shortest number has.
func (f *NumberFormat) width() int {
	n := 0
	for _, p := range f.parts {
		n += len(p.text) + p.year + p.count
	}
	return n
}

// Number writes a number. A count that is too large for its digits takes more,
// as long as the number is not too long.
func (f *NumberFormat) Number(year, count int) (string, error) {
	var number strings.Builder
	for _, p := range f.parts {
		switch {
		case p.year == 2:
			fmt.Fprintf(&number, "%02d", year%100)
		case p.year == 4:
			fmt.Fprintf(&number, "%04d", year)
		case p.count > 0:
			digits := strconv.Itoa(count)
			number.WriteString(strings.Repeat("0", max(0, p.count-len(digits))) + digits)
		default:
			number.WriteString(p.text)
		}
	}
	if number.Len() > maxNumber {
		return "", billing.Fail(billing.NotAllowed, "numberFormat", "The series %q is full: its next number, %s, has more than %d characters. Change the format.", f.text, number.String(), maxNumber)
	}
	return number.String(), nil
}

// countIn is the count in a number that was given in a year; ok is false if the
// format does not write such a number.
func (f *NumberFormat) countIn(number string, year int) (count int, ok bool) {
	before, after := 0, 0
	for _, p := range f.parts {
		switch {
		case p.count > 0:
			before, after = after, 0
		default:
			after += len(p.text) + p.year
		}
	}
	if len(number) <= before+after {
		return 0, false
	}
	count, err := strconv.Atoi(number[before : len(number)-after])
	if err != nil {
		return 0, false
	}
	written, err := f.Number(year, count)
	return count, err == nil && written == number
}

// WillWrite reports whether a series that goes on with a count comes to a number in
// that year.
func (f *NumberFormat) WillWrite(number string, year, next int) bool {
	count, known := f.countIn(number, year)
	return known && count >= next
}

// digits is how many digits the count has at least.
func (f *NumberFormat) digits() int {
	for _, p := range f.parts {
		if p.count > 0 {
			return p.count
		}
	}
	return 0
}

// Collides reports whether two formats can write the same number for different
// documents. Formats that differ in the digits of their count alone do not: the
// count of a series never goes back.
func (f *NumberFormat) Collides(g *NumberFormat) bool { return !f.sameBut(g) && f.overlaps(g) }

// overlaps reports whether there is a number that both formats can write.
func (f *NumberFormat) overlaps(g *NumberFormat) bool {
	for length := max(f.width(), g.width()); length <= maxNumber; length++ {
		a, b := f.shape(length), g.shape(length)
		same := true
		for i := range length {
			same = same && (a[i] == b[i] || a[i] == digit && isDigit(b[i]) || b[i] == digit && isDigit(a[i]))
		}
		if same {
			return true
		}
	}
	return false
}

// digit stands for any digit in a shape.
const digit = 0

func isDigit(c byte) bool { return c == digit || c >= '0' && c <= '9' }

// shape is what numbers of that length look like, character by character.
func (f *NumberFormat) shape(length int) []byte {
	var shape []byte
	for _, p := range f.parts {
		switch {
		case p.count > 0:
			shape = append(shape, make([]byte, p.count+length-f.width())...)
		default:
			shape = append(append(shape, p.text...), make([]byte, p.year)...)
		}
	}
	return shape
}

// sameBut reports whether the formats are equal but for the digits of the count.
func (f *NumberFormat) sameBut(g *NumberFormat) bool {
	if len(f.parts) != len(g.parts) {
		return false
	}
	for i, p := range f.parts {
		if q := g.parts[i]; p.text != q.text || p.year != q.year || (p.count > 0) != (q.count > 0) {
			return false
		}
	}
	return true
}
