package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// element is anything in the schema that has a name and a description.
type element struct {
	kind, path, name, description string
}

// elements lists everything that the schema's files define.
func elements(schema *ast.Schema) []element {
	var all []element
	for _, def := range ownTypes(schema) {
		all = append(all, element{"type", def.Name, def.Name, def.Description})
		for _, value := range def.EnumValues {
			all = append(all, element{"enum value", def.Name + "." + value.Name, value.Name, value.Description})
		}
		for _, field := range def.Fields {
			path := def.Name + "." + field.Name
			all = append(all, element{"field", path, field.Name, field.Description})
			all = append(all, arguments("argument", path, field.Arguments)...)
		}
	}
	for _, directive := range schema.Directives {
		if directive.Position.Src.BuiltIn {
			continue
		}
		all = append(all, element{"directive", "@" + directive.Name, directive.Name, directive.Description})
		all = append(all, arguments("directive argument", "@"+directive.Name, directive.Arguments)...)
	}
	return all
}

func arguments(kind, path string, list ast.ArgumentDefinitionList) []element {
	all := make([]element, 0, len(list))
	for _, argument := range list {
		all = append(all, element{kind, path + "(" + argument.Name + ")", argument.Name, argument.Description})
	}
	return all
}

// ownTypes lists the types that the schema's files define, by name and
// without the fields of introspection.
func ownTypes(schema *ast.Schema) []*ast.Definition {
	var own []*ast.Definition
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		def := schema.Types[name]
		if def.BuiltIn {
			continue
		}
		copied := *def
		copied.Fields = slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
			return strings.HasPrefix(f.Name, "__")
		})
		own = append(own, &copied)
	}
	return own
}
