package program

import (
	"encoding/json"
	"testing"
)

// Programs in which guards stand in delicate places, most of all on the left of
// an assignment, where only paths may be: they do what they do without.
func TestGuardsChangeNothing(t *testing.T) {
	const body = `{"n":5,"s":"abcabc","list":[3,1,2],"o":{"b":1,"a":null},"t":[{"c":"x","q":2},{"c":"y","q":null}]}`
	for _, source := range []string{
		`.list[.n - 4] = 1`, `.list[(1 + 1)] |= 10`, `.list[.n - 5, .n - 4] += 1`, `del(.list[1 - 1])`, `.list[1:] = []`, `.list[-1:][0] = 5`,
		`(.t[] | select((.q // 0) * 2 == 4)).c = "z"`, `(.t[] | select(.c | test("x"))).q |= . * 2`, `limit(1; .list[]) = 0`, `first(.list[] | select(. > 1)) |= . + 1`,
		`getpath(["list", 1 + 0]) = 5`, `getpath(["o"] + ["b"]) |= tostring`, `nth(1 + 1; .list[]) = 9`, `(.o | .["b"]) += 1`, `.["o"]["b"] -= 1`, `."o" |= {x: .b}`,
		`.list |= (.[0] = 100)`, `(if .n - 5 == 0 then .list[0] else .n end) = "here"`, `(.o.a // .o.b) = 7`, `.o[("a", "b")] = 1`, `."\("s")" = 1`, `.o."\("b" + "")" |= . + 1`,
		`[paths(type == "number")]`, `[path(..)] | length`, `path(.list[1 + 1])`, `[path(.t[] | select(.q))]`, `pick(.o.b, .list[1])`, `to_entries | from_entries`,
		`.t |= map(.q //= 0)`, `.t[].q //= 3 - 1`, `reduce .list[] as $x (.; .n += $x | .n *= 2)`, `. as {list: [$a, $b], o: {("a" + "" | ascii_downcase): $c}} | [$a, $b, $c]`,
		`.list as [$x] | .n as $n | {$x, $n, "k\($n)": ($x - $n), (.s): 1, "s": .s[1:2]}`, `[.list[] as $x | .t[] | {c, x: ($x * (.q // 1))}]`,
		`[.list[] | if . > 2 then "a" * . elif . == 1 then [.] - [1] else {} end]`, `try (.s - 1) catch "no"`, `[.s - 1, 1]? // "no"`, `(.a.b.c)? // (.list | add) / 2`,
		`[(1, 2) - (3, 4)], [(1, 2) / (4, 8)], [(8, 9) % (3, 4)] | .[1]`, `[.list[] as $x | $x, -$x, -(.n + $x)]`, `[1, null] - [null] | . + [2]`, `.n -= 1 | .n /= 2 | .n %= 2 | .o *= {c: 1}`,
		`.list -= [1]`, `.s /= "b"`, `.s *= 2`, `(.n, .o.b) += (1, 2) | [.n, .o.b]`, `.t[1:] |= map(.c)`, `def at($i): .list[$i]; def up(f): f |= . + 1; up(at(0))`,
		`def f($a; b): [$a, b, (b | . + $a)]; f(.n; .list[0] * 2)`, `label $l | .list[] | if . == 1 then ., break $l else . * 2 end`, `[limit(.n - 3; .list[])]`, `[.s | match("b"; "g") | .offset]`,
		`.s | ascii_upcase | sub("B(?<l>.)"; "<\(.l)>") | [., length]`, `@json "x\(.list)y\(.o.a)"`, `@html "<\(.s + "<")>"`, `[.list, .o | @text]`, `.list | @csv, @tsv`, `[splits("a")?]`, `.s | [splits("b")]`,
		`.list | [first, last, nth(1), min, max, (sort | reverse), (map(tostring) | join("+")), index(1), any(. > 2), all(. > 2), contains([3])]`,
		`[.list | combinations(2)] | length`, `[.. | strings]`, `walk(if type == "object" then del(.q) else . end)`, `with_entries(select(.value | type != "array"))`, `group_by(.n)?`, `.t | group_by(.q) | map(length)`,
		`[.t[] | .q | tostring | tojson | fromjson]`, `"2026-02-03" | strptime("%Y-%m-%d") | mktime | strftime("%d.%m.%Y")`, `[range(.n - 3; .n + 1; 2)]`, `INDEX(.t[]; .c) | map_values(.q)`, `[.list[] | IN(1, 2)]`,
		`isempty(empty), ([.list | inside([1, 2, 3, 4])] | .[0])`, `. == (. | .)`, `[.n, .s] == [5, "abcabc"] and (.n - 5 == 0 or error)`, `[.[]?] | length`, `[..|numbers] | unique`, `[.list | .[1:], .[:1], .[-2:-1]]`,
	} {
		want := withoutGuards(t, source, body)
		if !json.Valid([]byte(want)) {
			t.Errorf("%s shows nothing: %s", source, want)
		}
		program, err := Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		values := program.code.RunWithContext(t.Context(), decoded(t, body))
		value, _ := values.Next()
		got, err := encode(value)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want {
			t.Errorf("%s: %s, but %s without guards", source, got, want)
		}
	}
}

func decoded(t *testing.T, body string) any {
	t.Helper()
	value, err := decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
