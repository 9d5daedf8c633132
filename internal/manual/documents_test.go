package manual_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestDocuments holds every piece of GraphQL in the documentation against the
// schema.
func TestDocuments(t *testing.T) {
	t.Parallel()
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range pages {
		page := strings.TrimSuffix(filepath.Base(file), ".md")
		for _, b := range blocksOf(t, page) {
			if b.language != "graphql" {
				continue
			}
			found++
			if _, errs := gqlparser.LoadQueryWithRules(served, b.text, nil); errs != nil {
				t.Errorf("%s.md: %v in\n%s", page, errs, b.text)
			}
		}
	}
	if found == 0 {
		t.Error("there is no GraphQL in the documentation")
	}
}

// TestPagesAreLinkedFromTheREADME keeps the way from the README to each page.
func TestPagesAreLinkedFromTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		if name := filepath.Base(file); !strings.Contains(string(readme), "(docs/"+name+")") {
			t.Errorf("README.md has no link to docs/%s", name)
		}
	}
}
