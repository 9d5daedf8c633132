package main

import (
	"go/types"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	contextPath = "context"
	gqlgenPath  = "github.com/99designs/gqlgen/graphql"
)

// writeNodes writes the ids and the types of package node.
func writeNodes() error {
	p, err := load("billing/...", "store", "delivery/...")
	if err != nil {
		return err
	}
	byHand, err := handwritten("node")
	if err != nil {
		return err
	}
	ids := newFile("node/ids_gen.go", module+"graphql/node")
	p.ids(ids)
	if err := ids.write(); err != nil {
		return err
	}
	out := newFile("node/resources_gen.go", module+"graphql/node")
	for _, query := range p.schema.Query.Fields {
		if of, isConnection := strings.CutSuffix(query.Type.Name(), "Connection"); isConnection {
			out.add("\n// %[1]sConnection is a page of a list, and %[1]sEdge an entry of it.\ntype (\n%[1]sConnection = Connection[%[1]s]\n%[1]sEdge = Edge[%[1]s]\n)\n", of)
		}
	}
	for _, r := range p.resources {
		p.node(out, r, byHand)
	}
	return out.write()
}

// ids writes a pair of functions for every type of id: gqlgen looks for them.
func (p *project) ids(out *file) {
	out.use(gqlgenPath)
	for _, path := range sorted(p.packages) {
		scope := p.packages[path].Scope()
		for _, name := range scope.Names() {
			object, isType := scope.Lookup(name).(*types.TypeName)
			if !isType || object.IsAlias() || !strings.HasSuffix(name, "ID") || types.Typ[types.Int64] != object.Type().Underlying() {
				continue
			}
			out.add(`
// Marshal%[1]s writes an id.
func Marshal%[1]s(id %[2]s) graphql.Marshaler { return digits(id) }

// Unmarshal%[1]s reads an id.
func Unmarshal%[1]s(v any) (%[2]s, error) {
	id, err := UnmarshalID(v)
	return %[2]s(id), err
}
`, name, out.of(object))
		}
	}
}

// node writes the type of a resource, what makes nodes of rows, and relations.
func (p *project) node(out *file, r *resource, byHand map[string]bool) {
	row, id := out.text(r.row), out.text(r.id)
	if !byHand[r.name] {
		out.add("\n%s\ntype %s struct {\n*%s\ngroup *group[%s]\n}\n", r.description(), r.name, row, row)
	}
	if !byHand["Reader."+r.many] {
		out.add("\n// %[1]s makes nodes of rows that were loaded together.\nfunc (r *Reader) %[1]s(rows []%[3]s) []*%[2]s {\nreturn wrap(r, rows, func(row *%[3]s, g *group[%[3]s]) %[2]s { return %[2]s{row, g} })\n}\n", r.many, r.name, row)
	}
	if p.isReferred(r) && !byHand["Reader."+lower(r.many)+"ByID"] {
		out.add("\nfunc (r *Reader) %sByID(ctx %s.Context, ids []%s) (map[%s]*%s, error) {\nfound, err := %s.ByIDs(ctx, r.q(), ids)\n",
			lower(r.many), out.use(contextPath), id, id, r.name, out.of(r.table))
		out.add("return index(r.%s(found), func(n *%s) %s { return n.ID }), err\n}\n", r.many, r.name, id)
	}
	for _, field := range r.def.Fields {
		if to := p.resource(field.Type.Name()); to != nil && !byHand[r.name+"."+upper(field.Name)] {
			p.relation(out, r, field, to)
		}
	}
}

// isReferred says whether another resource has the id of this one.
func (p *project) isReferred(r *resource) bool {
	for _, other := range p.resources {
		for i := range other.fields.NumFields() {
			if is, _ := isReference(other.fields.Field(i), r); is {
				return true
			}
		}
	}
	return false
}

// relation writes the method of a field that leads to another resource: by an
// id of this one, or by its id in those of a list.
func (p *project) relation(out *file, r *resource, field *ast.FieldDefinition, to *resource) {
	method, context := upper(field.Name), out.use(contextPath)
	if field.Type.Elem == nil {
		if is, optional := isReference(r.field(method+"ID"), to); is {
			load := map[bool]string{false: "one", true: "oneIfAny"}[optional]
			out.add("\n// %s is %s\nfunc (n *%s) %s(ctx %s.Context) (*%s, error) {\n", method, lower(sentence(field.Description)), r.name, method, context, to.name)
			out.add("return %s(ctx, n.group, %q, n.%s.%sID, func(row *%s) %s { return row.%sID }, (*Reader).%sByID)\n}\n",
				load, field.Name, r.row.Obj().Name(), method, out.text(r.row), out.text(r.field(method+"ID").Type()), method, lower(to.many))
		}
		return
	}
	owner := r.row.Obj().Name()
	key := owner + "ID"
	is, optional := isReference(to.field(key), r)
	if !is {
		return
	}
	argument, filter := "", "nil"
	if len(field.Arguments) == 1 && field.Arguments[0].Name == "filter" {
		argument, filter = ", filter *string", "filter"
	}
	pointer := map[bool]string{true: "*"}[optional]
	out.add("\n// %s are %s\nfunc (n *%s) %s(ctx %s.Context%s) ([]*%s, error) {\n", method, lower(sentence(field.Description)), r.name, method, context, argument, to.name)
	out.add("return many(ctx, n.group, %q, n.ID, %s, %s, %q, func(row *%s) %s { return row.ID }, (*Reader).%s, func(n *%s) %s { return %sn.%s })\n}\n",
		field.Name, filter, out.of(to.table), lower(owner)+"Id", out.text(r.row), out.text(r.id), to.many, to.name, out.text(r.id), pointer, key)
}

// sentence is the first part of a description, with a full stop.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, ";")
	return strings.TrimSuffix(strings.ReplaceAll(text, "\n", " "), ".") + "."
}
