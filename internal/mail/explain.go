package mail

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

var (
	parseError  = regexp.MustCompile(`(?s)^template: (?:subject|body):(\d+): (.*)$`)
	noFunction  = regexp.MustCompile(`^function "(.*)" not defined$`)
	branchWords = regexp.MustCompile(`\{\{-?\s*(if|with|range|end)\b`)
)

// explain says what the parser found, in words for people who do not know it.
func (c *compiler) explain(err error) {
	line, message := 1, err.Error()
	if match := parseError.FindStringSubmatch(message); match != nil {
		line, _ = strconv.Atoi(match[1])
		message = match[2]
	}
	begun, began := "if", 0
	function := noFunction.FindStringSubmatch(message)
	switch {
	case strings.HasPrefix(message, "unclosed action"), strings.HasPrefix(message, "unterminated"), strings.HasPrefix(message, "unclosed comment"),
		strings.HasPrefix(message, `unexpected "{"`), strings.HasPrefix(message, "unrecognized character in action: U+007B"):
		message = "an action that begins with {{ is not closed with }}."
	case message == "unexpected EOF":
		begun, began = c.unclosed()
		if began > 0 {
			line = began
		}
		message = fmt.Sprintf("the {{%s}} has no {{end}}.", begun)
	case strings.HasPrefix(message, "unexpected {{end}}"), strings.HasPrefix(message, "unexpected {{else"):
		message = "an {{end}} or {{else}} has no {{if}} before it."
	case strings.HasPrefix(message, "missing value for"):
		message = "an action is empty. Write a fact such as {{.CompanyName}}, or {{if .Method}}."
	case function != nil:
		message = c.noFunction(function[1])
	case strings.HasPrefix(message, "undefined variable"):
		message = "variables are not available here. Write facts as {{.InvoiceNumber}}, without a $."
	case strings.HasPrefix(message, "{{break}}"), strings.HasPrefix(message, "{{continue}}"):
		message = "loops are not available here."
	default:
		message = clipRunes(oneLine(message), 200) + "."
	}
	c.problems.Add(billing.Invalidf(c.field, "%s%s", where(c.field, line), message))
}

// noFunction says what somebody may have meant by a word.
func (c *compiler) noFunction(word string) string {
	if near := c.nearest(word); near != "" {
		return fmt.Sprintf("%s is not a function. If you mean the fact, write {{.%s}}, with a dot.", word, near)
	}
	return fmt.Sprintf("there is no function %s. There are %s.", word, functionList)
}

// unclosed finds the branch that has no end: the parser knows only that the text is
// over.
func (c *compiler) unclosed() (word string, line int) {
	type open struct {
		word string
		line int
	}
	stack := []open{}
	for _, at := range branchWords.FindAllStringSubmatchIndex(c.source, -1) {
		word := c.source[at[2]:at[3]]
		if word != "end" {
			stack = append(stack, open{word, 1 + strings.Count(c.source[:at[0]], "\n")})
		} else if len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return "if", 0
	}
	last := stack[len(stack)-1]
	return last.word, last.line
}

// suggest names the fact that is meant, or all that there are.
func (c *compiler) suggest(name string) string {
	if near := c.nearest(name); near != "" {
		return " Did you mean ." + near + "?"
	}
	var all []string
	for i := range factsType.NumField() {
		if field := factsType.Field(i).Name; has(c.template, field) {
			all = append(all, "."+field)
		}
	}
	return " There are " + strings.Join(all, ", ") + "."
}

// nearest is the fact of the template whose name is most like another; none if that is
// nothing like it.
func (c *compiler) nearest(name string) string {
	best, least := "", 0
	for _, field := range reflect.VisibleFields(factsType) {
		if !has(c.template, field.Name) {
			continue
		}
		if d := distance(strings.ToLower(clip(name, 40)), strings.ToLower(field.Name)); best == "" || d < least {
			best, least = field.Name, d
		}
	}
	if least > max(2, len(name)/3) {
		return ""
	}
	return best
}

// distance is how many letters have to be changed, added or removed to make one word of
// another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := corner
			if a[i] != b[j] {
				changed++
			}
			corner = row[j+1]
			row[j+1] = min(changed, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
