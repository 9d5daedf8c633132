package main

import (
	"fmt"
	"strings"
)

// goOperations writes the calls of the Go library.
func goOperations(m *model) string {
	w := &writer{}
	w.line(generatedMark + "package client\n\nimport (\n\"context\"\n\"encoding/json\"\n\"iter\"\n\"time\"\n)\n")
	w.line("// What calls select, by type.\nconst (")
	for _, o := range m.sortedObjects() {
		if o.name != "PageInfo" && !strings.HasSuffix(o.name, "Ref") && m.answers(o) {
			w.line("%sFields = %s", goArgument(o.name), quoted(o.selection()))
		}
	}
	w.line(")\n")
	for _, o := range m.operations {
		m.goOperation(w, o)
	}
	return w.String()
}

// answers says whether some call answers with the object.
func (m *model) answers(o *object) bool {
	for _, op := range m.operations {
		if op.result == o {
			return true
		}
	}
	return false
}

func (m *model) goOperation(w *writer, o *operation) {
	name := goName(o.name)
	call := goCall{model: m, operation: o}
	call.arguments()
	if call.options != "" {
		w.line("// %sOptions are the arguments of %s that may be left out.", name, name)
		w.line("type %sOptions struct {", name)
		w.WriteString(call.options)
		w.line("}\n")
	}
	before, after := o.document()
	document := quoted(before + after)
	if o.result != nil {
		document = quoted(before) + " + " + goArgument(o.result.name) + "Fields + " + quoted(after)
	}
	w.line("const %sDocument = %s\n", goArgument(o.name), document)
	m.goComment(w, o)
	w.line("func (c *Client) %s(ctx context.Context%s) (%s, error) {", name, call.parameters, call.result())
	w.WriteString(call.body())
	w.line("}\n")
	if o.form == formConnection {
		list := strings.TrimSuffix(name, "Connection")
		w.line("// All%s goes through all of %s page by page; an error ends it.", list, strings.TrimSuffix(o.name, "Connection"))
		w.line("func (c *Client) All%s(ctx context.Context, filter string) iter.Seq2[%s, error] {", list, goName(o.result.name))
		w.line("return all(func(page Page) (*Connection[%s], error) { return c.%s(ctx, filter, page) })\n}\n", goName(o.result.name), name)
	}
}

func (m *model) goComment(w *writer, o *operation) {
	doc := o.doc
	if doc == "" {
		doc = "Calls the operation of that name."
	}
	doc = strings.TrimSuffix(doc, ".") + "."
	switch o.form {
	case formFind:
		doc = strings.Replace(doc, "; null when there is none.", "; ErrNotFound when there is none.", 1)
	case formList:
		doc += " An empty filter means all; a limit of 0 means 50, and 1000 is the most."
	}
	w.comment(o.name, doc)
	if scope := o.field.Directives.ForName("scope"); scope != nil {
		w.line("// It needs the scope %s.", scope.Arguments.ForName("name").Value.Raw)
	}
}

// goCall is the code of one call.
type goCall struct {
	*model
	*operation
	parameters string
	options    string // fields of the options
	setup      string // statements that fill the variables
	variables  string
}

func (g *goCall) arguments() {
	switch {
	case g.form == formList:
		g.parameters = ", filter string, limit int"
		g.variables = `variables{}.text("filter", filter).number("limit", limit)`
		return
	case g.form == formConnection:
		g.parameters = ", filter string, page Page"
		g.variables = `variables{}.text("filter", filter).page(page)`
		return
	case g.key != "":
		g.parameters = ", key " + g.key
		g.variables = "variables{}"
		for _, a := range g.field.Arguments {
			g.variables += fmt.Sprintf(".text(%q, key.%s)", a.Name, goName(a.Name))
		}
		return
	}
	var required []string
	w := &writer{}
	for _, a := range g.field.Arguments {
		if a.Type.NonNull {
			g.parameters += ", " + goArgument(a.Name) + " " + g.goInput(a.Type)
			required = append(required, fmt.Sprintf("%q: %s", a.Name, goArgument(a.Name)))
			continue
		}
		w.comment("", withScope(a.Description, a.Directives))
		w.line("%s %s", goName(a.Name), g.goInput(a.Type))
		g.setup += fmt.Sprintf("put(v, %q, options.%s)\n", a.Name, goName(a.Name))
	}
	g.options = w.String()
	g.variables = "variables{" + strings.Join(required, ", ") + "}"
	if g.options != "" {
		g.parameters += ", options *" + goName(g.name) + "Options"
		g.setup = "v := " + g.variables + "\nif options != nil {\n" + g.setup + "}\n"
		g.variables = "v"
	}
}

func (g *goCall) result() string {
	switch g.form {
	case formConnection:
		return "*Connection[" + goName(g.operation.result.name) + "]"
	case formFind, formPayload:
		return "*" + goName(g.operation.result.name)
	case formOne:
		if g.part.Type.Elem != nil {
			return "[]" + goName(g.operation.result.name)
		}
		return "*" + goName(g.operation.result.name)
	case formValue:
		if g.operation.result != nil && g.field.Type.Elem == nil {
			return "*" + goName(g.operation.result.name)
		}
	case formList:
	}
	return g.goOutput(g.field.Type, g.operation.result)
}

func (g *goCall) body() string {
	document := goArgument(g.name) + "Document"
	switch g.form {
	case formFind:
		return g.setup + fmt.Sprintf("return find[%s](ctx, c, %s, %s)\n", goName(g.operation.result.name), document, g.variables)
	case formPayload:
		return g.setup + fmt.Sprintf("return change[%s](ctx, c, %s, %s)\n", goName(g.operation.result.name), document, g.variables)
	case formOne:
		return g.setup + fmt.Sprintf("return changeOne[%s](ctx, c, %s, %q, %s)\n", g.result(), document, g.part.Name, g.variables)
	default:
		return g.setup + fmt.Sprintf("return query[%s](ctx, c, %s, %s)\n", g.result(), document, g.variables)
	}
}
