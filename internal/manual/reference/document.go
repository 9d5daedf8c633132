package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// titles are the files of the schema whose place in the index is chosen, by the
// names they have there. The values come last.
var titles = []chapter{
	{"customers", "Accounts and contacts"}, {"platforms", "Platforms"}, {"products", "Products and features"},
	{"plans", "Plans"}, {"prices", "Price lists and charges"}, {"subscriptions", "Subscriptions"}, {"entities", "Entities"}, {"taxrates", "Tax rates"}, {"dunning", "Dunning policies"}, {"collecting", "Payment methods and collections"}, {"emails", "E-mail"},
	{"invoices", "Invoices"}, {"creditnotes", "Credit notes"}, {"payments", "Payments"}, {"statements", "Statements of account and billing events"}, {"previews", "Previews and verification"},
	{"tenants", "Tenants"}, {"sync", "Keeping tenants in sync"}, {"drift", "Drift"}, {"workflows", "Workflows"}, {"eventendpoints", "Event endpoints"}, {"webhooks", "The webhook log"},
	{"clocks", "Test clocks"}, {"jobs", "Jobs"}, {"access", "API clients and the audit log"}, {values, "Values and pages"},
}

// chapter is a file of the schema with its title.
type chapter struct{ file, title string }

// chapters are all files in the order of the index: those that have no title are
// named after themselves, Tax rates of tax-rates, and come before the values.
func chapters(s *ast.Schema) []chapter {
	all := slices.Clone(titles)
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		position := s.Types[name].Position
		if position == nil || s.Types[name].BuiltIn {
			continue
		}
		file := strings.TrimSuffix(position.Src.Name, ".graphql")
		if !slices.ContainsFunc(all, func(c chapter) bool { return c.file == file }) {
			title := strings.ReplaceAll(file, "-", " ")
			all = slices.Insert(all, len(all)-1, chapter{file, strings.ToUpper(title[:1]) + title[1:]})
		}
	}
	return all
}

const introduction = `# API reference

Every operation and type of the API, generated from the schema, with one page per resource. Do not edit these pages; run
` + "`make generate`" + ` instead.

[api.md](api.md) describes how to send requests, and [filter.md](filter.md) the filter language. A ` + "`!`" + ` means never null.
Queries need the scope ` + "`standard:read`" + ` and mutations ` + "`standard:write`" + `, unless the operation or the attributes
it is given name another ([api.md](api.md#tokens)).
`

// kinds are what definitions are called in headings, which makes the addresses
// of the query account and the type Account two.
var kinds = map[ast.DefinitionKind]string{
	ast.Object: "type", ast.Interface: "interface", ast.Union: "union", ast.Enum: "enum", ast.InputObject: "input", ast.Scalar: "scalar",
}

// documents are the files of the reference, by their paths in docs: the index,
// and a page for each thing.
func documents(s *ast.Schema) map[string]string {
	book := newBook(s)
	files := map[string]string{"reference.md": book.index()}
	for _, page := range book.pages {
		files["reference/"+page.name+".md"] = page.text(book)
	}
	return files
}

// writer writes one file. Links between files begin with its prefix.
type writer struct {
	book   *book
	prefix string
	text   strings.Builder
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *writer) operation(kind string, field *ast.FieldDefinition) {
	w.line("\n## %s `%s`", kind, field.Name)
	w.line("\n%s%s\n", prose(field.Description), deprecated(field.Directives))
	needs := ""
	if directive := field.Directives.ForName("scope"); directive != nil {
		needs = fmt.Sprintf("; requires the scope `%s`", directive.Arguments.ForName("name").Value.Raw)
	}
	w.line("Returns %s%s.", w.typeName(field.Type), needs)
	if len(field.Arguments) == 0 {
		return
	}
	w.line("\n| argument | type | |\n|---|---|---|")
	for _, arg := range field.Arguments {
		w.line("| `%s` | %s | %s%s |", arg.Name, w.typeName(arg.Type), cell(arg.Description), standard(arg.DefaultValue)+scope(arg.Directives))
	}
}

func (w *writer) definition(def *ast.Definition) {
	w.line("\n## %s `%s`", kinds[def.Kind], def.Name)
	w.line("\n%s", prose(def.Description))
	w.table(def)
}

// table is what a type is made of.
func (w *writer) table(def *ast.Definition) {
	switch def.Kind {
	case ast.Enum:
		w.line("\n| value | |\n|---|---|")
		for _, value := range def.EnumValues {
			w.line("| `%s` | %s%s |", value.Name, cell(value.Description), deprecated(value.Directives))
		}
	case ast.Object, ast.Interface, ast.InputObject:
		w.line("\n| field | type | |\n|---|---|---|")
		for _, field := range def.Fields {
			w.line("| %s | %s | %s%s%s%s |", w.fieldName(field), w.typeName(field.Type), cell(field.Description), standard(field.DefaultValue), scope(field.Directives), deprecated(field.Directives))
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

func scope(directives ast.DirectiveList) string {
	directive := directives.ForName("scope")
	if directive == nil {
		return ""
	}
	return fmt.Sprintf(" Needs the scope `%s`.", directive.Arguments.ForName("name").Value.Raw)
}

// typeName is a type, as a link to where it is described.
func (w *writer) typeName(t *ast.Type) string {
	def := w.book.schema.Types[t.Name()]
	if def.BuiltIn {
		return "`" + t.String() + "`"
	}
	return fmt.Sprintf("[`%s`](%s)", t.String(), w.link(w.book.homes[def.Name], kinds[def.Kind], def.Name))
}

// link leads to where something is described. Files are read as they are, too,
// so it names the file.
func (w *writer) link(page *page, kind, name string) string {
	return w.prefix + page.name + ".md#" + kind + "-" + strings.ToLower(name)
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
