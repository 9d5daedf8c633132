package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

func compiled(t testing.TB, source string) *Program {
	t.Helper()
	p, err := Compile(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return p
}

// What programs make of a body, and that the guards around everything do not
// change what a program means.
func TestPrograms(t *testing.T) {
	const body = `{"n":5,"s":"a,b","list":[3,1,2],"o":{"b":1,"a":null},"t":[{"c":"x","q":2},{"c":"y","q":null}]}`
	for source, want := range map[string]string{
		`.n`:                            `5`,
		`.o`:                            `{"a":null,"b":1}`,
		`{n, "k": .s, ("x" + "y"): .n}`: `{"k":"a,b","n":5,"xy":5}`,
		`{"10": 1, "9": 2, "a": 3, "01": 4, "4294967295": 5}`:              `{"9":2,"10":1,"01":4,"4294967295":5,"a":3}`,
		`[.t[] | {(.c): .q}] | add`:                                        `{"x":2,"y":null}`,
		`.t | map(select(.q != null) | .c)`:                                `["x"]`,
		`.t | map(.q // 0) | add`:                                          `2`,
		`.list | sort, sort | length`:                                      "more than one",
		`[.list | sort_by(-.), max, min]`:                                  `[[3,2,1],3,1]`,
		`[(1, 2) + (10, 20)]`:                                              `[11,12,21,22]`,
		`[(1, 2) * (10, 20)]`:                                              `[10,20,20,40]`,
		`[(1, 2) - (10, 20)]`:                                              `[-9,-8,-19,-18]`,
		`[[1,2,3,2] - [2], "ab" * 2, 7 / 2, 7 % 4, "a,b" / ","]`:           `[[1,3],"abab",3.5,3,["a","b"]]`,
		`{a: {b: 1}} * {a: {c: 2}}`:                                        `{"a":{"b":1,"c":2}}`,
		`.n += 2 | .n *= 3 | .n -= 1 | .n /= 4 | .n`:                       `5`,
		`.list[1] = 9 | .list[1]`:                                          `9`,
		`.list[] += 1 | .list`:                                             `[4,2,3]`,
		`.list |= map(. * 2) | .list`:                                      `[6,2,4]`,
		`(.t[] | select(.q == null) | .q) = 0 | [.t[].q]`:                  `[2,0]`,
		`(.list | first) = 7 | .list`:                                      `[7,1,2]`,
		`.o.a //= "new" | .o`:                                              `{"a":"new","b":1}`,
		`.o.c.d[2] = 1 | .o.c`:                                             `{"d":[null,null,1]}`,
		`del(.list, .t, .s, .o)`:                                           `{"n":5}`,
		`.n as $x | [.list[] | . + $x]`:                                    `[8,6,7]`,
		`. as {n: $n, list: [$a, $b]} | [$n, $a, $b]`:                      `[5,3,1]`,
		`reduce .list[] as $x (0; . + $x)`:                                 `6`,
		`[foreach .list[] as $x (0; . + $x)]`:                              `[3,4,6]`,
		`"\(.n) and \(.list) and \("in \(.s)")"`:                           `"5 and [3,1,2] and in a,b"`,
		`@base64 "v=\(.s)"`:                                                `"v=YSxi"`,
		`@uri "\(.s)", .n | select(type == "string")`:                      `"a%2Cb"`,
		`.s | split(",") | join("-")`:                                      `"a-b"`,
		`.s | [split("[,;]"; "g"), splits(",")] | .[0]`:                    `["a","b"]`,
		`[.s | sub("A"; "x"; "i"), test("B"; "i")]`:                        `["x,b",true]`,
		`.s | test("^[a-z],")`:                                             `true`,
		`.s | gsub("[ab]"; "<\(.)>")`:                                      `"<{}>,<{}>"`,
		`[.s | match("[ab]"; "g").string]`:                                 `["a","b"]`,
		`.s | sub("(?<x>a)"; .x + "!")`:                                    `"a!,b"`,
		`if .n > 3 then "big" elif .n > 1 then "mid" else "small" end`:     `"big"`,
		`try error("x") catch .`:                                           `"x"`,
		`[.. | numbers]`:                                                   `[3,1,2,5,1,2]`,
		`to_entries | map(.key)`:                                           `["list","n","o","s","t"]`,
		`.o | with_entries(.value |= tostring)`:                            `{"a":"null","b":"1"}`,
		`def twice(f): f | f; .n | twice(. + 1)`:                           `7`,
		`def fact: if . < 2 then 1 else . * (. - 1 | fact) end; 20 | fact`: `2432902008176640000`,
		`[limit(3; repeat(1))]`:                                            `[1,1,1]`,
		`[range(0; 10; 3)]`:                                                `[0,3,6,9]`,
		`walk(if type == "number" then . + 1 else . end) | .list`:          `[4,2,3]`,
		`[paths] | length`:                                                 `16`,
		`getpath(["t", 0, "c"])`:                                           `"x"`,
		`label $out | foreach .list[] as $x (0; . + $x; if . > 3 then ., break $out else empty end)`: `4`,
		`.list | contains([1])`:                      `true`,
		`"2026-01-02T03:04:05Z" | fromdate | todate`: `"2026-01-02T03:04:05Z"`,
		`"[1,{\"a\":2}]" | fromjson | tojson`:        `"[1,{\"a\":2}]"`,
		`"<&>\u2028\u007f\u0001\b\f\n\r\t\"\\/é"`:    "\"<&>\u2028\u007f\\u0001\\b\\f\\n\\r\\t\\\"\\\\/é\"",
		`[0.1, 1e21, 1e-7, 1.5, 100, nan, -0.0]`:     `[0.1,1e+21,1e-7,1.5,100,null,0]`,
		`null`:                                       `null`,
		`empty`:                                      "no value",
		`1, 2`:                                       "more than one",
		`.n | error`:                                 "fails",
		`.s.x`:                                       "fails",
		`1, error("x")`:                              "fails",
	} {
		p, err := Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := p.Run(t.Context(), []byte(body))
		if err != nil && (strings.HasPrefix(want, `"`) || !strings.Contains(err.Error(), want)) || err == nil && string(got) != want {
			t.Errorf("%s: %s, %v, want %s", source, got, err, want)
		}
		if plain := withoutGuards(t, source, body); err == nil && plain != string(got) {
			t.Errorf("%s: %s, but %s without guards", source, got, plain)
		}
	}
}

// withoutGuards runs a program as it is written.
func withoutGuards(t *testing.T, source, body string) string {
	t.Helper()
	query, err := gojq.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	input, err := decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	value, _ := query.RunWithContext(t.Context(), input).Next()
	out, err := encode(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// Numbers come out as they went in.
func TestNumbersAreKept(t *testing.T) {
	p := compiled(t, ".")
	for _, body := range []string{"0", "-1", "9007199254740991", "-9007199254740991", "1.50", "12345678901234567890", `[1,{"a":2}]`} {
		if got, err := p.Run(t.Context(), []byte(body)); err != nil || string(got) != body {
			t.Errorf("%s became %s, %v", body, got, err)
		}
	}
}

func TestProgramsThatAreRefused(t *testing.T) {
	for source, says := range map[string]string{
		"{": "line 1", "1 +\n +": "line 2", "\"abc": "line 1", "a b": "line 1",
		"nosuch": "nosuch/0", "map": "map/0", "$x": "$x", "\xff": "UTF-8", "1 | \x00": "UTF-8",
		strings.Repeat("1|", MaxSource): "longer than", strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000): "nested",
		"env": "env", "$ENV": "$ENV", "$ENV.HOME": "$ENV", "env.HOME": "env", "{$ENV}": "$ENV", ". as {$ENV} | 1": "$ENV",
		"input": "input", "[inputs]": "inputs", "input_filename": "input_filename", "input_line_number": "input_line_number",
		"now": "now", "localtime": "localtime", "debug": "debug", "stderr": "stderr", "halt": "halt", "1 | halt_error": "halt_error",
		`import "a" as a; 1`: "modules", `include "a"; 1`: "modules", `"a" | modulemeta`: "modulemeta", "get_search_list": "get_search_list", "builtins": "builtins",
		"[[1]] | transpose": "transpose", "jn(1e9; 1)": "jn", "_match(1;2;3)": "_match", "_tenantry_value": "_tenantry_value",
		"def env: 1; env": "name", "def map(f): 1; 1": "name", "def _tenantry_value: .; 1": "name", "def f(join): 1; 1": "name",
		"1 as $_tenantry_operand | 1": "underscore", `test(.n)`: "regular expression", `test("\(.n)")`: "regular expression",
		`split(.n; null)`: "regular expression", `test("a"; "g" * .n)`: "flags", `gsub("a"; "b"; .f)`: "flags", `test("(")`: "regular expression", `test("(a{100}){100}")`: "regular expression", `gsub("()()()()()()()()()()()"; "")`: "too big",
		`match("` + strings.Repeat("(a{9}|b)", 10) + strings.Repeat("x{99}", 9) + `")`: "too big",
		".[100001] = 1": "index", strings.Repeat("1-", maxParts) + "1": "parts", `"` + strings.Repeat(`\(1)`, maxParts) + `"`: "parts", strings.Repeat("1", maxDigits+1): "digits", ".[1e9]": "index",
	} {
		_, err := Compile(source)
		if err == nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 2*maxErrorText {
			t.Errorf("%.60s: %v, want %q", source, err, says)
		}
	}
}

func TestCheckNamesTheSample(t *testing.T) {
	if err := Check(t.Context(), ".", Samples(), patient); err != nil {
		t.Error(err)
	}
	for source, says := range map[string]string{
		".payload.change.subscriptions[0].state | ascii_upcase":                                              "sample-no-subscription",
		".payload.change.subscriptions[0].plan.code | length | if . == 0 then error(\"no plan\") else . end": "sample-no-plan-code",
		".payload.tenant.account.contacts[]":                                                                 "sample-no-contacts: the program yields no value",
		"[range(1e9)]":                                                                                       "sample 1 of",
		"{":                                                                                                  "line 1",
	} {
		if err := Check(t.Context(), source, Samples(), patient); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", source, err, says)
		}
	}
}

// A program that a receiver might really need.
const usual = `.payload | {
	tenant: .tenant.code,
	plan: (.change.subscriptions | map(select(.state == "active" or .state == "trial")) | first | .plan.code // "none"),
	limits: (.change.features | map({(.code): (.quantity // -1)}) | add // {}),
	emails: [.tenant.account.contacts[].email | select(. != "")],
	summary: "\(.tenant.name): \(.change.features | length) features"
}`

func TestUsualProgram(t *testing.T) {
	if err := Check(t.Context(), usual, Samples(), patient); err != nil {
		t.Fatal(err)
	}
	body := webhook.TestState(webhook.Platform{ID: 2, Code: "crm", Name: "CRM"}).Body()
	got, err := compiled(t, usual).Run(t.Context(), body)
	want := `{"emails":["ann.lee@example.com"],"limits":{"projects":0,"region":-1,"sso":-1,"storage":-1,"users":25},"plan":"pro","summary":"Provisioning test: 5 features","tenant":"provisioning-test"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// All the bodies that billing writes can be read, and their texts come out as
// they went in.
func TestBodiesComeThrough(t *testing.T) {
	files, _ := filepath.Glob("../../billing/webhook/testdata/bodies/*.json")
	if len(files) == 0 {
		t.Fatal("there are no bodies")
	}
	p := compiled(t, ".payload.tenant.name, .payload.change.features | select(type == \"string\")")
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := bytes.SplitN(bytes.SplitN(body, []byte(`,"name":`), 2)[1], []byte(`,"platform":`), 2)[0]
		if got, err := p.Run(t.Context(), body); err != nil || !bytes.Equal(got, name) {
			t.Errorf("%s: %s, %v, want %s", file, got, err, name)
		}
	}
}

func TestRunNeedsABody(t *testing.T) {
	p := compiled(t, ".")
	for _, body := range []string{"", "{", "1 2", "\"" + strings.Repeat("x", maxValue) + "\"", strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		if out, err := p.Run(t.Context(), []byte(body)); err == nil {
			t.Errorf("%.20s gave %.20s", body, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compiled(t, "[range(1e6)]").Run(ctx, []byte("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func BenchmarkUsual(b *testing.B) {
	p, body := compiled(b, usual), webhook.TestState(webhook.Platform{}).Body()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(b.Context(), body); err != nil {
			b.Fatal(err)
		}
	}
}
