package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// hostile are programs that want to take all the time or memory there is.
var hostile = []string{
	`[range(1e9)]`, `[range(infinite)] | length`, `range(1e9) | select(. < 0)`, `last(range(1e12))`,
	`def f: f; f`, `def f: [f]; f`, `def f: {a: f}; f`, `def f: f | f; f`, `def f: f, f; [f]`, `def f: (f | .a), .; f`,
	`def f: 1 + f; f`, `def f: .a |= f; null | f`, `def f: .[0] |= f; null | f`, `def f(g): f(g | g); f(.)`,
	`repeat(.)`, `[repeat(1)]`, `[limit(1e8; repeat(1))]`, `last(limit(1e9; repeat(1)))`, `until(false; .)`, `while(true; .)`, `[recurse(.)]`,
	`def g: . as $d | .[] | $d | g; [range(60000)] | g`, `[range(60000)] | [.[] as $a | .[] as $b | 1] | length`,
	`"x" * 1e9`, `"x" * 1000000 * 1000000`, `1e9 * "x"`, `"x" | until(false; . + .)`, `"x" | until(false; . * 2)`, `[0] | until(length > 1e9; . + .)`,
	`{} | until(false; . + {(length | tostring): .})`, `reduce range(60) as $i ("x"; . + .)`, `reduce range(60) as $i (1; [., .])`,
	`reduce range(60) as $i (1; [., .]) | tojson`, `reduce range(60) as $i (1; {a: ., b: .}) | tostring`, `reduce range(60) as $i (1; [., .]) == 1`,
	`reduce range(60) as $i (1; [., .]) | flatten`, `reduce range(1e6) as $i (null; [.]) | tojson`, `reduce range(1e6) as $i (null; {a: .})`,
	`reduce range(60) as $i (10; . * .)`, `reduce range(1e6) as $i (2; . * 2)`, `.n = 2 | until(false; .n *= .n)`, `.s = "x" | until(false; .s += .s)`,
	`[0] | until(false; .[length * 2] = 0)`, `null | .[1e8 | floor] = 1`, `setpath([5e7]; 1)`, `null | getpath([1e8]) = 1`, `[paths] | setpath([1e5, 1e5, 1e5, 1e5]; 1)`,
	`nth(5e7) = 1`, `null | .[[1e8][0]] |= 1`, `reduce range(1e5) as $i (null; setpath([$i]; $i))`, `setpath([range(1e5) | 0]; 1)`, `pick(getpath([1e8]))`,
	`[range(60000)] - [range(60000)]`, `[range(60000)] | contains([range(60000)])`, `[range(60000)] as $x | $x | inside($x)`, `[range(60000)] as $x | $x | indices($x[0:30000])`,
	`"x" * 500000 as $s | [range(60000)] | map("a") | join($s)`, `("x" * 100000) as $s | "\($s)\($s)\($s)\($s)\($s)\($s)\($s)\($s)\($s)\($s)"`,
	`"a" * 1000000 | gsub("a"; "bbbb")`, `"ab" * 1000 | gsub(""; "x" * 1000)`,
	`[splits("a")]`, `"1" * 1000000 | tonumber`, `"1" * 60000 | fromjson | . * .`, `"[" * 1000000 | fromjson`, `"[" * 30000 + "]" * 30000 | fromjson`,
	`"x" * 1000000 | explode`, `"x" * 1000000 | split("")`, `"x" * 1000000 / ""`, `[range(1000)] | [combinations(5)]`, `[[range(100)], [range(100)], [range(100)], [range(100)]] | [combinations]`,
	`[range(1000)] | .[] |= ("x" * 1000000)`, `[range(60000)] | map([range(60000)])`, `[range(60000)] | group_by(.) | tojson | . * 10`, `add(repeat("x" * 100000))`,
	`[range(3000)] | reduce .[] as $i (.; . + [$i]) | [.[] | tostring] | unique | sort_by(.) | [range(1000)] | map(repeat(.))`,
	`[range(1000)] | walk(repeat(.))`, `try repeat(try error("x") catch .) catch .`, `def f: try f catch f; f`, `label $f | repeat(., break $f) | repeat(.)`,
	`"%c" * 200000 as $f | 0 | strftime($f)`, `"x" * 1000000 | @base64 | @base64 | @uri | @json`, `"\u0001" * 1000000 | tojson | tojson`, `[limit(60000; repeat("x" * 10))] | @csv`,
	`[range(60000)] | [., .] | [., .] | [., .] | tojson`, `[limit(800; repeat("x" * 1000000))] | length | error`, `error("x" * 1000000)`, `"x" * 300000`, `1e1000 | floor | . * . | tojson | . * 100000`,
	`reduce range(1e5) as $i ([]; . + [$i]) | length | error`, `[range(60000) | {a: 1}] | map(.a) | unique_by(.) | repeat(.)`, `INDEX(range(1e9); .)`,
	`[range(1e5)] | to_entries | from_entries`, `[range(50000) | tostring] | map({key: ., value: .}) | from_entries | with_entries(.value |= . * 1000)`,
}

// harmless are programs that look like the others, but may be run.
var harmless = []string{
	`"a" * 2000 | [match("((((((a*)*)*)*)*)*)*"; "g")] | length`,
	`"a" * 2000 | gsub("(a*)*b"; "c")`, `"1," * 30000 | "[" + . + "1]" | fromjson`, `map_values(repeat(.))`,
	`[.. | ..]`, `walk([., .])`, `[range(2000)]`, `pow(10; 300) | floor | [limit(100; repeat(. * .))]`,
}

// Each of them is stopped, whatever it tries, and little memory was touched.
func TestHostileProgramsAreStopped(t *testing.T) {
	for _, source := range hostile {
		t.Run(fmt.Sprintf("%.40s", source), func(t *testing.T) {
			p := compiled(t, source)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			out, err := p.Run(t.Context(), []byte(`{"a":{"b":[1,2]},"n":1,"s":"x"}`))
			took := time.Since(started)
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%v, %d MiB: %v", took, allocated, err)
			if err == nil {
				t.Errorf("it yields %d bytes", len(out))
			} else if len(err.Error()) > 2*maxErrorText {
				t.Errorf("its error has %d bytes", len(err.Error()))
			}
			if allocated > 2*maxMemory>>20 {
				t.Errorf("%d MiB were allocated", allocated)
			}
		})
	}
}

func TestHarmlessProgramsAreNot(t *testing.T) {
	for _, source := range harmless {
		out, err := compiled(t, source).Run(t.Context(), []byte(`{"a":{"b":[1,2]},"n":1,"s":"x"}`))
		if err != nil || len(out) == 0 || len(out) > MaxOutput {
			t.Errorf("%s: %d bytes, %v", source, len(out), err)
		}
	}
}

func TestReasonsForStopping(t *testing.T) {
	for source, want := range map[string]error{
		`def f: [f]; f`: errMemory, `def f: f; f`: errSteps, `[repeat("x" * 1000 | test("(x*)*y"))]`: errTime,
	} {
		if _, err := compiled(t, source).Run(t.Context(), []byte("1")); !errors.Is(err, want) && !errors.Is(err, errTime) {
			t.Errorf("%s: %v, want %v", source, err, want)
		}
	}
}

// A program that was stopped leaves nothing behind that goes on.
func TestStoppedProgramsLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := compiled(t, "repeat(.)")
	for range 10 {
		if _, err := p.Run(t.Context(), []byte("1")); err == nil {
			t.Error("it was not stopped")
		}
	}
	deadline := time.After(10 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-deadline:
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		default:
			runtime.Gosched()
		}
	}
	if n := len(deliveries) + len(previews); n != 0 {
		t.Errorf("%d slots are taken", n)
	}
}

// Whatever a program is, it ends, does not panic, and yields JSON within its
// bounds.
func FuzzProgram(f *testing.F) {
	for _, source := range []string{
		usual, ".", "{a: .n, b: [.s]}", `.l[0] += 1 | .s |= sub("a"; "\(.)") | del(.n)`, `[.. | numbers] | @csv "x\(.)"`, `"x" * 3 - 1 / 0`,
		`. as [$a, {b: $c}] ?// $a | reduce .l[] as $x (0; . + 1)`, `label $o | foreach range(3) as $i (0; $i; if . > 1 then ., break $o else empty end)`,
		`try setpath(["l", 5]; 1) catch ascii_downcase`, `def f(g; $x): g | f(g; $x)?; f(.l; 1)`, `"2026-01-02" | strptime("%Y-%m-%d") | mktime | gmtime | todate`,
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Compile(source)
		if err != nil {
			return
		}
		out, err := p.Run(t.Context(), []byte(`{"n":5,"s":"a,b","l":[3,1,{"c":null}]}`))
		if err != nil {
			return
		}
		if len(out) > MaxOutput {
			t.Errorf("%d bytes", len(out))
		}
		if !json.Valid(out) {
			t.Errorf("%q is not JSON", out)
		}
	})
}
