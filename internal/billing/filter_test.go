package billing

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestParseFilter(t *testing.T) {
	words := func(words ...string) Filter { return Filter{Words: words} }
	term := func(field string, op Op, value string) Filter { return Filter{Terms: []Term{{field, op, value}}} }
	for _, c := range []struct {
		text      string
		want      Filter
		canonical string
	}{
		{"", Filter{}, ""},
		{" \t\n\u00a0\u3000", Filter{}, ""},
		{"acme", words("acme"), "acme"},
		{"  acme\u3000inc ", words("acme", "inc"), "acme inc"},
		{`"two words"`, words("two words"), `"two words"`},
		{`"one"`, words("one"), "one"},
		{`"a:b"`, words("a:b"), `"a:b"`},
		{`"a \"b\" \\c"`, words(`a "b" \c`), `"a \"b\" \\c"`},
		{`a\b`, words(`a\b`), `a\b`},
		{"12:30 :x a-b:c ä:b >5", words("12:30", ":x", "a-b:c", "ä:b", ">5"), "12:30 :x a-b:c ä:b >5"},
		{"café 🚀", words("café", "🚀"), "café 🚀"},
		{"a a", words("a", "a"), "a a"},
		{"state:active", term("state", Equal, "active"), "state:active"},
		{"state:=active", term("state", Equal, "active"), "state:active"},
		{`state:="active"`, term("state", Equal, "active"), "state:active"},
		{"billingDay:<5", term("billingDay", Less, "5"), "billingDay:<5"},
		{"billingDay:<=5", term("billingDay", LessEqual, "5"), "billingDay:<=5"},
		{"billingDay:>5", term("billingDay", Greater, "5"), "billingDay:>5"},
		{`created:>="2026-01-01"`, term("created", GreaterEqual, "2026-01-01"), "created:>=2026-01-01"},
		{`name:"Acme Inc"`, term("name", Equal, "Acme Inc"), `name:"Acme Inc"`},
		{`name:">x"`, term("name", Equal, ">x"), `name:">x"`},
		{`name:<"=x"`, term("name", Less, "=x"), `name:<"=x"`},
		{"time:12:30", term("time", Equal, "12:30"), "time:12:30"},
		{"http://x", term("http", Equal, "//x"), "http://x"},
		{"A1b:c", term("A1b", Equal, "c"), "A1b:c"},
		{
			`state:active acme code:"x y" "z"`,
			Filter{[]string{"acme", "z"}, []Term{{"state", Equal, "active"}, {"code", Equal, "x y"}}},
			`acme z state:active code:"x y"`,
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := ParseFilter(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+q, want %+q", got, c.want)
			}
			if got.String() != c.canonical {
				t.Errorf("prints as %s, want %s", got, c.canonical)
			}
		})
	}
}

func TestParseFilterRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, message string }{
		{"no value at the end", "acme name:", "no value for name at character 6. Write name:value"},
		{"no value before a blank", "name: acme", "no value for name at character 1"},
		{"no value after a comparison", "created:>=", "no value for created at character 1"},
		{"empty quotes as a value", `name:""`, "no value for name at character 1"},
		{"two comparisons", "ä age:=>5", "second comparison for age at character 8"},
		{"two equals signs", "age:==5", "second comparison for age at character 6"},
		{"quote never closed", `äöü "acme inc`, "quote at character 5 that is never closed"},
		{"value's quote never closed", `name:"acme\"`, "quote at character 6 that is never closed"},
		{"backslash at the end", `"acme\`, "lone backslash in quotes at character 6"},
		{"unknown escape", `"a\n"`, "lone backslash in quotes at character 3"},
		{"quote inside a word", `5"`, "quote inside a word at character 2"},
		{"quote inside a value", `size:5"`, "quote inside a word at character 7"},
		{"text after a quote", `"a"b`, "closing quote at character 4"},
		{"quoted field", `"a":b`, "closing quote at character 4"},
		{"empty quotes", `a ""`, "empty quotes at character 3"},
		{"too many terms", strings.Repeat("a ", 20) + "b:c", "more than 20 terms, the first too many at character 41"},
		{"too long", strings.Repeat("ä", 1001), "up to 1000 characters; this has 1001"},
		{"NUL", "ä\x00", "NUL at character 2"},
		{"NUL in quotes", "\"\x00\"", "NUL at character 2"},
		{"invalid UTF-8", "ä\xff", "not valid UTF-8 at character 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ParseFilter(c.text)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%v is not an Error", err)
			}
			wantMessage(t, e, "filter", c.message)
			if !reflect.DeepEqual(f, Filter{}) {
				t.Errorf("a refused text gives %+q", f)
			}
		})
	}
}

func TestParseFilterAtItsLimits(t *testing.T) {
	for _, text := range []string{strings.Repeat("ä", 1000), strings.Repeat("a ", 19) + "b:c", "\ufffd"} {
		if _, err := ParseFilter(text); err != nil {
			t.Error(err)
		}
	}
}

func TestFilterReadsBackWhatItPrints(t *testing.T) {
	runes := rapid.OneOf(rapid.RuneFrom([]rune(`ab1":\<>= 	é`)), rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	texts := rapid.StringOfN(runes, 1, 10, -1).Filter(utf8.ValidString)
	terms := rapid.Custom(func(t *rapid.T) Term {
		return Term{
			Field: rapid.StringMatching(`[A-Za-z][A-Za-z0-9]{0,9}`).Draw(t, "field"),
			Op:    rapid.SampledFrom([]Op{Equal, Less, LessEqual, Greater, GreaterEqual}).Draw(t, "op"),
			Value: texts.Draw(t, "value"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var f Filter
		for range rapid.IntRange(0, 10).Draw(t, "words") {
			f.Words = append(f.Words, texts.Draw(t, "word"))
		}
		for range rapid.IntRange(0, 10).Draw(t, "terms") {
			f.Terms = append(f.Terms, terms.Draw(t, "term"))
		}
		back, err := ParseFilter(f.String())
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if !reflect.DeepEqual(back, f) {
			t.Fatalf("%+q prints as %s and reads back as %+q", f, f, back)
		}
	})
}
