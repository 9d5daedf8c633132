package transfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Problem is what is wrong with a line.
type Problem struct {
	Line    int
	Message string
}

// InvalidError means that a file cannot be imported; nothing was written.
type InvalidError struct {
	// Problems are the first ones, in the order of lines, and Total is how many
	// there are.
	Problems []Problem
	Total    int
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("the file has %d errors, the first on line %d: %s", e.Total, e.Problems[0].Line, e.Problems[0].Message)
}

// StoppedError means that an import stopped at a line. What was written before
// stays, and the file can be imported again.
type StoppedError struct {
	Line int
	Err  error
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, words(e.Err))
}

// Unwrap returns why.
func (e *StoppedError) Unwrap() error { return e.Err }

// problems collects what is wrong with a file.
type problems struct {
	list  []Problem
	total int
	lines map[int32]bool // that something is wrong with
}

// keep is how many problems are kept, to be sorted by line.
const keep = 10_000

func (p *problems) add(line int32, err error) {
	if err == nil {
		return
	}
	if p.lines == nil {
		p.lines = map[int32]bool{}
	}
	p.lines[line] = true
	found, known := billing.AsProblems(err)
	if !known {
		found = billing.Problems{billing.Fail(billing.Invalid, "", "%s", err)}
	}
	for _, one := range found {
		if p.total++; len(p.list) < keep {
			p.list = append(p.list, Problem{int(line), inWords(one)})
		}
	}
}

// err is all that was found, nil if nothing was.
func (p *problems) err(most int) error {
	if p.total == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int { return a.Line - b.Line })
	return &InvalidError{p.list[:min(most, len(p.list))], p.total}
}

// inWords is a problem with the field that it is about, unless its message names
// that.
func inWords(p *billing.Error) string {
	field, message := strings.Join(p.Field, "."), strings.TrimSuffix(p.Message, ".")
	if field == "" || strings.HasPrefix(message, field+" ") {
		return message
	}
	return field + ": " + message
}

// words is an error in words that a person can act on.
func words(err error) string {
	found, known := billing.AsProblems(err)
	if !known {
		return err.Error()
	}
	texts := make([]string, len(found))
	for i, p := range found {
		texts[i] = inWords(p)
	}
	return strings.Join(texts, "; ")
}

// isProblem reports whether err is about what somebody wrote.
func isProblem(err error) bool {
	var stopped *StoppedError
	_, known := billing.AsProblems(err)
	return known || errors.As(err, &stopped)
}
