package graphql

import (
	gql "github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
)

// patch copies the attributes that a caller sent over the fields of a thing.
// What was left out stays as it is; null empties what may be empty.
type patch struct {
	creating bool
	nullable func(field string) bool // as described: null empties it
	problems billing.Problems
}

// edit returns an operation's edit: set copies the attributes that are fields,
// and special does what else is to be done.
func edit[A, T any](set func(*patch, A, *T), in A, creating bool, special ...func(*patch, *T)) func(*T) error {
	return func(row *T) error {
		p := &patch{creating: creating}
		set(p, in, row)
		for _, do := range special {
			do(p, row)
		}
		return p.problems.Err()
	}
}

func (p *patch) fail(code billing.Code, field, format string, args ...any) {
	p.problems = append(p.problems, billing.Fail(code, field, format, args...))
}

// notBoth refuses an id and a code for the same reference.
func (p *patch) notBoth(noun string, id *int64, code *string) {
	if id != nil && code != nil {
		p.fail(billing.Invalid, noun+"Code", "Give %[1]sId or %[1]sCode, not both.", noun)
	}
}

// need sets a field that must have a value. For a new thing, null is the same
// as leaving it out: the default stays.
func need[T any](p *patch, field string, in gql.Omittable[*T], to *T) {
	value, set := in.ValueOK()
	switch {
	case !set || value == nil && p.creating:
	case value == nil && p.nullable != nil && p.nullable(field):
		*to = *new(T)
	case value == nil:
		p.fail(billing.Required, field, "%s cannot be null; leave it out to keep it as it is.", field)
	default:
		*to = *value
	}
}

// may sets a field that may be empty.
func may[T any](in gql.Omittable[*T], to **T) {
	if value, set := in.ValueOK(); set {
		*to = value
	}
}

// needID is need for a reference.
func needID[K ~int64](p *patch, field string, in gql.Omittable[*int64], to *K) {
	id := int64(*to)
	need(p, field, in, &id)
	*to = K(id)
}

// mayID is may for a reference.
func mayID[K ~int64](in gql.Omittable[*int64], to **K) {
	value, set := in.ValueOK()
	switch {
	case !set:
	case value == nil:
		*to = nil
	default:
		id := K(*value)
		*to = &id
	}
}

// read reads what is sent as text and may be missing, with its parser. What is
// there but wrong is not also missing.
func read[T any](p *patch, field string, text *string, parse func(string) (T, error)) *T {
	if text == nil {
		return nil
	}
	value, err := parse(*text)
	if problems, known := billing.AsProblems(err); known {
		for _, problem := range problems {
			p.fail(billing.Invalid, field, "%s", problem.Message)
		}
	}
	return &value
}

func ids[K ~int64](in []int64) []K {
	if in == nil {
		return nil
	}
	out := make([]K, len(in))
	for i, id := range in {
		out[i] = K(id)
	}
	return out
}
