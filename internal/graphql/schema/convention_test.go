package schema

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

func TestMutationsAnswerWithTheirPayload(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, field := range schema.Mutation.Fields {
			if want := upperFirst(field.Name) + "Payload"; field.Type.String() != want {
				t.Errorf("%s answers with %s, want %s", field.Name, field.Type, want)
			}
		}
	})
}

// TestNoAbstractTypes: validation compares fields of the same name as if they
// belonged to one type (merge.go of package graphql).
func TestNoAbstractTypes(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, def := range ownTypes(schema) {
			if def.IsAbstractType() {
				t.Errorf("%s is an interface or a union: validation must compare fields by type first", def.Name)
			}
		}
	})
}

func TestPayloads(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, def := range ownTypes(schema) {
			mutation, is := strings.CutSuffix(def.Name, "Payload")
			if !is {
				continue
			}
			wantField(t, def, "errors", "", "[String!]")
			wantField(t, def, "userErrors", "", "[UserError!]!")
			if schema.Mutation.Fields.ForName(lowerFirst(mutation)) == nil {
				t.Errorf("%s belongs to no mutation", def.Name)
			}
			results := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
				return f.Name == "errors" || f.Name == "userErrors"
			})
			if len(results) == 0 {
				t.Errorf("%s has no result", def.Name)
			}
			for _, field := range results {
				if field.Type.NonNull {
					t.Errorf("%s.%s must be null after a failure", def.Name, field.Name)
				}
			}
		}
	})
}

func TestMutationsOfManyAnswerWithMany(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, field := range schema.Mutation.Fields {
			if field.Arguments.ForName("ids") == nil {
				continue
			}
			payload := wantType(t, schema, field.Type.Name())
			if payload.Fields[0].Type.Elem == nil {
				t.Errorf("%s takes ids, so %s.%s must be a list", field.Name, payload.Name, payload.Fields[0].Name)
			}
		}
	})
}

// A required attribute that is missing is told as a user error with its field,
// not as an invalid document: so the schema asks for none.
func TestAttributesAreOptional(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, def := range ownTypes(schema) {
			if def.Kind != ast.InputObject {
				continue
			}
			if !strings.HasSuffix(def.Name, "Attributes") {
				t.Errorf("the input %s is not called …Attributes", def.Name)
			}
			for _, field := range def.Fields {
				if field.Type.NonNull {
					t.Errorf("%s.%s must be optional", def.Name, field.Name)
				}
			}
		}
	})
}

func TestAdministrationNeedsAdminScopes(t *testing.T) {
	guarded := regexp.MustCompile(`^(apiClient|auditEntr)`)
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for want, root := range map[string]*ast.Definition{"admin:read": schema.Query, "admin:write": schema.Mutation} {
			for _, field := range root.Fields {
				if got := scopeOf(schema, root, field); guarded.MatchString(field.Name) && got != want {
					t.Errorf("%s needs the scope %q, want %q", field.Name, got, want)
				}
			}
		}
		platform := wantType(t, schema, "Platform")
		if got := scopeOf(schema, platform, platform.Fields.ForName("webhookSigningSecret")); got != "admin:read" {
			t.Errorf("the signing secret needs the scope %q, want admin:read", got)
		}
	})
}

func TestScopesExist(t *testing.T) {
	scopes := []string{"", readScope, writeScope, "platform:write", "billing:read", "billing:write", "admin:read", "admin:write"}
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, def := range ownTypes(schema) {
			for _, field := range def.Fields {
				if scope := scopeOf(schema, def, field); !slices.Contains(scopes, scope) {
					t.Errorf("%s.%s needs the unknown scope %q", def.Name, field.Name, scope)
				}
			}
		}
	})
}

func TestSpelling(t *testing.T) {
	camelCase := regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	pascalCase := regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	upperCase := regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	rules := map[string]*regexp.Regexp{
		"type": pascalCase, "field": camelCase, "argument": camelCase, "enum value": upperCase,
		"directive": camelCase, "directive argument": camelCase,
	}
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, e := range elements(schema) {
			if !rules[e.kind].MatchString(e.name) {
				t.Errorf("the %s %s is not spelled like the others", e.kind, e.path)
			}
		}
	})
}

func TestEverythingIsDescribed(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		if schema.Description == "" {
			t.Error("the schema has no description")
		}
		for _, e := range elements(schema) {
			switch {
			case e.description == "":
				t.Errorf("the %s %s has no description", e.kind, e.path)
			case !strings.HasSuffix(e.description, "."):
				t.Errorf("the description of the %s %s is not a sentence: %q", e.kind, e.path, e.description)
			}
		}
	})
}
