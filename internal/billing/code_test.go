package billing

import (
	"strings"
	"testing"
)

func TestCheckCode(t *testing.T) {
	for _, c := range []struct{ name, value, message string }{
		{"plain", "acme", ""},
		{"one character", "a", ""},
		{"blank inside", "acme inc", ""},
		{"signs", `a:b/c?d#e"f'`, ""},
		{"other scripts", "株式会社-ß-🚀", ""},
		{"joined emoji", "👩‍👩‍👧", ""},
		{"at the limit", strings.Repeat("ä", 100), ""},
		{"empty", "", "must not be empty"},
		{"over the limit", strings.Repeat("ä", 101), "up to 100 characters; this has 101"},
		{"leading blank", " a", "begin or end with a blank"},
		{"trailing blank", "a ", "begin or end with a blank"},
		{"trailing wide blank", "a\u3000", "begin or end with a blank"},
		{"only a blank", " ", "begin or end with a blank"},
		{"tab inside", "a\tb", "control characters"},
		{"trailing line break", "a\n", "control characters"},
		{"delete", "a\x7fb", "control characters"},
		{"C1 control", "a\u0085b", "control characters"},
		{"NUL", "a\x00", "NUL"},
		{"invalid UTF-8", "a\xc3", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantMessage(t, CheckCode("code", c.value), "code", c.message)
		})
	}
}
