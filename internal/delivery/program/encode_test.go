package program

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"pgregory.net/rapid"
)

// values are what programs can yield, with the keys and numbers that
// JavaScript is particular about.
func values() *rapid.Generator[any] {
	keys := rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,11}`), rapid.StringMatching(`[a-c]?0?[0-9]?`), rapid.String())
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), toAny[bool]), rapid.Map(rapid.IntRange(-(1<<53-1), 1<<53-1), toAny[int]),
		rapid.Map(rapid.Float64(), toAny[float64]), rapid.Map(rapid.Float64Range(-1, 1), toAny[float64]), rapid.Map(rapid.String(), toAny[string]),
	)
	return rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(leaf, 0, 5), toAny[[]any]),
		rapid.Map(rapid.MapOfN(keys, rapid.OneOf(leaf, rapid.Map(rapid.MapOfN(keys, leaf, 0, 5), toAny[map[string]any])), 0, 8), toAny[map[string]any]))
}

func toAny[T any](v T) any { return v }

// Receivers that verify a body after parsing it depend on this.
func TestOutputSurvivesJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("Node is not installed")
		}
		t.Skip("Node is not installed: outputs were not taken through JSON.parse and JSON.stringify")
	}
	var lines [][]byte
	generator := values()
	for seed := range 2000 {
		line, err := encode(generator.Example(seed))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	command := exec.Command(node, "-e", `const text = require("fs").readFileSync(0, "utf8");
		process.stdout.write(text.split("\n").map((line) => JSON.stringify(JSON.parse(line))).join("\n"));`)
	command.Stdin, command.Stderr = bytes.NewReader(bytes.Join(lines, []byte("\n"))), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, again := range bytes.Split(out, []byte("\n")) {
		if !bytes.Equal(again, lines[i]) {
			t.Errorf("%s comes back as %s", lines[i], again)
		}
	}
}
