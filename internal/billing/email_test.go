package billing

import (
	"strings"
	"testing"
)

func TestCheckEmail(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct{ name, value, message string }{
		{"plain", "ann@example.com", ""},
		{"upper case", "Ann.Smith@Example.COM", ""},
		{"tag and signs", "o'hara+billing_x-1!#$%&*/=?^{|}~@mail.example.co.uk", ""},
		{"dots anywhere", ".a..b.@example.com", ""},
		{"one letter each", "a@b.c", ""},
		{"digits in the domain", "a@1and1.4u", ""},
		{"other scripts", "用户@例え.テスト", ""},
		{"vowel signs", "a@हिन्दी.भारत", ""},
		{"punycode", "a@xn--bcher-kva.example", ""},
		{"longest local part", strings.Repeat("x", 64) + "@example.com", ""},
		{"longest label", "a@" + long + ".com", ""},
		{"254 bytes", "a@" + strings.Repeat(long+".", 3) + strings.Repeat("b", 60), ""},

		{"empty", "", "must not be empty"},
		{"no at sign", "ann.example.com", "has no @"},
		{"nothing before", "@example.com", "nothing before the @"},
		{"nothing after", "ann@", "nothing after the @"},
		{"two at signs", "ann@home@example.com", "more than one @"},
		{"quoted local part", `"ann"@example.com`, `no " before`},
		{"comma", "ann,bob@example.com", "no , before"},
		{"link", "mailto:ann@example.com", "no : before"},
		{"list", "ann@example.com;bob@example.com", "more than one @"},
		{"name around", "Ann <ann@example.com>", "without a name"},
		{"brackets alone", "<ann@example.com>", "without a name"},
		{"blank inside", "ann smith@example.com", "no blanks"},
		{"leading blank", " ann@example.com", "no blanks"},
		{"line break", "ann@example.com\r\nBcc: x@example.com", "no blanks"},
		{"no-break space", "ann\u00a0@example.com", "no blanks"},
		{"zero-width", "ann@example.com\u200b", "invisible"},
		{"NUL", "ann\x00@example.com", "control"},
		{"local part too long", strings.Repeat("x", 65) + "@example.com", "up to 64 bytes before the @; this has 65"},
		{"255 bytes", "a@" + strings.Repeat(long+".", 3) + strings.Repeat("b", 61), "up to 254 bytes; this has 255"},
		{"single label", "root@localhost", "not complete"},
		{"dot first", "ann@.example.com", "a dot too many"},
		{"dots in a row", "ann@example..com", "a dot too many"},
		{"dot last", "ann@example.com.", "a dot too many"},
		{"hyphen first", "ann@-example.com", "hyphen"},
		{"hyphen last", "ann@example-.com", "hyphen"},
		{"underscore", "ann@exa_mple.com", "holds '_'"},
		{"wide dot", "ann@example。com", "holds '。'"},
		{"emoji", "ann@🚀.com", "holds '🚀'"},
		{"address literal", "ann@[192.0.2.1]", "holds '['"},
		{"IP address", "ann@192.0.2.1", "ends in a number"},
		{"label too long", "ann@" + long + "x.com", "up to 63 characters"},
		{"invalid UTF-8", "ann\xff@example.com", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantMessage(t, CheckEmail("contacts.0.email", c.value), "contacts.0.email", c.message)
		})
	}
}
