package schema

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// frame is what every schema of the table below has around the part it tells.
const frame = `
directive @scope(name: String!) on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
schema { query: Query mutation: Mutation }
type Query { thing: Thing }
type Mutation { touch: String }
`

func TestBreaking(t *testing.T) {
	tests := []struct {
		name          string
		before, after string
		want          []string
	}{
		{
			name:   "nothing changed",
			before: `type Thing { a(b: Int): String }`,
			after:  `type Thing { a(b: Int): String }`,
		},
		{
			name:   "additions",
			before: `type Thing { a: E } enum E { X } input I { a: Int }`,
			after:  `type Thing { a(b: Int, c: Int! = 1): E d: New } enum E { X Y } input I { a: Int b: Int c: Int! = 1 } type New { a: Int }`,
		},
		{
			name:   "type removed",
			before: `type Thing { a: Int } type Old { a: Int }`,
			after:  `type Thing { a: Int }`,
			want:   []string{"Old: the type was removed"},
		},
		{
			name:   "kind changed",
			before: `type Thing { a: Int } enum E { X }`,
			after:  `type Thing { a: Int } scalar E`,
			want:   []string{"E: it was of kind ENUM and is now SCALAR"},
		},
		{
			name:   "field removed",
			before: `type Thing { a: Int b: Int }`,
			after:  `type Thing { a: Int }`,
			want:   []string{"Thing.b: the field was removed"},
		},
		{
			name:   "field of another type",
			before: `type Thing { a: Int }`,
			after:  `type Thing { a: String }`,
			want:   []string{"Thing.a: the type changed from Int to String"},
		},
		{
			name:   "field becomes a list",
			before: `type Thing { a: Int b: [Int] }`,
			after:  `type Thing { a: [Int] b: Int }`,
			want: []string{
				"Thing.a: the type changed from Int to [Int]",
				"Thing.b: the type changed from [Int] to Int",
			},
		},
		{
			name:   "field becomes stricter",
			before: `type Thing { a: Int b: [Int] }`,
			after:  `type Thing { a: Int! b: [Int!]! }`,
		},
		{
			name:   "field becomes nullable",
			before: `type Thing { a: Int! b: [Int!]! }`,
			after:  `type Thing { a: Int b: [Int]! }`,
			want: []string{
				"Thing.a: the type changed from Int! to Int",
				"Thing.b: the type changed from [Int!]! to [Int]!",
			},
		},
		{
			name:   "argument removed",
			before: `type Thing { a(b: Int): Int }`,
			after:  `type Thing { a: Int }`,
			want:   []string{"Thing.a: the argument b was removed"},
		},
		{
			name:   "argument becomes looser",
			before: `type Thing { a(b: Int!, c: [Int!]!): Int }`,
			after:  `type Thing { a(b: Int, c: [Int]): Int }`,
		},
		{
			name:   "argument becomes stricter",
			before: `type Thing { a(b: Int, c: [Int]): Int }`,
			after:  `type Thing { a(b: Int!, c: [Int!]): Int }`,
			want: []string{
				"Thing.a: the type of the argument b changed from Int to Int!",
				"Thing.a: the type of the argument c changed from [Int] to [Int!]",
			},
		},
		{
			name:   "required argument added",
			before: `type Thing { a: Int }`,
			after:  `type Thing { a(b: Int!): Int }`,
			want:   []string{"Thing.a: the required argument b was added"},
		},
		{
			name:   "default changed",
			before: `type Thing { a(b: Int = 1, c: Int): Int }`,
			after:  `type Thing { a(b: Int = 2, c: Int = 3): Int }`,
			want: []string{
				"Thing.a: the default of the argument b changed from 1 to 2",
				"Thing.a: the default of the argument c changed from none to 3",
			},
		},
		{
			name:   "enum value removed",
			before: `type Thing { a: E } enum E { X Y }`,
			after:  `type Thing { a: E } enum E { Y }`,
			want:   []string{"E: the value X was removed"},
		},
		{
			name:   "input field removed, of another type, stricter, required and new",
			before: `type Thing { a(i: I): Int } input I { a: Int b: Int c: Int d: Int! }`,
			after:  `type Thing { a(i: I): Int } input I { b: ID c: Int! d: Int e: Int! }`,
			want: []string{
				"I: the input field a was removed",
				"I: the type of the input field b changed from Int to ID",
				"I: the type of the input field c changed from Int to Int!",
				"I: the required input field e was added",
			},
		},
		{
			name:   "interface and union member removed",
			before: `interface N { a: Int } type Thing implements N { a: Int } type Other { a: Int } union U = Thing | Other`,
			after:  `interface N { a: Int } type Thing { a: Int } type Other { a: Int } union U = Thing`,
			want: []string{
				"Thing: the interface N was removed",
				"U: the member Other was removed",
			},
		},
		{
			name:   "scope needed",
			before: `type Thing { a: Int b: Int @scope(name: "admin:read") }`,
			after:  `type Thing { a: Int @scope(name: "admin:read") b: Int @scope(name: "admin:write") }`,
			want: []string{
				"Thing.a: the scope admin:read is now needed",
				"Thing.b: the scope admin:write is now needed",
			},
		},
		{
			name:   "scope of an attribute needed",
			before: `type Thing { a: Int } input ThingAttributes { a: Int }`,
			after:  `type Thing { a: Int } input ThingAttributes { a: Int @scope(name: "platform:write") }`,
			want:   []string{"ThingAttributes.a: the scope platform:write is now needed"},
		},
		{
			name:   "scope no longer needed",
			before: `type Thing { a: Int @scope(name: "admin:read") }`,
			after:  `type Thing { a: Int }`,
		},
		{
			name:   "scope of a root field becomes the ordinary one",
			before: `type Thing { a: Int } extend type Query { q: Int @scope(name: "admin:read") }`,
			after:  `type Thing { a: Int } extend type Query { q: Int }`,
			want:   []string{"Query.q: the scope standard:read is now needed"},
		},
		{
			name:   "ordinary scope of a root field is spelled out",
			before: `type Thing { a: Int } extend type Mutation { m: Int }`,
			after:  `type Thing { a: Int } extend type Mutation { m: Int @scope(name: "standard:write") }`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Breaking(parse(t, test.before), parse(t, test.after))
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func parse(t *testing.T, text string) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: t.Name(), Input: frame + text})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
