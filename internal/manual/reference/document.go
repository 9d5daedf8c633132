package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// chapters are the files of the schema in the order of the page, by the names
// they have there.
var chapters = []struct{ file, title string }{
	{"customers", "Accounts and contacts"}, {"platforms", "Platforms"}, {"products", "Products and features"},
	{"plans", "Plans"}, {"prices", "Price lists and charges"}, {"subscriptions", "Subscriptions"},
	{"tenants", "Tenants"}, {"sync", "Keeping tenants in sync"}, {"workflows", "Workflows"}, {"webhooks", "The webhook log"},
	{"clocks", "Test clocks"}, {"jobs", "Jobs"}, {"access", "API clients and the audit log"}, {"base", "Values and pages"},
}

const introduction = `# API reference

Every operation and type of the API, as the schema describes them. Do not edit this page: ` + "`make generate`" + ` writes it.

How to ask is in [api.md](api.md), the language of ` + "`filter`" + ` in [filter.md](filter.md). A ` + "`!`" + ` means never null.
Queries need the scope ` + "`standard:read`" + ` and mutations ` + "`standard:write`" + `, unless another is named.
`

// document is the whole reference.
func document(s *ast.Schema) string {
	w := &writer{schema: s}
	w.text.WriteString(introduction)
	for _, chapter := range chapters {
		w.chapter(chapter.file+".graphql", chapter.title)
	}
	return w.text.String()
}

// kinds are what definitions are called in headings, which makes the addresses
// of the query account and the type Account two.
var kinds = map[ast.DefinitionKind]string{
	ast.Object: "type", ast.Interface: "interface", ast.Union: "union", ast.Enum: "enum", ast.InputObject: "input", ast.Scalar: "scalar",
}

type writer struct {
	schema *ast.Schema
	text   strings.Builder
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *writer) chapter(file, title string) {
	w.line("\n## %s", title)
	for _, field := range w.operations(w.schema.Query, file) {
		w.operation("query", field)
	}
	for _, field := range w.operations(w.schema.Mutation, file) {
		w.operation("mutation", field)
	}
	for _, def := range w.definitions(file) {
		w.definition(def)
	}
}

// operations are the fields of a root that a file declares.
func (w *writer) operations(root *ast.Definition, file string) (fields ast.FieldList) {
	for _, field := range root.Fields {
		if !strings.HasPrefix(field.Name, "__") && field.Position.Src.Name == file {
			fields = append(fields, field)
		}
	}
	return fields
}

// definitions are the types that a file declares, in its order.
func (w *writer) definitions(file string) (defs []*ast.Definition) {
	for _, def := range w.schema.Types {
		if def != w.schema.Query && def != w.schema.Mutation && !def.BuiltIn && def.Position.Src.Name == file {
			defs = append(defs, def)
		}
	}
	slices.SortFunc(defs, func(a, b *ast.Definition) int { return cmp.Compare(a.Position.Start, b.Position.Start) })
	return defs
}

func (w *writer) operation(kind string, field *ast.FieldDefinition) {
	w.line("\n### %s `%s`", kind, field.Name)
	w.line("\n%s%s\n", prose(field.Description), deprecated(field.Directives))
	scope := ""
	if directive := field.Directives.ForName("scope"); directive != nil {
		scope = fmt.Sprintf("; needs the scope `%s`", directive.Arguments.ForName("name").Value.Raw)
	}
	w.line("Answers %s%s.", w.typeName(field.Type), scope)
	if len(field.Arguments) == 0 {
		return
	}
	w.line("\n| argument | type | |\n|---|---|---|")
	for _, arg := range field.Arguments {
		w.line("| `%s` | %s | %s%s |", arg.Name, w.typeName(arg.Type), cell(arg.Description), standard(arg.DefaultValue))
	}
}

func (w *writer) definition(def *ast.Definition) {
	w.line("\n### %s `%s`", kinds[def.Kind], def.Name)
	w.line("\n%s", prose(def.Description))
	switch def.Kind {
	case ast.Enum:
		w.line("\n| value | |\n|---|---|")
		for _, value := range def.EnumValues {
			w.line("| `%s` | %s%s |", value.Name, cell(value.Description), deprecated(value.Directives))
		}
	case ast.Object, ast.Interface, ast.InputObject:
		w.line("\n| field | type | |\n|---|---|---|")
		for _, field := range def.Fields {
			w.line("| %s | %s | %s%s%s%s |", w.fieldName(field), w.typeName(field.Type), cell(field.Description), standard(field.DefaultValue), w.scope(field), deprecated(field.Directives))
		}
	case ast.Union:
		w.line("\nOne of `%s`.", strings.Join(def.Types, "`, `"))
	}
}

// fieldName shows a field with the arguments it takes.
func (w *writer) fieldName(field *ast.FieldDefinition) string {
	if len(field.Arguments) == 0 {
		return "`" + field.Name + "`"
	}
	args := make([]string, len(field.Arguments))
	for i, arg := range field.Arguments {
		args[i] = arg.Name + ": " + arg.Type.String()
	}
	return "`" + field.Name + "(" + strings.Join(args, ", ") + ")`"
}

func (w *writer) scope(field *ast.FieldDefinition) string {
	directive := field.Directives.ForName("scope")
	if directive == nil {
		return ""
	}
	return fmt.Sprintf(" Needs the scope `%s`.", directive.Arguments.ForName("name").Value.Raw)
}

// typeName is a type, as a link to where it is described.
func (w *writer) typeName(t *ast.Type) string {
	def := w.schema.Types[t.Name()]
	if def.BuiltIn {
		return "`" + t.String() + "`"
	}
	return fmt.Sprintf("[`%s`](#%s-%s)", t.String(), kinds[def.Kind], strings.ToLower(t.Name()))
}

func prose(description string) string { return strings.TrimSpace(description) }

// cell is a description in a table.
func cell(description string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(description), " "), "|", "\\|")
}

func standard(value *ast.Value) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf(" Unless given: `%s`.", value.String())
}

func deprecated(directives ast.DirectiveList) string {
	directive := directives.ForName("deprecated")
	if directive == nil {
		return ""
	}
	reason := directive.Arguments.ForName("reason")
	if reason == nil {
		return " Deprecated."
	}
	return " Deprecated: " + reason.Value.Raw
}
