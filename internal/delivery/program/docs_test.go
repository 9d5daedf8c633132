package program_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/delivery/program"
)

// TestExamplesOfTheDocumentation runs every program of docs/programs.md on the
// body of docs/payload.md, and compares what it makes with what is said there.
func TestExamplesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	if err := json.Compact(&body, []byte(blocks(page(t, "payload.md"), "json")[0][1])); err != nil {
		t.Fatal(err)
	}
	programs, _, found := strings.Cut(page(t, "programs.md"), "\n## State programs\n")
	if !found {
		t.Fatal("the page has no state programs")
	}
	examples := blocks(programs, "jq")
	if len(examples) < 5 {
		t.Fatalf("there are only %d examples", len(examples))
	}
	for _, example := range examples {
		compiled, err := program.Compile(example[1])
		if err != nil {
			t.Errorf("%s\n%v", example[1], err)
			continue
		}
		made, err := compiled.Run(t.Context(), body.Bytes())
		if err != nil {
			t.Errorf("%s\n%v", example[1], err)
		} else if want := example[2]; want != "" && string(made) != want {
			t.Errorf("%s\nmakes %s\nwant  %s", example[1], made, want)
		}
	}
}

// TestStateProgramOfTheDocumentation runs the example on the tenant before it.
func TestStateProgramOfTheDocumentation(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(page(t, "programs.md"), "\n## State programs\n")
	sent, example := blocks(text, "json"), blocks(text, "jq")
	if len(sent) != 2 || len(example) != 1 {
		t.Fatalf("there are %d examples", len(example))
	}
	run, err := program.Each(t.Context(), example[0][1], func(context.Context) func() { return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	if made, err := run([]byte(sent[0][1])); err != nil || string(made) != example[0][2] {
		t.Errorf("%s\nmakes %s, %v\nwant  %s", example[0][1], made, err, example[0][2])
	}
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks are the pieces of code in a language in a text, each with the JSON
// that follows it, if some does.
func blocks(text, language string) [][]string {
	return regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```\n(?:\n```json\n(.*?)\n```)?").FindAllStringSubmatch(text, -1)
}
