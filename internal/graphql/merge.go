package graphql

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// mergeable refuses fields that come together under one name of an answer and
// are not the same. The library compares each of them with each other; here
// each is compared with the first of its name, which finds as much: to be the
// same is transitive. The schema has no interfaces and unions (a test holds
// that), so fields that come together belong to one type.
//
// It runs when all other rules are kept, so that there are no unknown
// fragments and no cycles.
func (v *validation) mergeable() {
	for _, operation := range v.doc.Operations {
		if newMeasurer(nil).selections(operation.SelectionSet, noPage).depth > maxDepth {
			continue // it is refused when somebody wants to run it
		}
		v.merge([]ast.SelectionSet{operation.SelectionSet})
	}
}

// merge takes the selection sets of one object in the answer.
func (v *validation) merge(sets []ast.SelectionSet) {
	m := merged{validation: v, index: map[string]int{}, spread: map[string]bool{}}
	for _, set := range sets {
		m.collect(set)
	}
	for i := range m.fields {
		if below := m.fields[i].below; len(below) > 0 {
			v.merge(below)
		}
	}
}

// merged is the fields of one object in the answer.
type merged struct {
	*validation
	fields []mergedField
	index  map[string]int // of fields, by name in the answer
	spread map[string]bool
}

type mergedField struct {
	first *ast.Field
	below []ast.SelectionSet
}

// collect adds the fields of a selection set and returns how many it has. It
// also counts the steps of the executor, which collects them with a search
// through those it has, and those of a fragment twice.
func (m *merged) collect(set ast.SelectionSet) (n int) {
	for _, selection := range set {
		m.step(1)
		inner := 0
		switch selection := selection.(type) {
		case *ast.Field:
			m.add(selection)
			inner = 1
		case *ast.InlineFragment:
			inner = m.collect(selection.SelectionSet)
		case *ast.FragmentSpread:
			if m.step(len(m.doc.Fragments) / scanned); !m.spread[selection.Name] {
				m.spread[selection.Name] = true
				inner = m.collect(selection.Definition.SelectionSet)
			}
		}
		n += inner
		m.step(inner * len(m.fields) / scanned)
	}
	return n
}

func (m *merged) add(field *ast.Field) {
	at, known := m.index[field.Alias]
	if !known {
		at = len(m.fields)
		m.index[field.Alias] = at
		m.fields = append(m.fields, mergedField{first: field})
	}
	same := &m.fields[at]
	if len(field.SelectionSet) > 0 {
		same.below = append(same.below, field.SelectionSet)
	}
	if !known {
		return
	}
	switch {
	case same.first.Name != field.Name:
		m.conflict(field, `%q and %q are different fields`, same.first.Name, field.Name)
	case !m.sameArguments(same.first.Arguments, field.Arguments):
		m.conflict(field, "they have differing arguments")
	}
}

func (m *merged) conflict(field *ast.Field, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	m.fail("OverlappingFieldsCanBeMerged", []core.ErrorOption{
		core.Message("Fields %q conflict because %s. Use different aliases on the fields to fetch both if this was intentional.", field.Alias, why),
		core.At(field.Position),
	})
}

func (m *merged) sameArguments(a, b ast.ArgumentList) bool {
	if len(a) != len(b) {
		return false
	}
	for _, argument := range a {
		other := b.ForName(argument.Name)
		if other == nil || !m.sameValue(argument.Value, other.Value) {
			return false
		}
	}
	return true
}

func (m *merged) sameValue(a, b *ast.Value) bool {
	m.step(1 + len(a.Raw)/(scanned*scanned))
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, child := range a.Children {
		other := b.Children[i].Value
		if a.Kind == ast.ObjectValue { // whose members have no order
			m.step(len(b.Children) / scanned)
			other = b.Children.ForName(child.Name)
		}
		if other == nil || !m.sameValue(child.Value, other) {
			return false
		}
	}
	return true
}
