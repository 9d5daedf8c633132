package billing

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// wantMessage fails the test unless e is nil for an empty part, or else an
// error about that field whose message holds the part.
func wantMessage(t *testing.T, e *Error, field, part string) {
	t.Helper()
	switch {
	case part == "" && e != nil:
		t.Errorf("refused: %s", e.Message)
	case part != "" && e == nil:
		t.Errorf("accepted, want an error with %q", part)
	case e == nil:
	case !strings.Contains(e.Message, part):
		t.Errorf("message %q lacks %q", e.Message, part)
	case !slices.Equal(e.Field, strings.Split(field, ".")):
		t.Errorf("field is %q, want %q", e.Field, field)
	}
}

func TestCheckText(t *testing.T) {
	for _, c := range []struct{ name, value, message string }{
		{"empty", "", ""},
		{"blank", " \t", ""},
		{"at the limit", "12345", ""},
		{"characters count, not bytes", "äöüß€", ""},
		{"lines and controls", "a\r\n\x01", ""},
		{"over the limit", "123456", "name may have up to 5 characters; this has 6."},
		{"NUL", "a\x00b", "NUL"},
		{"invalid UTF-8", "a\xff", "UTF-8"},
		{"surrogate", "\xed\xa0\x80", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantMessage(t, CheckText("name", c.value, 5), "name", c.message)
		})
	}
}

func TestRequireText(t *testing.T) {
	for _, c := range []struct {
		name, value, message string
		code                 Code
	}{
		{"text", "Acme", "", ""},
		{"blanks around", " a ", "", ""},
		{"a mark", "́", "", ""},
		{"empty", "", "must not be empty", Required},
		{"blanks", " \t\n\u00a0\u3000", "must not be blank", Required},
		{"zero-width", "\u200b\ufeff", "must not be blank", Required},
		{"controls", "\x01\x7f", "must not be blank", Required},
		{"long", "123456", "up to 5", Invalid},
		{"long and blank", "      ", "up to 5", Invalid},
		{"invalid UTF-8", "\xff", "UTF-8", Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := RequireText("charges.0.name", c.value, 5)
			wantMessage(t, e, "charges.0.name", c.message)
			if e != nil && e.Code != c.code {
				t.Errorf("code is %s, want %s", e.Code, c.code)
			}
		})
	}
}

func TestExcerptIsShortAndValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		short := Excerpt(s)
		if !utf8.ValidString(short) || utf8.RuneCountInString(short) > 41 {
			t.Fatalf("excerpt %q", short)
		}
		if utf8.RuneCountInString(s) <= 40 && short != s {
			t.Fatalf("excerpt of %q is %q", s, short)
		}
	})
}
