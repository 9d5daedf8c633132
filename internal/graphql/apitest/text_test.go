package apitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are those that are lost somewhere between a caller and a database that
// is not careful.
var texts = map[string]string{
	"emoji":              "👩‍👩‍👧‍👦 family 🏳️‍🌈",
	"line separators":    "a\u2028b\u2029c",
	"markup":             `<b>&amp;</b> <script>alert("1")</script>`,
	"quotes":             `"double" 'single' ` + "`back`" + ` \ \\ \" \n \u0041`,
	"combining marks":    "e\u0301 is not \u00e9, A\u030a is not \u00c5, Z\u0351\u0343\u034a",
	"right to left":      "\u200fעברית\u200e \u202eabc\u202c \u2067x\u2069",
	"zero width":         "a\u200bb\u200cc\u200dd\ufeffe\u2060f",
	"line breaks":        "one\ntwo\r\nthree\rfour\ttab",
	"controls":           "a\x01\x02\x1f\x7f\u0080\u009fz",
	"blanks":             "  two before and one after ",
	"other blanks":       "\u00a0\u3000x\u2003",
	"noncharacters":      "\ufffe\uffff\U0010ffff",
	"the replacement":    "\ufffd",
	"private use":        "\ue000\U000f0000",
	"the widest":         "\U0010fffd\U00020000",
	"many scripts":       "Straße ΑΒΓ Русский 中文 日本語 한국어 हिन्दी ไทย தமிழ் አማርኛ",
	"SQL":                `'; DROP TABLE account; -- $1 ? :a @b %s`,
	"patterns":           `%_\%\_ * ? [a-z] ^$`,
	"JSON":               `{"a": [1, null, true], "b": "\u0000"}`,
	"a placeholder":      "{{name}} ${name} <id:1> %(name)s",
	"255 letters":        strings.Repeat("x", 255),
	"255 wide ones":      strings.Repeat("😀", 255),
	"255 with marks":     strings.Repeat("e\u0301", 127) + "x",
	"a name in capitals": "ıİſKÅ ẞß ǅ",
}

// TestText: text comes back byte for byte, whichever way it goes in and out.
func TestText(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		for name, text := range texts {
			t.Run(name, func(t *testing.T) {
				ways := map[string]data{
					"a variable":           s.do(t, `mutation ($v: String!) { accountCreate(attributes: {name: $v, description: $v}) { account { id name description } errors } }`, "v", text),
					"a literal":            s.do(t, `mutation { accountCreate(attributes: {name: `+literal(text)+`, description: `+literal(text)+`}) { account { id name description } errors } }`),
					"escapes":              s.done(t, s.send(t, post(`mutation ($v: String!) { accountCreate(attributes: {name: $v, description: $v}) { account { id name description } errors } }`, `{"v":`+escaped(text)+`}`))),
					"escapes in a literal": s.do(t, `mutation { accountCreate(attributes: {name: `+escaped(text)+`, description: `+escaped(text)+`}) { account { id name description } errors } }`),
				}
				for way, made := range ways {
					account := made.at("accountCreate.account")
					same(t, way+", answer", account, text)
					read := s.do(t, `query ($id: ID!) { account(id: $id) { name description } accounts(filter: "", limit: 1000) { id name description } }`, "id", account.at("id").text())
					same(t, way+", account", read.at("account"), text)
					for _, row := range read.at("accounts").list() {
						if row.at("id").text() == account.at("id").text() {
							same(t, way+", accounts", row, text)
						}
					}
					entries := s.do(t, `query ($f: String!) { auditEntries(filter: $f) { detail } }`, "f", "subjectType:Account subjectId:"+account.at("id").text()).at("auditEntries").list()
					if got := entries[0].at("detail.name.to").text(); got != text {
						t.Errorf("%s, audit: got %q, want %q", way, got, text)
					}
				}
				// And it is found by itself.
				if filter := quotedFilter(text); utf8.RuneCountInString(filter) < 1000 {
					if found := s.do(t, `query ($f: String!) { accounts(filter: $f) { name } }`, "f", "name:"+filter).at("accounts").list(); len(found) != len(ways) {
						t.Errorf("name:%s finds %d accounts, want %d", filter, len(found), len(ways))
					}
				}
			})
		}
	})
}

func same(t *testing.T, where string, account data, want string) {
	t.Helper()
	for _, field := range []string{"name", "description"} {
		if got := account.at(field).text(); got != want {
			t.Errorf("%s: %s is %q, want %q", where, field, got, want)
		}
	}
}

// literal writes a string of GraphQL with as few escapes as possible.
func literal(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// escaped writes a string of JSON, and of GraphQL, in ASCII.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 0x10000:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r < ' ' || r >= 0x7f || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

func quotedFilter(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// TestTextLengths: lengths are counted in characters, and what is too long is
// refused and not cut.
func TestTextLengths(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		for field, most := range map[string]int{"name": 255, "code": 100, "description": 10_000, "phone": 255} {
			for _, letter := range []string{"x", "é", "😀", "e\u0301"[1:]} {
				for _, extra := range []int{0, 1} {
					attributes := map[string]string{"name": "N", field: strings.Repeat(letter, most+extra)}
					if field == "name" && letter == "\u0301" {
						attributes[field] = "x" + strings.Repeat(letter, most+extra-1)
					}
					payload := s.send(t, post(`mutation ($a: AccountAttributes!) { accountCreate(attributes: $a) { account { id `+field+` } userErrors { code field message } } }`, pairs([]any{"a", attributes})))
					var body struct {
						Data struct {
							AccountCreate struct {
								Account    map[string]string
								UserErrors []struct {
									Code, Message string
									Field         []string
								}
							}
						}
					}
					if err := json.Unmarshal(payload.body, &body); err != nil {
						t.Fatal(err)
					}
					got := body.Data.AccountCreate
					switch {
					case extra == 0 && got.Account[field] != attributes[field]:
						t.Errorf("%d × %q in %s: %.200s", most, letter, field, payload.body)
					case extra == 0:
						s.do(t, `mutation ($id: ID!) { accountDelete(id: $id) { errors } }`, "id", got.Account["id"])
					case got.Account != nil || len(got.UserErrors) != 1 || got.UserErrors[0].Code != "INVALID" || got.UserErrors[0].Field[0] != field ||
						!strings.Contains(got.UserErrors[0].Message, fmt.Sprint(most)):
						t.Errorf("%d × %q in %s: %.200s", most+1, letter, field, payload.body)
					}
				}
			}
		}
	})
}
