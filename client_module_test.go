package tenantry_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClientIsAModuleOfItsOwn keeps the library free of our version of Go and
// of our dependencies. That it works so is tested in internal/manual, with an
// application outside of the repository.
func TestClientIsAModuleOfItsOwn(t *testing.T) {
	if got, want := read(t, "client/go.mod"), "module "+modulePath+"/client\n\ngo 1.23.0\n"; got != want {
		t.Errorf("client/go.mod is %q, want %q", got, want)
	}
	if _, err := os.Stat("client/go.sum"); err == nil {
		t.Error("there is a client/go.sum, so the library has dependencies")
	}
	if read(t, "client/LICENSE") != read(t, "LICENSE") {
		t.Error("LICENSE and client/LICENSE differ")
	}
}

// TestMakeCoversTheClient keeps targets from going by ./... alone, which leaves
// out modules below.
func TestMakeCoversTheClient(t *testing.T) {
	makefile := read(t, "Makefile")
	if !strings.Contains(makefile, "\nPACKAGES  = ./... "+modulePath+"/client/...\n") {
		t.Error("PACKAGES of the Makefile lack the library")
	}
	for _, target := range []string{"test", "race", "vet", "lint", "fuzz"} {
		recipe := regexp.MustCompile(`(?m)^` + target + `:.*\n((?:\t.*\n)+)`).FindString(makefile)
		if !strings.Contains(recipe, "$(PACKAGES)") || strings.Contains(recipe, "./...") {
			t.Errorf("make %s goes by\n%s", target, recipe)
		}
	}
	if !strings.Contains(read(t, ".ci/run"), "make test") || !strings.Contains(read(t, ".ci/run"), "make check") {
		t.Error(".ci/run does not use make")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
