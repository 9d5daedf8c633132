package mail

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/tenantry/tenantry/internal/billing"
)

// kind is the type of a value in a template.
type kind string

const (
	aText   kind = "a text"
	aNumber kind = "a number"
	aYesNo  kind = "yes or no"
	either  kind = "one of several kinds" // what and and or return of different ones
	unsure  kind = ""                     // of what is wrong anyway
)

// functions are those of package text/template that cannot fail if their arguments have
// types that fit. The parser wants values; text/template has its own of the same names.
var functions = map[string]any{"and": true, "or": true, "not": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true}

const functionList = "and, or, not, eq, ne, lt, le, gt and ge"

// maxProblems is how many problems of a text are told at once.
const maxProblems = 5

// compiler reads the subject or the body of a template.
type compiler struct {
	template string // its name, which says what facts there are
	field    string // "subject" or "body"
	source   string
	problems billing.Problems
	// links are the web addresses in the text, or the beginnings of them.
	links []string
}

// compiled is a text that cannot fail when it is executed.
type compiled struct {
	*template.Template
	links []string
}

// compile parses a text and proves that nothing in it can fail: every fact exists, in
// branches too that a sample does not reach, and every function has arguments of types
// that it takes.
func compile(name, field, source string) (compiled, billing.Problems) {
	c := &compiler{template: name, field: field, source: source}
	trees, err := parse.Parse(field, source, "", "", functions)
	if err != nil {
		c.explain(err)
		return compiled{}, c.problems
	}
	if len(trees) > 1 {
		c.wrong(0, "define and block are not available here.")
		return compiled{}, c.problems
	}
	tree := trees[field]
	if tree == nil || tree.Root == nil { // a text without anything to print
		tree = &parse.Tree{Name: field, Root: &parse.ListNode{NodeType: parse.NodeList}}
	}
	c.list(tree.Root)
	if len(c.problems) > 0 {
		return compiled{}, c.problems
	}
	t, err := template.New(field).AddParseTree(field, tree)
	if err != nil {
		c.wrong(0, "%v", err)
		return compiled{}, c.problems
	}
	return compiled{t, c.links}, nil
}

func (c *compiler) wrong(at parse.Pos, format string, args ...any) {
	if len(c.problems) >= maxProblems {
		return
	}
	line := 1 + strings.Count(c.source[:min(int(at), len(c.source))], "\n")
	c.problems.Add(billing.Invalidf(c.field, "%s%s", where(c.field, line), fmt.Sprintf(format, args...)))
}

// where names a line; a subject has only one.
func where(field string, line int) string {
	if field == "subject" {
		return "Subject: "
	}
	return "Line " + strconv.Itoa(line) + ": "
}

func (c *compiler) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			c.links = append(c.links, webAddress.FindAllString(string(node.Text), -1)...)
		case *parse.CommentNode:
		case *parse.ActionNode:
			c.pipe(node.Pipe)
		case *parse.IfNode:
			c.pipe(node.Pipe)
			c.list(node.List)
			c.list(node.ElseList)
		default:
			word, _, _ := strings.Cut(strings.TrimLeft(node.String(), "{"), " ")
			c.wrong(node.Position(), "%s is not available here. Use facts such as {{.CompanyName}} and {{if}} … {{else}} … {{end}}.", strings.Trim(word, "{}"))
		}
	}
}

func (c *compiler) pipe(pipe *parse.PipeNode) kind {
	switch {
	case len(pipe.Decl) > 0:
		c.wrong(pipe.Pos, "variables are not available here.")
	case len(pipe.Cmds) != 1:
		c.wrong(pipe.Pos, "| is not available here. Write a function before its values, as in {{if eq .DaysLeft 1}}.")
	default:
		return c.command(pipe.Cmds[0])
	}
	return unsure
}

func (c *compiler) command(command *parse.CommandNode) kind {
	first, rest := command.Args[0], command.Args[1:]
	if function, ok := first.(*parse.IdentifierNode); ok {
		return c.call(function, rest)
	}
	result := c.value(first)
	if len(rest) > 0 {
		c.wrong(first.Position(), "%s is not a function, but %s follows it.", first, rest[0])
		return unsure
	}
	return result
}

func (c *compiler) value(node parse.Node) kind {
	switch node := node.(type) {
	case *parse.FieldNode:
		return c.fact(node)
	case *parse.StringNode:
		return aText
	case *parse.BoolNode:
		return aYesNo
	case *parse.NumberNode:
		if !wholeNumber.MatchString(node.Text) {
			c.wrong(node.Pos, "%s is not a whole number of up to nine digits.", node)
		}
		return aNumber
	case *parse.PipeNode:
		return c.pipe(node)
	case *parse.IdentifierNode:
		c.wrong(node.Pos, "write %s in parentheses with its values, as in (%s .InvoiceNumber).", node, node)
	case *parse.VariableNode:
		c.wrong(node.Pos, "write facts as {{.InvoiceNumber}}, without a $.")
	default:
		c.wrong(node.Position(), "%s is not a fact. Write one such as {{.InvoiceNumber}}.", node)
	}
	return unsure
}

var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,8})$`)

var factsType = reflect.TypeFor[Facts]()

func (c *compiler) fact(node *parse.FieldNode) kind {
	name := node.Ident[0]
	field, exists := factsType.FieldByName(name)
	switch {
	case !exists:
		c.wrong(node.Pos, "there is no fact .%s.%s", name, c.suggest(name))
	case !has(c.template, name):
		c.wrong(node.Pos, "the message %q has no fact .%s.%s", c.template, name, c.suggest(""))
	case len(node.Ident) > 1:
		c.wrong(node.Pos, "the fact .%s has no parts: remove .%s.", name, strings.Join(node.Ident[1:], "."))
	default:
		switch field.Type.Kind() {
		case reflect.Int:
			return aNumber
		case reflect.Bool:
			return aYesNo
		}
		return aText
	}
	return unsure
}

func (c *compiler) call(function *parse.IdentifierNode, args []parse.Node) kind {
	name := function.Ident
	kinds := make([]kind, 0, len(args))
	for _, arg := range args {
		kinds = append(kinds, c.value(arg))
	}
	if slices.Contains(kinds, unsure) {
		return unsure
	}
	switch name {
	case "not":
		if len(kinds) == 1 {
			return aYesNo
		}
		c.wrong(function.Pos, "not takes one value, as in {{if not .Method}}.")
		return unsure
	case "and", "or":
		if len(kinds) < 2 {
			c.wrong(function.Pos, "%s takes two or more values, as in {{if %s .Method .BankDetails}}.", name, name)
			return unsure
		}
		if slices.ContainsFunc(kinds, func(k kind) bool { return k != kinds[0] }) {
			return either
		}
		return kinds[0]
	}
	switch {
	case len(kinds) != 2:
		c.wrong(function.Pos, "%s takes two values, as in {{if %s .DaysLeft 1}}.", name, name)
	case kinds[0] != kinds[1] || kinds[0] == either:
		c.wrong(function.Pos, "%s compares %s with %s: %s is %s and %s is %s.", name, kinds[0], kinds[1], args[0], kinds[0], args[1], kinds[1])
	case kinds[0] == aYesNo && name != "eq" && name != "ne":
		c.wrong(function.Pos, "%s compares numbers or texts, not yes and no.", name)
	default:
		return aYesNo
	}
	return unsure
}
