package billing

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{
		"", " acme inc ", `"two words"`, `name:"Acme Inc" created:>=2026-01-01`, `"a:b" 12:30 http://x`,
		`"a \"b\" \\c"`, `a\b`, `x:=">"`, `x:<"=1"`, "x:==1", "x:", `"`, `"\`, `a""`, "ä\u3000ö\u0085", "\x00", "\xff", "\ufffd",
		strings.Repeat("a ", 21), strings.Repeat("ä", 1000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseFilter(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !slices.Equal(e.Field, []string{"filter"}) || !utf8.ValidString(e.Message) || strings.Contains(e.Message, "%!") {
				t.Fatalf("%+q: bad error %+q", text, err)
			}
			return
		}
		printed := got.String()
		if utf8.RuneCountInString(printed) > utf8.RuneCountInString(text) {
			t.Fatalf("%+q grew to %+q", text, printed)
		}
		back, err := ParseFilter(printed)
		if err != nil {
			t.Fatalf("%+q prints as %+q: %v", text, printed, err)
		}
		if !reflect.DeepEqual(back, got) {
			t.Fatalf("%+q is %+q, prints as %+q, reads back as %+q", text, got, printed, back)
		}
	})
}
