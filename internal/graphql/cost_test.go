package graphql

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	gql "github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/graphql/gen"
)

// TestLibraryFits: whatever the client library asks for is within all limits,
// with the largest pages and words to search for.
func TestLibraryFits(t *testing.T) {
	schema := gen.NewExecutableSchema(gen.Config{}).Schema()
	h := &Handler{schema: schema, documents: newDocumentCache()}
	documents := libraryDocuments(t)
	for name, text := range documents {
		doc, errs := h.document(t.Context(), text)
		if len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
			continue
		}
		variables := map[string]any{"limit": int64(maxLimit), "first": int64(maxLimit), "filter": "words", "total": true}
		if errs := checkLimits(&gql.OperationContext{Operation: doc.Operations[0], Variables: variables}); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	if len(documents) < 50 {
		t.Errorf("there are only %d documents to look at", len(documents))
	}
}

// libraryDocuments are the constants of the library's generated code.
func libraryDocuments(t *testing.T) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "../../client/operations_gen.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	// Only constants matter: what they do not need is unknown and may stay so.
	config := types.Config{Importer: importer.Default(), Error: func(error) {}, IgnoreFuncBodies: true}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	_, _ = config.Check("client", files, []*ast.File{file}, info)
	documents := map[string]string{}
	for name, object := range info.Defs {
		if value, is := object.(*types.Const); is && strings.HasSuffix(name.Name, "Document") {
			documents[name.Name] = constant.StringVal(value.Val())
		}
	}
	return documents
}

// TestCostsAreDocumented: the page about the API names each field that costs
// more than others, and what it costs.
func TestCostsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "|") {
			rows = append(rows, line)
		}
	}
	has := func(field string, cost float64) bool {
		for _, row := range rows {
			if strings.Contains(row, "`"+field+"`") && strings.Contains(strings.ReplaceAll(row, ",", ""), fmt.Sprintf("| %.0f", cost)) {
				return true
			}
		}
		return false
	}
	if !has("Query", costStatement) || !has("totalCount", costCount) || !has("filter", costFilter) {
		t.Error("docs/api.md does not say what a field of Query, a list with a filter or totalCount costs")
	}
	schema := gen.NewExecutableSchema(gen.Config{}).Schema()
	for field, cost := range fieldCosts {
		object, name, _ := strings.Cut(field, ".")
		if !has(name, cost) {
			t.Errorf("docs/api.md does not say that %s costs %.0f", field, cost)
		}
		if schema.Types[object].Fields.ForName(name) == nil {
			t.Errorf("there is no field %s", field)
		}
	}
}
