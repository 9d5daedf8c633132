package program_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/tenantry/tenantry/internal/delivery/program"
)

// TestExamplesOfTheDocumentation runs every program of docs/programs.md on the
// body of docs/payload.md, and compares what it makes with what is said there.
func TestExamplesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	if err := json.Compact(&body, []byte(blocks(t, "payload.md", "json")[0][1])); err != nil {
		t.Fatal(err)
	}
	examples := blocks(t, "programs.md", "jq")
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

// blocks are the pieces of code in a language on a page, each with the JSON
// that follows it, if some does.
func blocks(t *testing.T, page, language string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```\n(?:\n```json\n(.*?)\n```)?").FindAllStringSubmatch(string(text), -1)
}
