package manual_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readmeBlocks are the commands of the README up to where it runs for real.
func readmeBlocks(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first, _, found := strings.Cut(string(text), "\n## Running it for real\n")
	if !found {
		t.Fatal("README.md does not tell how to run it for real")
	}
	return blocksIn(first)
}

// TestREADMEThenQuickStart does what a newcomer does: first the README and then
// the quick start, in the same directory and on the same data.
func TestREADMEThenQuickStart(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "curl", "sed"} {
		needed(t, program)
	}
	quickstart := blocksOf(t, home)
	if quickstart[0] != (block{"sh", "background", "tenantry serve\n"}) {
		t.Fatalf("the quick start does not begin with the server, but with %q", quickstart[0])
	}
	t.Run("on the server of the README", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, home)
		s.add(readmeBlocks(t))
		s.add(quickstart[1:])
		s.run()
	})
	t.Run("on a server of its own", func(t *testing.T) {
		t.Parallel()
		s := newSession(t, home)
		s.add(readmeBlocks(t))
		s.script.WriteString(interrupt)
		s.add(quickstart)
		s.run()
	})
}

// TestReceiversAreApartFromTheListener keeps pages that are read while the
// listener of the quick start runs from asking for its port.
func TestReceiversAreApartFromTheListener(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"receiving", "client-go", "client-typescript", "webhooks", "payload"} {
		text, err := os.ReadFile(filepath.Join("../../docs", page+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "8090") {
			t.Errorf("%s.md wants port 8090, which \"tenantry listen\" may still have", page)
		}
	}
}
