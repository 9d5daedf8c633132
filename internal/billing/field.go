package billing

import "iter"

// Field describes a field of a T once, for every layer: package store derives
// its column from it, Check its rule, package transfer its member of a line and
// the console its input and its line on the page. What is special about a field
// is ordinary code beside these.
type Field[T any] struct {
	Name string // in the API, in files and in forms
	// Label and Help are what the console shows. A field without a label has no
	// input there, or one of its own.
	Label, Help string
	At          func(*T) any // returns a pointer to the value
	Required    bool
	// Lines says that a text may have several lines.
	Lines bool
	// Nullable says that null empties a value that is no pointer.
	Nullable bool
	// Reference says that the value is the id of something else, which files
	// name by its code.
	Reference bool
	check     func(*T) *Error
}

// Group is some fields that belong together, under a title.
type Group[T any] struct {
	Title string
	// Folded says that people seldom need the fields.
	Folded bool
	// Address says that the fields are the lines of one address.
	Address bool
	Fields  []Field[T]
}

// Fields are all fields of a T, but for its id and the times that every row has.
type Fields[T any] []Group[T]

// MaxQuantity bounds every quantity, so that sums over many subscriptions stay
// exact integers in JSON.
const MaxQuantity = 1_000_000_000

// All are the fields of all groups.
func (f Fields[T]) All() iter.Seq[Field[T]] {
	return func(yield func(Field[T]) bool) {
		for _, group := range f {
			for _, field := range group.Fields {
				if !yield(field) {
					return
				}
			}
		}
	}
}

// Nullable says whether null empties the field with that name, although it is no
// pointer.
func (f Fields[T]) Nullable(name string) bool {
	for field := range f.All() {
		if field.Name == name {
			return field.Nullable
		}
	}
	return false
}

// Check returns what is wrong with a row, nil if nothing is.
func (f Fields[T]) Check(row *T) Problems {
	var p Problems
	for field := range f.All() {
		if field.check != nil {
			p.Add(field.check(row))
		}
	}
	return p
}

// Describe returns a field that always has a value.
func Describe[T, V any](name, label string, at func(*T) *V, checks ...func(field string, value V) *Error) Field[T] {
	return Field[T]{
		Name: name, Label: label,
		At: func(row *T) any { return at(row) },
		check: func(row *T) *Error {
			for _, check := range checks {
				if e := check(name, *at(row)); e != nil {
					return e
				}
			}
			return nil
		},
	}
}

// Optional returns a field that may have no value.
func Optional[T, V any](name, label string, at func(*T) **V, checks ...func(field string, value V) *Error) Field[T] {
	return Describe(name, label, at, func(field string, value *V) *Error {
		for _, check := range checks {
			if value == nil {
				return nil
			}
			if e := check(field, *value); e != nil {
				return e
			}
		}
		return nil
	})
}

// Reference returns a field with the id of something else, or with a pointer
// to it.
func Reference[T, V any](name string, at func(*T) *V) Field[T] {
	return Field[T]{Name: name, At: func(row *T) any { return at(row) }, Reference: true}
}

// address describes the five fields of an address, whose names begin with prefix.
func address[T any](title, prefix string, at func(*T) [5]**string) Group[T] {
	g := Group[T]{Title: title, Folded: true, Address: true}
	for i, part := range [5][2]string{{"Street", "Street"}, {"City", "City"}, {"State", "State"}, {"Zip", "Postal code"}, {"Country", "Country"}} {
		g.Fields = append(g.Fields, Optional(prefix+part[0], part[1], func(row *T) **string { return at(row)[i] }, ShortText))
	}
	return g
}

// WithHelp returns the field with a help text.
func (f Field[T]) WithHelp(text string) Field[T] {
	f.Help = text
	return f
}

// AsRequired returns the field as one that forms require.
func (f Field[T]) AsRequired() Field[T] {
	f.Required = true
	return f
}

// AsLines returns the field as a text of several lines.
func (f Field[T]) AsLines() Field[T] {
	f.Lines = true
	return f
}

// AsNullable returns the field as one that null empties.
func (f Field[T]) AsNullable() Field[T] {
	f.Nullable = true
	return f
}

// Between returns a check that a number is in bounds; the message names the two
// and the number.
func Between(least, most int, message string) func(field string, n int) *Error {
	return func(field string, n int) *Error {
		if n < least || n > most {
			return Invalidf(field, message, least, most, n)
		}
		return nil
	}
}

// OneOf returns a check that a value is one of some; the message names the value.
func OneOf[V ~string](message string, values ...V) func(field string, value V) *Error {
	return func(field string, value V) *Error {
		for _, allowed := range values {
			if value == allowed {
				return nil
			}
		}
		return Invalidf(field, message, value)
	}
}
