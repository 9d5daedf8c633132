package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestReferenceIsWhole finds every operation and type of the schema on the
// page, once, and the page as it would be written now.
func TestReferenceIsWhole(t *testing.T) {
	t.Parallel()
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != document(served) {
		t.Error("docs/reference.md is not what the schema says: run make generate")
	}
	want := map[string]bool{}
	for _, field := range served.Query.Fields {
		want["### query `"+field.Name+"`"] = !strings.HasPrefix(field.Name, "__")
	}
	for _, field := range served.Mutation.Fields {
		want["### mutation `"+field.Name+"`"] = true
	}
	for _, def := range served.Types {
		want["### "+kinds[def.Kind]+" `"+def.Name+"`"] = !def.BuiltIn && def != served.Query && def != served.Mutation
	}
	lines := strings.Split(string(text), "\n")
	for heading, wanted := range want {
		if slices.Contains(lines, heading) != wanted {
			t.Errorf("%q is on the page: %t, want %t", heading, !wanted, wanted)
		}
	}
}
