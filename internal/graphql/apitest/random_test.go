package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// things is how many of each noun there are to begin with.
const things = 30

// TestRandomRequests sends documents that fit the schema, with values that are
// likely to be trouble. Nothing of it may be the server's fault.
func TestRandomRequests(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.fill(t, things, things)
		whole, err := schema.Served()
		if err != nil {
			t.Fatal(err)
		}
		g := generator{rand.New(rand.NewPCG(1, 2)), whole}
		counts := map[string]int{}
		for range 600 {
			document, variables := g.request()
			a := s.send(t, post(document, variables))
			counts[a.code()]++
			if a.status != 200 || a.code() == "INTERNAL" {
				t.Errorf("answer %d %.300s\nto %.1000s\nwith %.1000s", a.status, a.body, document, variables)
			}
		}
		if counts[""] < 100 {
			t.Errorf("hardly any request was in order: %v", counts)
		}
	})
}

// generator makes requests by chance.
type generator struct {
	*rand.Rand
	schema *ast.Schema
}

var oddTexts = []string{
	"", " ", "0", "crm", "users", "EUR", "UTC", "Ann", "https://example.com/", "ann@example.com", "X-Signature", "true", "25", "9.90", "-1", "1e9", "\x00", "a\x00", "\u2028", "😀",
	"code:0", "name:*", "created:>=2026-01-01", "kind:quantity", `"`, `\`, "%", "standard:read", "aWQ6MQ", strings.Repeat("x", 256), strings.Repeat("é", 10_001),
}

var oddNumbers = []string{"0", "1", "2", "3", "31", "32", "-1", "50", "1000", "1001", "1000000000", "2147483647", "-2147483648"}

func pick[T any](g generator, list []T) T { return list[g.IntN(len(list))] }

// request is one operation with a field or two.
func (g generator) request() (document, variables string) {
	root, operation := g.schema.Query, "query"
	if g.IntN(3) > 0 {
		root, operation = g.schema.Mutation, "mutation"
	}
	var declared, fields []string
	values := map[string]json.RawMessage{}
	for i := range 1 + g.IntN(2) {
		field := pick(g, root.Fields)
		if strings.HasPrefix(field.Name, "__") || operation == "mutation" && strings.HasPrefix(field.Name, "apiClient") {
			continue // the client that sends all this is to stay
		}
		var arguments []string
		for _, argument := range field.Arguments {
			if !argument.Type.NonNull && g.IntN(3) == 0 {
				continue
			}
			name := fmt.Sprintf("v%d%s", i, argument.Name)
			declared = append(declared, fmt.Sprintf("$%s: %s", name, argument.Type))
			arguments = append(arguments, argument.Name+": $"+name)
			values[name] = g.value(argument.Type, 3)
		}
		given := ""
		if len(arguments) > 0 {
			given = "(" + strings.Join(arguments, ", ") + ")"
		}
		fields = append(fields, fmt.Sprintf("f%d: %s%s%s", i, field.Name, given, g.selection(field.Type, 3)))
	}
	if len(declared) > 0 {
		operation += "(" + strings.Join(declared, ", ") + ")"
	}
	return operation + " { __typename " + strings.Join(fields, " ") + " }", string(asJSON(values))
}

// selection asks for some of the fields of a type.
func (g generator) selection(typ *ast.Type, depth int) string {
	definition := g.schema.Types[typ.Name()]
	if definition.Kind != ast.Object {
		return ""
	}
	parts := []string{"__typename"}
	for _, field := range definition.Fields {
		if isObject := g.schema.Types[field.Type.Name()].Kind == ast.Object; !isObject || depth > 0 && g.IntN(2) == 0 {
			parts = append(parts, field.Name+g.selection(field.Type, depth-1))
		}
	}
	return " { " + strings.Join(parts, " ") + " }"
}

// value is JSON of a type.
func (g generator) value(typ *ast.Type, depth int) json.RawMessage {
	if !typ.NonNull && g.IntN(8) == 0 {
		return json.RawMessage("null")
	}
	if typ.Elem != nil {
		list := []json.RawMessage{}
		for range g.IntN(3) {
			list = append(list, g.value(typ.Elem, depth-1))
		}
		return asJSON(list)
	}
	definition := g.schema.Types[typ.Name()]
	switch definition.Kind {
	case ast.Enum:
		return asJSON(pick(g, definition.EnumValues).Name)
	case ast.InputObject:
		object := map[string]json.RawMessage{}
		for _, field := range definition.Fields {
			if g.IntN(3) == 0 && depth > 0 {
				object[field.Name] = g.value(field.Type, depth-1)
			}
		}
		return asJSON(object)
	}
	switch definition.Name {
	case "Boolean":
		return asJSON(g.IntN(2) == 0)
	case "Int":
		return json.RawMessage(pick(g, oddNumbers))
	case "ID":
		if g.IntN(4) > 0 {
			return asJSON(1 + g.IntN(things))
		}
	}
	return asJSON(pick(g, oddTexts))
}
