package graphql

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"github.com/tenantry/tenantry/internal/admission"
)

const (
	// maxWork bounds the steps that validation may take: to look at a field, an
	// argument, a directive or a fragment is one. A document of
	// 15,000 tokens takes some ten thousand, up to 200,000 if all of it is aliases.
	maxWork = 250_000
	// scanned is how many names can be compared in the time of one step.
	scanned = 64
	// maxErrors is how many errors an answer shows. Validation ends there:
	// each may take as long as hundreds of steps.
	maxErrors = 50
	// hearing is the steps after which a caller who is gone ends a validation. Any
	// document of use takes fewer: who has only closed one side of the connection
	// is answered all the same.
	hearing = 50_000
	// validationTime ends a validation on a machine that is too busy for it.
	validationTime = 10 * time.Second
)

// validate returns what is wrong with a document. Its work is bounded for any
// document: the rules of the library are run by a walk whose steps are counted,
// each cheap by itself, and the one rule that is not (whether fields can be
// merged) is replaced by mergeable.
func validate(ctx context.Context, schema *ast.Schema, doc *ast.QueryDocument) gqlerror.List {
	ctx, cancel := context.WithTimeout(ctx, validationTime)
	defer cancel()
	v := &validation{ctx: ctx, schema: schema, doc: doc, left: maxWork}
	if tooMuch := v.run(); tooMuch != nil {
		return tooMuch
	}
	if len(v.errs) == maxErrors {
		v.errs = append(v.errs, gqlerror.Errorf("There may be more errors; the first %d are shown.", maxErrors))
	}
	for _, e := range v.errs {
		errcode.Set(e, errcode.ValidationFailed)
	}
	return v.errs
}

// validation is the validation of one document.
type validation struct {
	ctx    context.Context
	schema *ast.Schema
	doc    *ast.QueryDocument
	left   int // steps
	errs   gqlerror.List
}

// stop ends a validation from within a rule, which has no other way: because
// there are errors enough, or because it is too much work.
type stop struct{ tooMuch gqlerror.List }

// run finds errors, unless it is too much work.
func (v *validation) run() (tooMuch gqlerror.List) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case stop:
			tooMuch = ended.tooMuch
		default:
			panic(ended)
		}
	}()
	v.walk()
	if len(v.errs) == 0 {
		v.mergeable()
	}
	return nil
}

// walk runs all rules that look at one thing at a time.
func (v *validation) walk() {
	spreads := 0
	observers := &core.Events{}
	v.count(observers, &spreads)
	all := documentRules().GetInner()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		all[name](observers, func(options ...core.ErrorOption) { v.fail(name, options) })
	}
	core.Walk(v.schema, v.doc, observers)
}

// count counts the steps of a walk, before any rule is asked.
func (v *validation) count(observers *core.Events, spreads *int) {
	observers.OnVariable(func(*core.Walker, *ast.VariableDefinition) { v.step(1) })
	observers.OnField(func(*core.Walker, *ast.Field) { v.step(1) })
	observers.OnInlineFragment(func(*core.Walker, *ast.InlineFragment) { v.step(1) })
	observers.OnDirective(func(*core.Walker, *ast.Directive) { v.step(1) })
	observers.OnFragmentSpread(func(*core.Walker, *ast.FragmentSpread) {
		*spreads++
		v.step(1)
	})
	observers.OnFragment(func(*core.Walker, *ast.FragmentDefinition) {
		// Cycles are looked for with a search through all fragments for each
		// spread; there cannot be more of them than were walked.
		v.step(1 + *spreads*len(v.doc.Fragments)/scanned)
		*spreads = 0
	})
	observers.OnValue(func(walker *core.Walker, value *ast.Value) {
		v.step(1 + len(value.Raw)/64) // which an error about it would repeat
		if value.Kind == ast.Variable && walker.CurrentOperation != nil {
			v.step(len(walker.CurrentOperation.VariableDefinitions) / scanned)
		}
	})
}

// step counts work, and ends the validation when there was too much.
func (v *validation) step(n int) {
	const look = 1 << 12 // how often to look at the time
	before := v.left
	v.left -= n
	looks := before/look != v.left/look
	switch {
	case v.left < 0:
		panic(stop{tooMuch("The document takes too much work to validate: it has too many fields, fragments or operations. Make several of it.")})
	case looks && v.ctx.Err() != nil:
		panic(stop{tooMuch("The document took too long to validate. Try again, or make several of it.")})
	case looks && v.left < maxWork-hearing && admission.IsGone(v.ctx):
		panic(stop{tooMuch("The connection was closed while the document was validated. Keep it open until the answer is there, or make several of the document.")})
	}
}

// fail adds an error, and ends the validation when there are enough.
func (v *validation) fail(rule string, options []core.ErrorOption) {
	e := &gqlerror.Error{Rule: rule}
	for _, option := range options {
		option(e)
	}
	if v.errs = append(v.errs, e); len(v.errs) == maxErrors {
		panic(stop{})
	}
}
