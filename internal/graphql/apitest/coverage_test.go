package apitest

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// served returns the names of the fields of Query and Mutation.
func served(t testing.TB) map[ast.Operation][]*ast.FieldDefinition {
	t.Helper()
	s, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	fields := map[ast.Operation][]*ast.FieldDefinition{}
	for operation, root := range map[ast.Operation]*ast.Definition{ast.Query: s.Query, ast.Mutation: s.Mutation} {
		for _, field := range root.Fields {
			if field.Name[:2] != "__" {
				fields[operation] = append(fields[operation], field)
			}
		}
	}
	return fields
}

// TestEveryFieldHasAScenario fails when a field is added to the API and
// nothing says what it answers.
func TestEveryFieldHasAScenario(t *testing.T) {
	t.Parallel()
	used := map[ast.Operation]map[string]bool{ast.Query: {}, ast.Mutation: {}}
	for _, script := range readScripts(t) {
		for _, step := range script.steps {
			document, err := parser.ParseQuery(&ast.Source{Input: placeholder.ReplaceAllString(step.document, "1")})
			if err != nil {
				t.Fatalf("%s: %s: %v", script.path, step.title, err)
			}
			for _, operation := range document.Operations {
				for _, selection := range operation.SelectionSet {
					if field, ok := selection.(*ast.Field); ok {
						used[operation.Operation][field.Name] = true
					}
				}
			}
		}
	}
	for operation, fields := range served(t) {
		for _, field := range fields {
			if !used[operation][field.Name] {
				t.Errorf("no scenario has the %s %s", operation, field.Name)
			}
		}
	}
}
