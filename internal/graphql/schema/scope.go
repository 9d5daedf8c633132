package schema

import "github.com/vektah/gqlparser/v2/ast"

const (
	readScope  = "standard:read"
	writeScope = "standard:write"
)

// scopeOf returns the OAuth scope that the field of the type asks for. Below
// the root a field without @scope asks for nothing beyond what the operation
// it was reached by has asked for already, so the answer is empty.
func scopeOf(schema *ast.Schema, def *ast.Definition, field *ast.FieldDefinition) string {
	if directive := field.Directives.ForName("scope"); directive != nil {
		if name := directive.Arguments.ForName("name"); name != nil {
			return name.Value.Raw
		}
	}
	switch def {
	case schema.Query:
		return readScope
	case schema.Mutation:
		return writeScope
	default:
		return ""
	}
}
