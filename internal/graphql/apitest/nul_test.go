package apitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestNulEverywhere sends the character NUL in every text that the API takes, one
// at a time. PostgreSQL cannot hold it, and whoever sends it must be told so: it
// is never the server's fault, and never kept.
func TestNulEverywhere(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.fill(t, things, things)
		whole, err := schema.Served()
		if err != nil {
			t.Fatal(err)
		}
		n := nuller{schema: whole}
		sent := 0
		for _, root := range []*ast.Definition{whole.Query, whole.Mutation} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") {
					continue
				}
				for _, request := range n.requests(root, field) {
					sent++
					a := s.send(t, post(request.document, string(asJSON(request.variables))))
					fails := a.status != 200 || a.code() == "INTERNAL"
					if fails || root == whole.Mutation && a.code() == "" && !strings.Contains(string(a.body), `"userErrors":[{`) {
						t.Errorf("answer %d %.300s\nto %s with %s", a.status, a.body, request.document, asJSON(request.variables))
					}
				}
			}
		}
		if sent < 250 {
			t.Errorf("only %d texts were tried", sent)
		}
	})
}

// nuller makes requests with one text that has a NUL in it.
type nuller struct {
	schema *ast.Schema
}

type nulRequest struct {
	document  string
	variables map[string]json.RawMessage
}

// requests are one for each text within the arguments of a field.
func (n nuller) requests(root *ast.Definition, field *ast.FieldDefinition) (all []nulRequest) {
	var declared, given []string
	for _, a := range field.Arguments {
		declared = append(declared, fmt.Sprintf("$%s: %s", a.Name, a.Type))
		given = append(given, a.Name+": $"+a.Name)
	}
	if declared == nil {
		return nil
	}
	document := fmt.Sprintf("%s (%s) { %s (%s) %s }", strings.ToLower(root.Name), strings.Join(declared, ", "), field.Name, strings.Join(given, ", "), n.selection(field.Type))
	for _, a := range field.Arguments {
		for _, value := range n.spoiled(a.Type, 4) {
			variables := map[string]json.RawMessage{a.Name: value}
			for _, other := range field.Arguments {
				if other.Name != a.Name && (other.Type.NonNull || other.Name == "id" && field.Arguments.ForName("code") == nil) {
					variables[other.Name] = n.good(other.Type)
				}
			}
			all = append(all, nulRequest{document, variables})
		}
	}
	return all
}

// selection asks for what is wrong, if the type says so, and for the type else.
func (n nuller) selection(typ *ast.Type) string {
	definition := n.schema.Types[typ.Name()]
	switch {
	case definition.Kind != ast.Object:
		return ""
	case definition.Fields.ForName("userErrors") != nil:
		return "{ errors userErrors { code field message } }"
	}
	return "{ __typename }"
}

// spoiled are values of a type that are good but for one text.
func (n nuller) spoiled(typ *ast.Type, depth int) (all []json.RawMessage) {
	if depth == 0 {
		return nil
	}
	if typ.Elem != nil {
		for _, one := range n.spoiled(typ.Elem, depth) {
			all = append(all, asJSON([]json.RawMessage{one}))
		}
		return all
	}
	definition := n.schema.Types[typ.Name()]
	switch {
	case definition.Kind == ast.InputObject:
		for _, field := range definition.Fields {
			for _, one := range n.spoiled(field.Type, depth-1) {
				object := n.object(definition)
				object[field.Name] = one
				all = append(all, asJSON(object))
			}
		}
		return all
	case definition.Kind == ast.Enum, definition.Name == "Boolean", definition.Name == "Int":
		return nil
	}
	return []json.RawMessage{asJSON("a\x00b"), asJSON("\x00")}
}

// object has what an input object must have, and what most operations want.
func (n nuller) object(definition *ast.Definition) map[string]json.RawMessage {
	object := map[string]json.RawMessage{}
	for _, field := range definition.Fields {
		switch name := field.Name; {
		case field.Type.NonNull, name == "name", name == "code", name == "accountId", name == "productId", name == "planId", name == "priceListId", name == "platformId", name == "currencyId":
			object[name] = n.good(field.Type)
		}
	}
	return object
}

// good is a value that nothing is wrong with.
func (n nuller) good(typ *ast.Type) json.RawMessage {
	if typ.Elem != nil {
		return asJSON([]json.RawMessage{n.good(typ.Elem)})
	}
	definition := n.schema.Types[typ.Name()]
	switch definition.Kind {
	case ast.Enum:
		return asJSON(definition.EnumValues[0].Name)
	case ast.InputObject:
		return asJSON(n.object(definition))
	}
	switch definition.Name {
	case "Boolean":
		return asJSON(true)
	case "Int", "ID":
		return asJSON(2)
	case "Date":
		return asJSON("2026-01-31")
	case "DateTime", "Time":
		return asJSON("2026-01-31T00:00:00Z")
	case "Decimal":
		return asJSON("1")
	}
	return asJSON("EUR")
}
