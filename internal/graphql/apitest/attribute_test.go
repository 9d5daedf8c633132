package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestEveryAttributeIsKept sends every attribute of every input type with two
// different values and reads each back: one that is accepted and dropped fails.
// The attributes come from the schema, so a new one is tested without being
// named here.
func TestEveryAttributeIsKept(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		whole, err := schema.Served()
		if err != nil {
			t.Fatal(err)
		}
		s.do(t, attributeFixture)
		k := keeper{server: s, schema: whole}
		for _, name := range slices.Sorted(maps.Keys(whole.Types)) {
			definition := whole.Types[name]
			if definition.Kind != ast.InputObject {
				continue
			}
			way := k.wayOf(definition)
			if whole.Query.Fields.ForName(way.read) == nil {
				t.Errorf("no way to send %s is known: add it to attributeWays", definition.Name)
				continue
			}
			for name := range way.attributes {
				if definition.Fields.ForName(name) == nil {
					t.Errorf("attributeWays has %s.%s, and the schema does not", definition.Name, name)
				}
			}
			for _, field := range definition.Fields {
				t.Run(definition.Name+"."+field.Name, func(t *testing.T) { k.check(t, way, definition, field) })
			}
		}
		if k.sent < 200 {
			t.Errorf("only %d values were sent", k.sent)
		}
	})
}

// way is how the attributes of an input type are sent and where they are read.
type way struct {
	send string // the mutation, with the attributes as $a; # becomes a new number each time
	base object // attributes without which it is refused
	read string // the field of Query, and of the payload, with the thing
	in   string // where in it the attributes are, if not at its top
	// attributes are those that need more than a value of their type.
	attributes map[string]attribute
}

// wayOf is how the attributes of a type are sent: those of a resource to its create,
// with those that are required for a new one.
func (k *keeper) wayOf(definition *ast.Definition) way {
	w := attributeWays[definition.Name]
	resource := strings.TrimSuffix(definition.Name, "Attributes")
	resource = strings.ToLower(resource[:1]) + resource[1:]
	if create := k.schema.Mutation.Fields.ForName(resource + "Create"); w.send == "" && create != nil {
		w.send, w.read = create.Name+"(attributes: $a)", resource
	}
	if w.base == nil {
		w.base = object{}
		for _, field := range definition.Fields {
			if strings.Contains(field.Description, "required for a new") {
				w.base[field.Name] = k.values(field.Type)[0]
			}
		}
	}
	return w
}

type object map[string]any

// attribute says what one attribute needs.
type attribute struct {
	values []any  // what is sent in turn; two values of its type if nil
	with   object // sent along; nil leaves out what the base has
	at     string // where it is read, if not in a field of its name
	want   []any  // what is read, if not what was sent
	send   string // in place of that of the type
}

type keeper struct {
	*server
	schema *ast.Schema
	sent   int
}

func (k *keeper) check(t *testing.T, w way, definition *ast.Definition, field *ast.FieldDefinition) {
	a := w.attributes[field.Name]
	if a.values == nil {
		a.values = k.values(field.Type)
	}
	if a.want == nil {
		a.want = a.values
	}
	if a.at == "" {
		a.at = field.Name
	}
	if a.send == "" {
		a.send = w.send
	}
	if w.in != "" {
		a.at = w.in + "." + a.at
	}
	path := strings.Split(a.at, ".")
	if !k.shows(k.schema.Query.Fields.ForName(w.read).Type.Name(), path) {
		t.Fatalf("%s has no %s to read the attribute back from; if it is read elsewhere, say so in attributeWays", w.read, a.at)
	}
	for i, value := range a.values {
		k.sent++
		attributes := object{}
		for _, some := range []object{w.base, a.with, {field.Name: value}} {
			for name, v := range some {
				attributes[name] = v
			}
		}
		for name, v := range attributes {
			if v == nil && name != field.Name {
				delete(attributes, name)
			}
		}
		number := strings.NewReplacer("#", strconv.Itoa(k.sent))
		document := number.Replace(fmt.Sprintf("mutation ($a: %s!) { done: %s { %s { id } errors userErrors { code field message } } }", definition.Name, a.send, w.read))
		variables := number.Replace(string(asJSON(object{"a": attributes})))
		id := k.done(t, k.send(t, post(document, variables))).at("done." + w.read + ".id").text()
		found := k.do(t, fmt.Sprintf("{ %s(id: %s) %s }", w.read, id, selecting(path)))
		want := number.Replace(string(asJSON(a.want[i])))
		if have := string(asJSON(found.find(append([]string{w.read}, path...)))); have != want {
			t.Errorf("sent %s, read %s, want %s", variables, have, want)
		}
	}
}

// values are two values of a type that most attributes take.
func (k *keeper) values(typ *ast.Type) []any {
	definition := k.schema.Types[typ.Name()]
	if definition.Kind == ast.Enum {
		return []any{definition.EnumValues[0].Name, definition.EnumValues[1].Name}
	}
	switch definition.Name {
	case "Int":
		return []any{2, 3}
	case "Boolean":
		return []any{true, false}
	case "BigDecimal":
		return []any{"1.50", "2.50"}
	case "ISO8601Date":
		return []any{"2026-03-20", "2026-03-21"}
	case "ISO8601DateTime":
		return []any{"2026-01-14T10:00:00.000Z", "2026-01-14T11:00:00.000Z"}
	}
	return []any{"first-#", "second-#"}
}

// shows reports whether a type has what a path leads to.
func (k *keeper) shows(name string, path []string) bool {
	for _, part := range path {
		if _, err := strconv.Atoi(part); err == nil {
			continue // the place in a list
		}
		field := k.schema.Types[name].Fields.ForName(part)
		if field == nil {
			return false
		}
		name = field.Type.Name()
	}
	return true
}

// selecting is the selection of one path.
func selecting(path []string) string {
	text := ""
	for i := len(path) - 1; i >= 0; i-- {
		if _, err := strconv.Atoi(path[i]); err != nil {
			text = "{ " + path[i] + " " + text + " }"
		}
	}
	return text
}

// find returns what a path leads to; through a list it leads to a list.
func (d data) find(path []string) any {
	if list, isList := d.value.([]any); isList && len(path) > 0 {
		if n, err := strconv.Atoi(path[0]); err == nil {
			if n >= len(list) {
				return nil
			}
			return data{list[n]}.find(path[1:])
		}
		found := []any{}
		for _, one := range d.list() {
			found = append(found, one.find(path))
		}
		return found
	}
	if len(path) == 0 {
		return d.value
	}
	return d.at(path[0]).find(path[1:])
}
