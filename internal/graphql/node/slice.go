package node

import (
	"context"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// MarshalSlice marshals the elements of a list one after another. It stands in
// for the function of the library that starts a goroutine for each; the two
// arguments it ignores are that one's.
func MarshalSlice(ctx context.Context, length int, _ int64, _ bool, marshal func(ctx context.Context, i int) graphql.Marshaler) graphql.Array {
	list := make(graphql.Array, length)
	places := make([]graphql.FieldContext, length)
	indexes := make([]int, length)
	answer := AnswerOf(ctx)
	for i := range list {
		if answer.IsFull() { // it is not sent
			list[i] = graphql.Null
			continue
		}
		indexes[i] = i
		places[i].Index = &indexes[i]
		list[i] = marshal(graphql.WithFieldContext(ctx, &places[i]), i)
	}
	return list
}

// Object marshals an object of those fields.
func Object(fields []graphql.CollectedField, values []graphql.Marshaler) graphql.Marshaler {
	return &object{fields, values}
}

type object struct {
	fields []graphql.CollectedField
	values []graphql.Marshaler
}

// MarshalGQL writes the object. Names in GraphQL are letters, digits and _, so
// they need no escapes.
func (o *object) MarshalGQL(w io.Writer) {
	before := `{"`
	for i := range o.fields {
		_, _ = io.WriteString(w, before)
		_, _ = io.WriteString(w, o.fields[i].Alias)
		_, _ = io.WriteString(w, `":`)
		o.values[i].MarshalGQL(w)
		before = `,"`
	}
	if len(o.fields) == 0 {
		_, _ = io.WriteString(w, "{")
	}
	_, _ = io.WriteString(w, "}")
}
