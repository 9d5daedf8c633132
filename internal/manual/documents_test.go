package manual_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

var (
	namedTest = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestNamedTestsExist: a promise in the documentation is worth the test that it
// names.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range testFunc.FindAllSubmatch(text, -1) {
			known[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(page, "reference.md") { // types of the API
			continue
		}
		for _, found := range namedTest.FindAllSubmatch(text, -1) {
			if named++; !known[string(found[1])] {
				t.Errorf("%s names %s, and there is no such test", filepath.Base(page), found[1])
			}
		}
	}
	if named < 20 {
		t.Errorf("the documentation names only %d tests", named)
	}
}
