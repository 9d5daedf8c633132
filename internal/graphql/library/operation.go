package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// form is how a call looks to its caller.
type form int

const (
	formValue      form = iota // a query for one value or thing that is always there, or for a list of its own
	formFind                   // a query for one thing that may not exist
	formList                   // filter and limit
	formConnection             // filter and a page
	formOne                    // a mutation that answers with one thing, or a list of them
	formPayload                // a mutation that answers with several
)

// operation is one field of Query or Mutation.
type operation struct {
	name     string
	doc      string
	form     form
	mutation bool
	field    *ast.FieldDefinition
	// key is the type of the arguments, if they only name a thing.
	key string
	// result is what comes back: nil for a value; of a connection its nodes; of
	// a mutation with one thing that thing.
	result *object
	// part is the field of a mutation's payload that is answered.
	part *ast.FieldDefinition
}

func (m *model) operation(root *ast.Definition, f *ast.FieldDefinition) (*operation, error) {
	o := &operation{name: f.Name, doc: f.Description, field: f, mutation: root == m.schema.Mutation}
	if namesOne(f.Arguments) {
		o.key = keyName(f)
		if other := m.keys[o.key]; other != nil && !sameArguments(other, f) {
			return nil, fmt.Errorf("the arguments differ from those of %s, but both are a %s", other.Name, o.key)
		}
		m.keys[o.key] = f
	}
	name := f.Type.Name()
	switch {
	case o.mutation:
		return o, m.payload(o)
	case strings.HasSuffix(f.Name, "Connection"):
		o.form = formConnection
		o.result = m.full(m.schema.Types[name].Fields.ForName("nodes").Type.Name())
		return o, wantArguments(f, "after", "filter", "first")
	case f.Type.Elem != nil && f.Arguments.ForName("filter") != nil:
		o.form, o.result = formList, m.full(name)
		return o, wantArguments(f, "filter", "limit")
	case !f.Type.NonNull && f.Type.Elem == nil:
		o.form = formFind
	}
	if !m.isLeaf(f.Type) {
		o.result = m.full(name)
	}
	return o, nil
}

func wantArguments(f *ast.FieldDefinition, names ...string) error {
	var have []string
	for _, a := range f.Arguments {
		have = append(have, a.Name)
	}
	slices.Sort(have)
	if !slices.Equal(have, names) {
		return fmt.Errorf("a list has the arguments %v here, not %v: teach the generator about it", names, have)
	}
	return nil
}

// payload finds out what a mutation answers besides its errors and what needs a
// scope of its own.
func (m *model) payload(o *operation) error {
	definition := m.schema.Types[o.field.Type.Name()]
	var parts []*ast.FieldDefinition
	for _, f := range definition.Fields {
		if f.Name != "errors" && f.Name != "userErrors" && f.Directives.ForName("scope") == nil {
			parts = append(parts, f)
		}
	}
	if definition.Fields.ForName("userErrors") == nil || len(parts) == 0 {
		return fmt.Errorf("the payload %s is not of the form { thing, errors, userErrors }", definition.Name)
	}
	if len(parts) == 1 && !m.isLeaf(parts[0].Type) {
		o.form, o.part, o.result = formOne, parts[0], m.full(parts[0].Type.Name())
		return nil
	}
	o.form = formPayload
	o.result = &object{name: definition.Name, doc: definition.Description}
	for _, f := range parts {
		s := selected{name: f.Name, doc: f.Description, typ: f.Type}
		if !m.isLeaf(f.Type) {
			s.of = m.full(f.Type.Name())
		}
		o.result.fields = append(o.result.fields, s)
	}
	m.objects[o.result.name] = o.result
	return nil
}

// namesOne says whether the arguments only say which thing is meant: its id, its
// number, or codes that lead to it.
func namesOne(arguments ast.ArgumentDefinitionList) bool {
	for _, a := range arguments {
		if a.Type.NonNull || a.Name != "id" && a.Name != "number" && a.Name != "code" && !strings.HasSuffix(a.Name, "Code") {
			return false
		}
	}
	return len(arguments) > 1
}

// keyName is PlatformKey for platform and for platformSync alike.
func keyName(f *ast.FieldDefinition) string {
	name := f.Type.Name()
	for _, verb := range []string{"SyncPayload"} {
		name = strings.TrimSuffix(name, verb)
	}
	return name + "Key"
}

func sameArguments(a, b *ast.FieldDefinition) bool {
	return slices.EqualFunc(a.Arguments, b.Arguments, func(a, b *ast.ArgumentDefinition) bool {
		return a.Name == b.Name && a.Type.String() == b.Type.String()
	})
}

// document is the GraphQL text of a call, with the selection between two
// halves, so that the many calls that select the same can share it.
func (o *operation) document() (before, after string) {
	var declared, passed []string
	for _, a := range o.field.Arguments {
		declared = append(declared, "$"+a.Name+": "+a.Type.String())
		passed = append(passed, a.Name+": $"+a.Name)
	}
	kind := "query"
	if o.mutation {
		kind = "mutation"
	}
	call := o.name
	if len(passed) > 0 {
		call += "(" + strings.Join(passed, ", ") + ")"
	}
	switch o.form {
	case formConnection:
		declared = append(declared, "$total: Boolean!")
		before, after = call+" { nodes { ", " } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount @include(if: $total) }"
	case formOne:
		before, after = call+" { "+o.part.Name+" { ", " } userErrors { code field message } }"
	case formPayload:
		before, after = call+" { ", " userErrors { code field message } }"
	default:
		before = call
		if o.result != nil {
			before, after = call+" { ", " }"
		}
	}
	head := kind + " " + strings.ToUpper(o.name[:1]) + o.name[1:]
	if len(declared) > 0 {
		head += "(" + strings.Join(declared, ", ") + ")"
	}
	return head + " { " + before, after + " }"
}
