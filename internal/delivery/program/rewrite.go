package program

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// rewriter changes a program so that every value it makes is checked, and
// every step that could take too much is checked before. gojq itself can only
// be stopped between steps, and a step can be as big as the values are: values
// of a bounded size make steps of a bounded size.
//
//	[f]  {a: f}  f + g  f |= g   become   (…) | value
//	f * g  f - g  f / g          become   operands(f; g) | .[0] * .[1] | value
//	f += g                       becomes  g as $x | f |= (. + $x)
//	.[f]  "\(f)"                 become   .[f | index]  "\(f | piece)"
//	join(f)  fromjson            become   join(f | small) | value  piece | fromjson | value
//
// Functions that are not listed in builtins are refused.
type rewriter struct {
	own   map[string]bool // functions and parameters that the program defines
	parts int             // how many queries it has, one in another
	err   error
}

// maxParts bounds the time to compile a program, which grows with its square.
const maxParts = 3000

func rewrite(q *gojq.Query) error {
	if len(q.Imports) > 0 || q.Meta != nil {
		return fmt.Errorf("a program cannot use modules")
	}
	r := &rewriter{own: map[string]bool{}}
	r.query(q)
	return r.err
}

func (r *rewriter) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func call(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}

func identity() *gojq.Query { return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}} }

func pipe(l, r *gojq.Query) *gojq.Query { return &gojq.Query{Left: l, Op: gojq.OpPipe, Right: r} }

// element is .[i].
func element(i int) *gojq.Query {
	index := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeNumber, Number: strconv.Itoa(i)}}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Start: index}}}
}

func (r *rewriter) query(q *gojq.Query) {
	if q == nil || r.err != nil {
		return
	}
	if r.parts++; r.parts > maxParts {
		r.fail("the program is too long: it has more than %d parts", maxParts)
	}
	for _, def := range q.FuncDefs {
		r.define(def)
	}
	if q.Term != nil {
		r.term(q.Term)
		return
	}
	r.query(q.Left)
	r.query(q.Right)
	for _, p := range q.Patterns {
		r.pattern(p)
	}
	r.operator(q)
}

// update are the operators that change in place, with what they do.
var update = map[gojq.Operator]gojq.Operator{
	gojq.OpUpdateAdd: gojq.OpAdd, gojq.OpUpdateSub: gojq.OpSub, gojq.OpUpdateMul: gojq.OpMul,
	gojq.OpUpdateDiv: gojq.OpDiv, gojq.OpUpdateMod: gojq.OpMod,
}

// operator guards an operator whose sides have been rewritten.
func (r *rewriter) operator(q *gojq.Query) {
	switch q.Op {
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAlt:
		r.check(q, computed(q.Left, q.Op, q.Right))
	case gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod:
		const name = "$_tenantry_operand"
		changed := &gojq.Query{Left: q.Left, Op: gojq.OpModify,
			Right: pipe(computed(identity(), update[q.Op], call(name)), call(guardValue))}
		r.check(q, &gojq.Query{Left: q.Right, Patterns: []*gojq.Pattern{{Name: name}}, Op: gojq.OpPipe, Right: changed})
	}
}

// computed is an operator on two sides, which are looked at before if need be.
func computed(l *gojq.Query, op gojq.Operator, r *gojq.Query) *gojq.Query {
	if op == gojq.OpMul || op == gojq.OpSub || op == gojq.OpDiv {
		return pipe(call(guardOperands, l, r), &gojq.Query{Left: element(0), Op: op, Right: element(1)})
	}
	return &gojq.Query{Left: l, Op: op, Right: r}
}

// check makes of q: inner | value.
func (r *rewriter) check(q, inner *gojq.Query) {
	q.Left, q.Op, q.Right, q.Patterns = inner, gojq.OpPipe, call(guardValue), nil
}

func (r *rewriter) define(def *gojq.FuncDef) {
	for _, name := range append([]string{def.Name}, def.Args...) {
		if strings.HasPrefix(name, "$") {
			r.variable(name)
			continue
		}
		if _, taken := builtins[name]; taken || known[name] || strings.HasPrefix(name, "_") {
			r.fail("%s cannot be the name of a function of yours: choose another", name)
		}
		r.own[name] = true
	}
	r.query(def.Body)
}

func (r *rewriter) variable(name string) {
	if name == "$ENV" {
		r.fail("a program cannot see the environment ($ENV)")
	}
	if strings.HasPrefix(name, "$_") {
		r.fail("the name of a variable cannot begin with an underscore: %s", name)
	}
}

func (r *rewriter) pattern(p *gojq.Pattern) {
	if p == nil {
		return
	}
	if p.Name != "" {
		r.variable(p.Name)
	}
	for _, element := range p.Array {
		r.pattern(element)
	}
	for _, field := range p.Object {
		if strings.HasPrefix(field.Key, "$") {
			r.variable(field.Key)
		}
		r.text(field.KeyString)
		r.query(field.KeyQuery)
		r.pattern(field.Val)
	}
}

func (r *rewriter) term(t *gojq.Term) {
	r.inside(t)
	r.index(t.Index)
	for _, suffix := range t.SuffixList {
		r.index(suffix.Index)
	}
	switch t.Type {
	case gojq.TermTypeNumber:
		if len(t.Number) > maxDigits {
			r.fail("a number has more than %d digits", maxDigits)
		}
	case gojq.TermTypeFunc:
		r.function(t)
	case gojq.TermTypeObject, gojq.TermTypeArray, gojq.TermTypeFormat:
		r.wrap(t, func(inner *gojq.Query) *gojq.Query { return pipe(inner, call(guardValue)) })
	case gojq.TermTypeString:
		if t.Str != nil && t.Str.Queries != nil {
			r.wrap(t, func(inner *gojq.Query) *gojq.Query { return pipe(inner, call(guardValue)) })
		}
	}
}

// wrap puts a term into brackets together with guards, and leaves what follows
// it outside.
func (r *rewriter) wrap(t *gojq.Term, around func(*gojq.Query) *gojq.Query) {
	inner := *t
	inner.SuffixList = nil
	*t = gojq.Term{Type: gojq.TermTypeQuery, Query: around(&gojq.Query{Term: &inner}), SuffixList: t.SuffixList}
}

// inside rewrites the queries inside a term.
func (r *rewriter) inside(t *gojq.Term) {
	r.query(t.Query)
	r.text(t.Str)
	if t.Func != nil {
		for _, arg := range t.Func.Args {
			r.query(arg)
		}
	}
	if t.Object != nil {
		for _, field := range t.Object.KeyVals {
			if strings.HasPrefix(field.Key, "$") {
				r.variable(field.Key)
			}
			r.text(field.KeyString)
			r.query(field.KeyQuery)
			r.query(field.Val)
		}
	}
	if t.Array != nil {
		r.query(t.Array.Query)
	}
	if t.Unary != nil {
		r.term(t.Unary.Term)
	}
	r.control(t)
}

func (r *rewriter) control(t *gojq.Term) {
	if t.If != nil {
		r.query(t.If.Cond)
		r.query(t.If.Then)
		for _, other := range t.If.Elif {
			r.query(other.Cond)
			r.query(other.Then)
		}
		r.query(t.If.Else)
	}
	if t.Try != nil {
		r.query(t.Try.Body)
		r.query(t.Try.Catch)
	}
	if t.Reduce != nil {
		r.query(t.Reduce.Query)
		r.pattern(t.Reduce.Pattern)
		r.query(t.Reduce.Start)
		r.query(t.Reduce.Update)
	}
	if t.Foreach != nil {
		r.query(t.Foreach.Query)
		r.pattern(t.Foreach.Pattern)
		r.query(t.Foreach.Start)
		r.query(t.Foreach.Update)
		r.query(t.Foreach.Extract)
	}
	if t.Label != nil {
		r.query(t.Label.Body)
	}
}

// text guards each piece that is put into a text: the pieces are joined one by
// one, and each time the text is copied.
func (r *rewriter) text(s *gojq.String) {
	if s == nil {
		return
	}
	for _, piece := range s.Queries {
		r.query(piece)
		if t := piece.Term; t != nil && t.Str == nil {
			r.wrap(t, func(inner *gojq.Query) *gojq.Query { return pipe(inner, call(guardPiece)) })
		}
	}
}

func (r *rewriter) index(i *gojq.Index) {
	if i == nil {
		return
	}
	r.text(i.Str)
	r.query(i.Start)
	r.query(i.End)
	if i.Start == nil || i.IsSlice {
		return
	}
	if t := i.Start.Term; t != nil && t.Type == gojq.TermTypeNumber && len(t.SuffixList) == 0 {
		if n, err := strconv.ParseFloat(t.Number, 64); err != nil || n > maxIndex {
			r.fail("an index is greater than %d", maxIndex)
		}
		return // left as it is: gojq knows how to assign to it fast
	}
	start := *i.Start
	i.Start = pipe(&start, call(guardIndex))
}

func (r *rewriter) function(t *gojq.Term) {
	f := t.Func
	if strings.HasPrefix(f.Name, "$") {
		if f.Name != "$_tenantry_operand" && f.Name != "$__loc__" {
			r.variable(f.Name)
		}
		return
	}
	b, ok := builtins[f.Name]
	switch {
	case r.own[f.Name]:
		return
	case !ok && (known[f.Name] || strings.HasPrefix(f.Name, "_")):
		r.fail("a program cannot use %s", f.Name)
		return
	case !ok:
		r.fail("there is no function %s/%d", f.Name, len(f.Args))
		return
	}
	if f.Name == "split" && len(f.Args) == 2 {
		b = builtins["splits"]
		b.keeps = false
	}
	if b.regexp {
		r.regexp(f)
	}
	if b.first != "" && len(f.Args) > 0 {
		arg := *f.Args[0]
		f.Args[0] = pipe(&arg, call(b.first))
	}
	r.wrap(t, func(inner *gojq.Query) *gojq.Query {
		if b.before != "" {
			inner = pipe(call(b.before), inner)
		}
		if !b.keeps {
			inner = pipe(inner, call(guardValue))
		}
		return inner
	})
}

// The bounds of a regular expression.
const maxInstructions, maxCaptures = 500, 10

// regexp wants a regular expression to be there before the program runs: gojq
// keeps each that it meets for ever, and some take long.
func (r *rewriter) regexp(f *gojq.Func) {
	if len(f.Args) == 0 {
		r.fail("%s needs a regular expression", f.Name)
		return
	}
	flags := 1
	if f.Name == "sub" || f.Name == "gsub" {
		flags = 2 // behind what is put in its place
	}
	source, ok := literal(f.Args[0])
	if len(f.Args) > flags && ok {
		_, ok = literal(f.Args[flags])
	}
	if !ok {
		r.fail("the regular expression of %s and its flags must be texts in the program itself, without \\(…)", f.Name)
		return
	}
	pattern, err := regexp.Compile(source)
	if err != nil {
		r.fail("the regular expression of %s cannot be read: %v", f.Name, err)
		return
	}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		r.fail("the regular expression of %s cannot be read: %v", f.Name, err)
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions || pattern.NumSubexp() > maxCaptures {
		r.fail("the regular expression of %s is too big", f.Name)
	}
}

// literal returns the text that a query is, if it is nothing but that.
func literal(q *gojq.Query) (string, bool) {
	t := q.Term
	if t == nil || t.Type != gojq.TermTypeString || t.Str == nil || t.Str.Queries != nil || len(t.SuffixList) > 0 || len(q.FuncDefs) > 0 {
		return "", false
	}
	return t.Str.Str, true
}
