package graphql

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Limits on a document.
const (
	maxTokens = 15_000
	maxDepth  = 15
	// maxIntrospectionDepth is for what tools ask of __schema: types within
	// types, which are no data.
	maxIntrospectionDepth = 25
	// maxCost bounds how many values an answer can have and how much work they
	// are: a field costs one or what cost.go says, and a list costs that many
	// times what is in it.
	maxCost = 250_000
	// nestedSize is how long a nested list without a limit is taken to be.
	nestedSize = 10
	// introspectionSize is nestedSize for the schema, so that the whole of it
	// can be asked for once.
	introspectionSize = 15
)

// shortLists are nested lists that are shorter than others, by the type of what
// is in them.
var shortLists = map[string]float64{"ScheduledChange": 2, "ScheduledQuantity": 2}

// checkLimits refuses an operation that is too deep or too costly.
func checkLimits(operation *gql.OperationContext) gqlerror.List {
	m := newMeasurer(operation.Variables)
	total := m.selections(operation.Operation.SelectionSet, noPage)
	switch {
	case total.depth > maxDepth:
		return tooMuch("The document is %d fields deep; at most %d are allowed.", total.depth, maxDepth)
	case total.introspection > maxIntrospectionDepth:
		return tooMuch("The introspection is %d fields deep; at most %d are allowed.", total.introspection, maxIntrospectionDepth)
	case total.cost > maxCost:
		return tooMuch("The answer could have more than %d values, or be as much work: previews, searches, counts and bodies count for many. "+
			"Ask for fewer at a time with limit or first, or in several requests.", maxCost)
	}
	return nil
}

func tooMuch(format string, args ...any) gqlerror.List {
	return gqlerror.List{coded(gqlerror.Errorf(format, args...), codeLimit)}
}

// size is how much a selection asks for.
type size struct {
	depth         int
	introspection int
	cost          float64 // a float does not overflow
}

type measurer struct {
	variables map[string]any
	// known keeps fragments from being measured twice: used often enough,
	// they would take forever.
	known map[measured]size
}

// measured is a fragment at a place.
type measured struct {
	fragment *ast.FragmentDefinition
	page     float64
}

func newMeasurer(variables map[string]any) measurer {
	return measurer{variables: variables, known: map[measured]size{}}
}

// noPage stands where lists are not those of a page.
const noPage = 0

// selections measures a selection set. If it is that of a page, page is how
// long the lists in it are, as was asked for where the page was asked for.
func (m measurer) selections(set ast.SelectionSet, page float64) size {
	var total size
	for _, selection := range set {
		var s size
		switch selection := selection.(type) {
		case *ast.Field:
			s = m.field(selection, page)
		case *ast.InlineFragment:
			s = m.selections(selection.SelectionSet, page)
		case *ast.FragmentSpread:
			s = m.fragment(selection.Definition, page)
		}
		total.depth = max(total.depth, s.depth)
		total.introspection = max(total.introspection, s.introspection)
		total.cost += s.cost
	}
	return total
}

func (m measurer) fragment(fragment *ast.FragmentDefinition, page float64) size {
	s, known := m.known[measured{fragment, page}]
	if !known {
		s = m.selections(fragment.SelectionSet, page)
		m.known[measured{fragment, page}] = s
	}
	return s
}

func (m measurer) field(field *ast.Field, page float64) size {
	inside := float64(noPage)
	if strings.HasSuffix(field.Definition.Type.Name(), "Connection") {
		inside = m.argument(field, "first")
	}
	inner := m.selections(field.SelectionSet, inside)
	if strings.HasPrefix(field.Name, "__") {
		return size{depth: 1, introspection: max(inner.depth, inner.introspection) + 1, cost: 1 + inner.cost}
	}
	inner.depth++
	times := 1.0
	switch {
	case field.Definition.Type.Elem == nil || len(field.SelectionSet) == 0:
	case page != noPage:
		times = page
	case field.Definition.Arguments.ForName("limit") != nil:
		times = m.argument(field, "limit")
	case strings.HasPrefix(field.Definition.Type.Name(), "__"):
		times = introspectionSize
	default:
		times = nestedSize
		if short, known := shortLists[field.Definition.Type.Name()]; known {
			times = short
		}
	}
	inner.cost = math.Min(m.ownCost(field)+times*inner.cost, math.MaxFloat64/2)
	return inner
}

// argument is the size that a list is asked for with.
func (m measurer) argument(field *ast.Field, name string) float64 {
	argument := field.Arguments.ForName(name)
	if argument == nil {
		return defaultLimit
	}
	value, err := argument.Value.Value(m.variables)
	if err != nil {
		return maxLimit
	}
	switch n := value.(type) {
	case int64:
		return clamp(float64(n))
	case int:
		return clamp(float64(n))
	case json.Number:
		if f, err := strconv.ParseFloat(n.String(), 64); err == nil {
			return clamp(f)
		}
	case nil:
		return defaultLimit
	}
	return maxLimit
}

// clamp keeps to sizes that are allowed: others are refused when they are
// used, with a message of their own.
func clamp(n float64) float64 { return math.Min(math.Max(n, 1), maxLimit) }
