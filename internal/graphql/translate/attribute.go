package main

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/codegen/templates"
)

// attributes writes the function that copies the attributes a caller sent over
// the fields of the same name. An attribute of another name or type is left to
// the code beside it.
func (w *resolvers) attributes(r *resource) {
	input := w.lookup("graphql/gen", templates.ToGo(r.name)+"Attributes")
	description := r.row.Obj().Pkg().Scope().Lookup(r.row.Obj().Name() + "Fields")
	if input == nil || description == nil {
		return
	}
	attributes := input.Type().Underlying().(*types.Struct)
	name := r.row.Obj().Name()
	w.out.add("\nfunc set%s(p *patch, in %s, to *%s) {\np.nullable = %s.Nullable\n", name, w.out.of(input), w.out.text(r.row), w.out.of(description))
	for i := range attributes.NumFields() {
		attribute := jsonName(attributes.Tag(i))
		for k := range r.fields.NumFields() {
			if jsonName(r.fields.Tag(k)) == attribute {
				w.out.add("%s", w.statement(attribute, attributes.Field(i), r.fields.Field(k)))
			}
		}
	}
	w.out.add("}\n")
}

func jsonName(tag string) string {
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name
}

// statement copies one attribute, if it is of the type of its field.
func (w *resolvers) statement(name string, attribute, field *types.Var) string {
	omittable, ok := attribute.Type().(*types.Named)
	if !ok || omittable.TypeArgs().Len() != 1 {
		return ""
	}
	pointer, ok := omittable.TypeArgs().At(0).(*types.Pointer)
	if !ok {
		return ""
	}
	sent, kept := types.Unalias(pointer.Elem()), types.Unalias(field.Type())
	optional, kept := isPointer(kept)
	from, to := "in."+attribute.Name(), "to."+field.Name()
	suffix := ""
	switch parse := parseFunction(kept); {
	case types.Identical(sent, kept):
	case sent == types.Typ[types.Int64] && kept.Underlying() == types.Typ[types.Int64]:
		suffix = "ID"
	case sent == types.Typ[types.String] && parse != nil && optional:
		return fmt.Sprintf("if text, set := %s.ValueOK(); set {\n%s = read(p, %q, text, %s)\n}\n", from, to, name, w.out.of(parse))
	case sent == types.Typ[types.String] && parse != nil:
		return fmt.Sprintf("if text, set := %s.ValueOK(); set {\nneed(p, %q, %s.OmittableOf(read(p, %q, text, %s)), &%s)\n}\n",
			from, name, w.out.use(gqlgenPath), name, w.out.of(parse), to)
	default:
		return ""
	}
	if optional {
		return fmt.Sprintf("may%s(%s, &%s)\n", suffix, from, to)
	}
	return fmt.Sprintf("need%s(p, %q, %s, &%s)\n", suffix, name, from, to)
}

func isPointer(t types.Type) (bool, types.Type) {
	if pointer, ok := t.(*types.Pointer); ok {
		return true, types.Unalias(pointer.Elem())
	}
	return false, t
}

// parseFunction is the function that reads a type from text: ParseDate of a Date.
func parseFunction(t types.Type) types.Object {
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Scope().Lookup("Parse" + named.Obj().Name())
	}
	return nil
}
