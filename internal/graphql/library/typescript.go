package main

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// tsFile writes the types and calls of the TypeScript library.
func tsFile(m *model) string {
	w := &writer{}
	w.line(generatedMark + "import { Caller, type CallOptions, type Connection, type Page } from \"./caller.js\";\n")
	for _, d := range m.sorted(ast.Enum) {
		w.tsComment("", d.Description)
		var values []string
		for _, v := range d.EnumValues {
			values = append(values, fmt.Sprintf("%q", v.Name))
		}
		w.line("export type %s = %s;\n", d.Name, strings.Join(values, " | "))
	}
	for _, o := range m.sortedObjects() {
		w.tsComment("", o.doc)
		w.line("export interface %s {", o.name)
		for _, f := range o.fields {
			w.tsComment("  ", f.doc)
			w.line("  %s: %s;", f.name, tsOutput(f.typ, f.of))
		}
		w.line("}\n")
	}
	for _, d := range m.sorted(ast.InputObject) {
		w.tsComment("", d.Description)
		w.line("export interface %s {", d.Name)
		for _, f := range d.Fields {
			w.tsComment("  ", withScope(f.Description, f.Directives))
			w.line("  %s;", tsInput(f.Name, f.Type))
		}
		w.line("}\n")
	}
	w.line("/** A call for every query and mutation of the schema. */\nexport abstract class Operations extends Caller {")
	for _, o := range m.operations {
		w.tsOperation(o)
	}
	w.line("}\n")
	w.line("// What calls select, by type.\nconst fields = {")
	for _, o := range m.sortedObjects() {
		if o.name != "PageInfo" && m.answers(o) {
			w.line("  %s: %q,", o.name, o.selection())
		}
	}
	w.line("};\n\nconst documents = {")
	for _, o := range m.operations {
		before, after := o.document()
		text := before + after
		if o.result != nil {
			text = before + "${fields." + o.result.name + "}" + after
		}
		w.line("  %s: `%s`,", o.name, text)
	}
	w.line("};")
	return w.String()
}

func (w *writer) tsOperation(o *operation) {
	w.line("")
	doc := o.doc
	if scope := o.field.Directives.ForName("scope"); scope != nil {
		doc += " It needs the scope " + scope.Arguments.ForName("name").Value.Raw + "."
	}
	w.tsComment("  ", doc)
	arguments, optional := tsArguments(o)
	parameter := ""
	if arguments != "" {
		parameter = "args: " + arguments
		if optional {
			parameter += " = {}"
		}
		parameter += ", "
	}
	result := tsResult(o)
	w.line("  %s(%soptions?: CallOptions): Promise<%s> {", o.name, parameter, result)
	given := "args"
	if arguments == "" {
		given = "{}"
	}
	switch {
	case o.form == formConnection:
		given = "{ ...args, total: args.total ?? false }"
		fallthrough
	case !o.mutation:
		w.line("    return this.query(documents.%s, %q, %s, options);", o.name, o.name, given)
	case o.form == formOne:
		w.line("    return this.change(documents.%s, %q, %q, %s, options);", o.name, o.name, o.part.Name, given)
	default:
		w.line("    return this.change(documents.%s, %q, undefined, %s, options);", o.name, o.name, given)
	}
	w.line("  }")
	if o.form == formConnection {
		list := strings.TrimSuffix(o.name, "Connection")
		w.line("\n  /** Goes through all of %s, page by page. */", list)
		w.line("  all%s(args: { filter?: string | null } = {}, options?: CallOptions): AsyncGenerator<%s, void> {",
			strings.ToUpper(list[:1])+list[1:], o.result.name)
		w.line("    return this.all((page) => this.%s({ ...args, ...page }, options));\n  }", o.name)
	}
}

// tsArguments is the type of a call's arguments, and whether all of them may be
// left out.
func tsArguments(o *operation) (string, bool) {
	if len(o.field.Arguments) == 0 {
		return "", true
	}
	if o.form == formConnection {
		return "Page & { filter?: string | null }", true
	}
	var all []string
	optional := true
	for _, a := range o.field.Arguments {
		all = append(all, tsInput(a.Name, a.Type))
		optional = optional && !a.Type.NonNull
	}
	return "{ " + strings.Join(all, "; ") + " }", optional && o.key == ""
}

func tsResult(o *operation) string {
	switch o.form {
	case formConnection:
		return "Connection<" + o.result.name + ">"
	case formPayload:
		return o.result.name
	case formOne:
		if o.part.Type.Elem != nil {
			return o.result.name + "[]"
		}
		return o.result.name
	default:
		return tsOutput(o.field.Type, o.result)
	}
}

func tsBase(name string) string {
	switch name {
	case "ID", "String", "ISO8601Date", "ISO8601DateTime", "BigDecimal":
		return "string"
	case "Int", "Float":
		return "number"
	case "Boolean":
		return "boolean"
	case "JSON":
		return "unknown"
	}
	return name
}

func tsOutput(t *ast.Type, of *object) string {
	base := tsBase(t.Name())
	if of != nil {
		base = of.name
	}
	if t.Elem != nil {
		base += "[]"
	}
	if !t.NonNull && base != "unknown" {
		base += " | null"
	}
	return base
}

// tsInput is a property that is given. Ids are accepted as the server accepts
// them, as text or number.
func tsInput(name string, t *ast.Type) string {
	base := tsBase(t.Name())
	if t.Name() == "ID" {
		base = "string | number"
		if t.Elem != nil {
			base = "(string | number)"
		}
	}
	if t.Elem != nil {
		base += "[]"
	}
	if t.NonNull {
		return name + ": " + base
	}
	if base != "unknown" {
		base += " | null"
	}
	return name + "?: " + base
}

func (w *writer) tsComment(indent, doc string) {
	if doc = strings.Join(strings.Fields(doc), " "); doc != "" {
		fmt.Fprintf(w, "%s/** %s */\n", indent, strings.ReplaceAll(doc, "*/", "* /"))
	}
}
