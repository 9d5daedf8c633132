package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// book says which page describes what: there is one for each thing that the API
// has, with the operations on it and what they take and answer, and one for
// values that belong to no thing.
type book struct {
	schema *ast.Schema
	pages  []*page // in the order of the index
	homes  map[string]*page
}

// page is a thing with all that is about it.
type page struct {
	name, title, chapter string
	thing                *ast.Definition // nil on the page of values
	queries, mutations   ast.FieldList
	others               []*ast.Definition // inputs, outcomes, enums, pages of lists
}

// values is the file of the schema without things.
const values = "base"

func newBook(s *ast.Schema) *book {
	b := &book{schema: s, homes: map[string]*page{}}
	byFile := map[string][]*page{}
	for _, chapter := range chapters(s) {
		for _, def := range b.definitions(chapter.file) {
			if def.Kind == ast.Object && !isPart(def.Name) && chapter.file != values {
				byFile[chapter.file] = append(byFile[chapter.file], b.add(&page{name: kebab(def.Name), title: def.Name, chapter: chapter.title, thing: def}))
			}
		}
		if byFile[chapter.file] == nil {
			byFile[chapter.file] = []*page{b.add(&page{name: "values", title: chapter.title, chapter: chapter.title})}
		}
	}
	for _, chapter := range chapters(s) {
		for _, def := range b.definitions(chapter.file) {
			home := cmp.Or(b.homes[def.Name], b.longest(def.Name), byFile[chapter.file][0])
			if chapter.file == values {
				home = byFile[values][0]
			}
			b.homes[def.Name] = home
			if home.thing != def {
				home.others = append(home.others, def)
			}
		}
	}
	for _, field := range operations(s.Query) {
		home := b.homeOf(field)
		home.queries = append(home.queries, field)
	}
	for _, field := range operations(s.Mutation) {
		home := b.homeOf(field)
		home.mutations = append(home.mutations, field)
	}
	return b
}

func (b *book) add(p *page) *page {
	b.pages = append(b.pages, p)
	if p.thing != nil {
		b.homes[p.thing.Name] = p
	}
	return p
}

// isPart tells types that only carry others from things.
func isPart(name string) bool {
	return strings.HasSuffix(name, "Payload") || strings.HasSuffix(name, "Connection") || strings.HasSuffix(name, "Edge")
}

// longest finds the thing that a name begins with, nil if there is none:
// priceListChargeCreate is about PriceListCharge, not about PriceList.
func (b *book) longest(name string) (found *page) {
	for _, p := range b.pages {
		if p.thing != nil && strings.HasPrefix(strings.ToLower(name), strings.ToLower(p.title)) && (found == nil || len(p.title) > len(found.title)) {
			found = p
		}
	}
	return found
}

// homeOf is the page of an operation: of what it is named after, or else of what
// it answers.
func (b *book) homeOf(field *ast.FieldDefinition) *page {
	return cmp.Or(b.longest(field.Name), b.homes[field.Type.Name()])
}

// operations are the fields of a root, without those of the language.
func operations(root *ast.Definition) (fields ast.FieldList) {
	for _, field := range root.Fields {
		if !strings.HasPrefix(field.Name, "__") {
			fields = append(fields, field)
		}
	}
	return fields
}

// definitions are the types that a file declares, in its order.
func (b *book) definitions(file string) (defs []*ast.Definition) {
	for _, def := range b.schema.Types {
		if def != b.schema.Query && def != b.schema.Mutation && !def.BuiltIn && def.Position.Src.Name == file+".graphql" {
			defs = append(defs, def)
		}
	}
	slices.SortFunc(defs, func(a, b *ast.Definition) int { return cmp.Compare(a.Position.Start, b.Position.Start) })
	return defs
}

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

func kebab(name string) string { return strings.ToLower(capital.ReplaceAllString(name, "$1-$2")) }

// text is the file of a page.
func (p *page) text(b *book) string {
	w := &writer{book: b}
	w.line("# %s", p.title)
	if p.thing != nil {
		w.line("\n%s", prose(p.thing.Description))
	} else {
		w.line("\nTypes that do not belong to a single resource.")
	}
	w.contents("Queries", "query", names(p.queries), p)
	w.contents("Mutations", "mutation", names(p.mutations), p)
	w.line("\nAll pages: [API reference](../reference.md).")
	if p.thing != nil {
		w.line("\n## %s `%s`", kinds[p.thing.Kind], p.title)
		w.table(p.thing)
	}
	for _, field := range p.queries {
		w.operation("query", field)
	}
	for _, field := range p.mutations {
		w.operation("mutation", field)
	}
	for _, def := range p.others {
		w.definition(def)
	}
	return w.text.String()
}

func names(fields ast.FieldList) (all []string) {
	for _, field := range fields {
		all = append(all, field.Name)
	}
	return all
}

// contents lists what is on a page.
func (w *writer) contents(title, kind string, names []string, p *page) {
	if len(names) == 0 {
		return
	}
	links := make([]string, len(names))
	for i, name := range names {
		links[i] = fmt.Sprintf("[`%s`](#%s-%s)", name, kind, strings.ToLower(name))
	}
	w.line("\n%s: %s", title, strings.Join(links, ", "))
}

// index is the page that leads to the others.
func (b *book) index() string {
	w := &writer{book: b, prefix: "reference/"}
	w.text.WriteString(introduction)
	w.line("\n## Resources")
	chapter := ""
	for _, p := range b.pages {
		if p.chapter != chapter {
			chapter = p.chapter
			w.line("\n### %s\n", chapter)
		}
		about := "Scalars, errors and pages of lists."
		if p.thing != nil {
			about = cell(p.thing.Description)
		}
		w.line("- [%s](reference/%s.md): %s", p.title, p.name, about)
	}
	w.list("Queries", "query", operations(b.schema.Query))
	w.list("Mutations", "mutation", operations(b.schema.Mutation))
	w.line("\n## Types\n")
	var all []string
	for name, p := range b.homes {
		all = append(all, fmt.Sprintf("[`%s`](%s)", name, w.link(p, kinds[b.schema.Types[name].Kind], name)))
	}
	slices.Sort(all)
	w.line("%s", strings.Join(all, ", "))
	return w.text.String()
}

// list is a table of operations in the order of their names.
func (w *writer) list(title, kind string, fields ast.FieldList) {
	w.line("\n## %s\n\n| %s | |\n|---|---|", title, kind)
	slices.SortFunc(fields, func(a, b *ast.FieldDefinition) int { return cmp.Compare(a.Name, b.Name) })
	for _, field := range fields {
		w.line("| [`%s`](%s) | %s |", field.Name, w.link(w.book.homeOf(field), kind, field.Name), cell(field.Description))
	}
}
