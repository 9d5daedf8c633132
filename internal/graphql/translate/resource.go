package main

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/tools/go/packages"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

const module = "github.com/tenantry/tenantry/internal/"

// resource is a type of the schema that has a table.
type resource struct {
	name   string // of the type, such as PriceListCharge
	many   string // of its rows in package node, such as PriceListCharges
	def    *ast.Definition
	table  types.Object // such as store.Charges
	row    *types.Named // such as Charge
	id     *types.Named // such as ChargeID
	fields *types.Struct
}

// project is what the generated code is derived from.
type project struct {
	packages  map[string]*types.Package // by path
	schema    *ast.Schema
	resources []*resource
}

// load reads the schema and the packages with those names.
func load(names ...string) (*project, error) {
	patterns := make([]string, len(names))
	for i, name := range names {
		patterns[i] = module + name
	}
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile}, patterns...)
	if err != nil {
		return nil, err
	}
	p := &project{packages: map[string]*types.Package{}}
	for _, one := range found {
		for _, wrong := range one.Errors {
			err = errors.Join(err, wrong)
		}
		p.packages[one.PkgPath] = one.Types
	}
	if err != nil {
		return nil, err
	}
	if p.schema, err = schema.Served(); err != nil {
		return nil, err
	}
	p.findResources()
	return p, nil
}

// variables are the exported variables of all packages whose type is a generic
// type of that name, in the order of their names.
func (p *project) variables(generic string) []types.Object {
	var found []types.Object
	for _, pkg := range p.packages {
		for _, name := range pkg.Scope().Names() {
			object, isVar := pkg.Scope().Lookup(name).(*types.Var)
			if isVar && object.Exported() && len(arguments(object.Type(), generic)) > 0 {
				found = append(found, object)
			}
		}
	}
	slices.SortFunc(found, func(a, b types.Object) int { return strings.Compare(a.Name(), b.Name()) })
	return found
}

// arguments are the type arguments of a generic type of that name.
func arguments(t types.Type, generic string) []*types.Named {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Name() != generic {
		return nil
	}
	var found []*types.Named
	for i := range named.TypeArgs().Len() {
		if one, ok := types.Unalias(named.TypeArgs().At(i)).(*types.Named); ok {
			found = append(found, one)
		}
	}
	return found
}

// findResources finds the table of every type that has a connection.
func (p *project) findResources() {
	tables := p.variables("Table")
	for _, query := range p.schema.Query.Fields {
		of, isConnection := strings.CutSuffix(query.Type.Name(), "Connection")
		if !isConnection {
			continue
		}
		many := upper(strings.TrimSuffix(query.Name, "Connection"))
		if table := endingOf(many, tables); table != nil {
			args := arguments(table.Type(), "Table")
			row, _ := args[0].Underlying().(*types.Struct)
			p.resources = append(p.resources, &resource{
				name: of, many: many, def: p.schema.Types[of], table: table, row: args[0], id: args[1], fields: row,
			})
		}
	}
	slices.SortFunc(p.resources, func(a, b *resource) int { return strings.Compare(a.name, b.name) })
}

// endingOf is the table that a name ends with: Clients of ApiClients.
func endingOf(name string, tables []types.Object) (longest types.Object) {
	for _, table := range tables {
		if strings.HasSuffix(name, table.Name()) && (longest == nil || len(table.Name()) > len(longest.Name())) {
			longest = table
		}
	}
	return longest
}

func (p *project) resource(name string) *resource {
	for _, r := range p.resources {
		if r.name == name {
			return r
		}
	}
	return nil
}

// field is the field of a row with that name, nil if there is none.
func (r *resource) field(name string) *types.Var {
	for i := range r.fields.NumFields() {
		if f := r.fields.Field(i); f.Name() == name {
			return f
		}
	}
	return nil
}

// isReference says whether a field is the id of another resource, or a pointer
// to it.
func isReference(f *types.Var, to *resource) (is, optional bool) {
	if f == nil {
		return false, false
	}
	t := types.Unalias(f.Type())
	pointer, optional := t.(*types.Pointer)
	if optional {
		t = types.Unalias(pointer.Elem())
	}
	return types.Identical(t, to.id), optional
}

// lookup returns a package-level name of the project.
func (p *project) lookup(pkg, name string) types.Object {
	if found := p.packages[module+pkg]; found != nil {
		return found.Scope().Lookup(name)
	}
	return nil
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// description is what the schema says of a type, as a comment.
func (r *resource) description() string {
	text := strings.ReplaceAll(strings.TrimSpace(r.def.Description), "\n", " ")
	return fmt.Sprintf("// %s is, in the API: %s", r.name, lower(text))
}
