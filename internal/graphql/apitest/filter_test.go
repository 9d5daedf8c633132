package apitest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

var (
	fieldInRow    = regexp.MustCompile("`(\\w+)`")
	fieldsInError = regexp.MustCompile(`The fields are: ([\w, ]+)\.`)
)

// TestFilterDocument holds the fields that docs/filter.md has for a list to those that
// the list names when it is asked for another. One without a row has the usual ones.
func TestFilterDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/filter.md")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "sqlite")
	for _, field := range served(t)[ast.Query] {
		if field.Type.Elem == nil || field.Arguments.ForName("filter") == nil {
			continue
		}
		a := s.send(t, post("{ "+field.Name+`(filter: "nosuch:1") { __typename } }`, ""))
		found := fieldsInError.FindStringSubmatch(string(a.body))
		if found == nil {
			t.Errorf("%s takes any field: %s", field.Name, a.body)
			continue
		}
		takes := strings.Split(found[1], ", ")
		_, row, documented := strings.Cut(string(text), "\n| `"+field.Name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		row, _, _ = strings.Cut(row, ";") // what words match
		if !documented {
			row = "`id` `name` `code` `created` `updated`"
		}
		var says []string
		for _, name := range fieldInRow.FindAllStringSubmatch(row, -1) {
			says = append(says, name[1])
		}
		for _, name := range takes {
			if !slices.Contains(says, name) {
				t.Errorf("docs/filter.md does not say that %s can be filtered by %s", field.Name, name)
			}
		}
		for _, name := range says {
			if documented && !slices.Contains(takes, name) {
				t.Errorf("docs/filter.md says that %s can be filtered by %s", field.Name, name)
			}
		}
	}
}
