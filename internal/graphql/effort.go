package graphql

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

const (
	// maxEffort bounds how many pairs of fields validation may compare, which
	// takes a quarter of a second or so.
	maxEffort = 500_000
	// smallDocument is the size, in bytes, of documents that cannot reach it.
	smallDocument = 2_000
)

// checkEffort refuses a document that takes too long to validate: fields of the
// same name are compared with each other, so that one field written ten
// thousand times takes half a minute.
func (h *Handler) checkEffort(ctx context.Context, document string) gqlerror.List {
	if len(document) <= smallDocument {
		return nil
	}
	if _, known := h.documents.Get(ctx, document); known {
		return nil
	}
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, maxTokens)
	if err != nil {
		return nil // the executor says what is wrong
	}
	e := effort{parsed.Fragments, maxEffort}
	for _, operation := range parsed.Operations {
		e.validate(operation.SelectionSet, map[string]bool{})
	}
	for _, fragment := range parsed.Fragments {
		e.validate(fragment.SelectionSet, map[string]bool{})
	}
	if e.left < 0 {
		return tooMuch("The document asks for the same fields too often, or has too many operations or fragments. Make several of it.")
	}
	return nil
}

// effort counts down what validation costs.
type effort struct {
	fragments ast.FragmentDefinitionList
	left      int
}

// validate goes through a selection set and all below it. seen has the
// fragments that were gone through before.
func (e *effort) validate(set ast.SelectionSet, seen map[string]bool) {
	e.compare([]ast.SelectionSet{set})
	for _, selection := range set {
		if e.left--; e.left < 0 {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			e.validate(selection.SelectionSet, seen)
		case *ast.InlineFragment:
			e.validate(selection.SelectionSet, seen)
		case *ast.FragmentSpread:
			if fragment := e.fragments.ForName(selection.Name); fragment != nil && !seen[selection.Name] {
				seen[selection.Name] = true
				e.validate(fragment.SelectionSet, seen)
			}
		}
	}
}

// compare takes the fields that come together in one object of an answer, and
// what is below those of the same name.
func (e *effort) compare(sets []ast.SelectionSet) {
	same := map[string][]ast.SelectionSet{}
	seen := map[string]bool{}
	for _, set := range sets {
		e.collect(set, same, seen)
	}
	for _, below := range same {
		if e.left -= len(below) * len(below); len(below) > 1 && e.left >= 0 {
			e.compare(below)
		}
	}
}

// collect gathers fields by their names in the answer.
func (e *effort) collect(set ast.SelectionSet, same map[string][]ast.SelectionSet, seen map[string]bool) {
	for _, selection := range set {
		if e.left--; e.left < 0 {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			same[selection.Alias] = append(same[selection.Alias], selection.SelectionSet)
		case *ast.InlineFragment:
			e.collect(selection.SelectionSet, same, seen)
		case *ast.FragmentSpread:
			if fragment := e.fragments.ForName(selection.Name); fragment != nil && !seen[selection.Name] {
				seen[selection.Name] = true
				e.collect(fragment.SelectionSet, same, seen)
			}
		}
	}
}
