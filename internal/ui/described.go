package ui

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Sections are the sections of a form for the described fields of a T. An input
// that is given takes the place of the field of its name; a field without a label
// has no other input.
func Sections[T any](fields billing.Fields[T], special ...Input[T]) []Section[T] {
	sections := make([]Section[T], len(fields))
	for i, group := range fields {
		sections[i] = Section[T]{Title: group.Title, Folded: group.Folded}
		for _, f := range group.Fields {
			own := slices.IndexFunc(special, func(in Input[T]) bool { return in.Name == f.Name })
			switch {
			case own >= 0:
				sections[i].Inputs = append(sections[i].Inputs, special[own])
			case f.Label != "":
				sections[i].Inputs = append(sections[i].Inputs, inputFor(f))
			}
		}
	}
	return sections
}

// InputFor is the input for a described field, for a form to change it.
func InputFor[T any](fields billing.Fields[T], name string) Input[T] {
	for f := range fields.All() {
		if f.Name == name {
			return inputFor(f)
		}
	}
	panic("ui: there is no field " + name)
}

func inputFor[T any](f billing.Field[T]) (in Input[T]) {
	switch f.At(new(T)).(type) {
	case *string:
		if in = Text(f.Name, f.Label, at[*string](f)); f.Lines {
			in = requiredLines(f.Name, f.Label, at[*string](f))
		}
	case **string:
		if in = OptionalText(f.Name, f.Label, at[**string](f)); f.Lines {
			in = TextArea(f.Name, f.Label, at[**string](f))
		}
	case *int:
		in = Int(f.Name, f.Label, at[*int](f))
	case **int:
		in = OptionalInt(f.Name, f.Label, at[**int](f))
	case *bool:
		in = Checkbox(f.Name, f.Label, at[*bool](f))
	case *billing.Date:
		in = day(f.Name, f.Label, at[*billing.Date](f))
	case **billing.Date:
		in = optional(day(f.Name, f.Label, self[billing.Date]), at[**billing.Date](f))
	default:
		panic("ui: " + f.Name + " needs an input of its own")
	}
	in.Field.Help, in.Field.Required = f.Help, f.Required
	return in
}

func at[P, T any](f billing.Field[T]) func(*T) P {
	return func(row *T) P { return f.At(row).(P) }
}

// day is an input for a date.
func day[T any](name, label string, of func(*T) *billing.Date) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldDate},
		Get: func(row *T) string {
			if *of(row) == (billing.Date{}) {
				return ""
			}
			return of(row).String()
		},
		Set: func(row *T, typed string) *billing.Error {
			date, err := billing.ParseDate(strings.TrimSpace(typed))
			if problems, known := billing.AsProblems(err); known {
				return billing.Fail(problems[0].Code, name, "%s", problems[0].Message)
			}
			*of(row) = date
			return nil
		},
	}
}

// Describe adds the described fields of a row that have a value as facts, but for
// some. The lines of an address are one fact.
func Describe[T any](d *Details, fields billing.Fields[T], row *T, except ...string) {
	for _, group := range fields {
		first := len(d.Facts)
		for _, f := range group.Fields {
			if f.Label != "" && !slices.Contains(except, f.Name) {
				d.describe(f.Name, f.Label, f.At(row))
			}
		}
		if group.Address && len(d.Facts) > first {
			var lines []string
			for _, fact := range d.Facts[first:] {
				lines = append(lines, fact.Value.Text)
			}
			d.Facts = append(d.Facts[:first], Fact{group.Title, Plain(strings.Join(lines, ", "))})
		}
	}
}

func (d *Details) describe(name, label string, at any) {
	if cell := CellFor(name, at); cell.Text != "" {
		d.Fact(label, cell)
	}
}

// CellFor is the value of a described field, empty if it has none.
func CellFor(name string, at any) Cell {
	switch at := at.(type) {
	case *string:
		return CellFor(name, &at)
	case **string:
		if name == "code" {
			return Code(Deref(*at))
		}
		return Plain(Deref(*at))
	case *int:
		return Number(*at)
	case **int:
		if *at != nil {
			return Number(**at)
		}
	case *bool:
		return YesNo(*at)
	case *billing.Price: // of no one currency
		return Money(*at, "")
	case *billing.Date:
		return Days(*at)
	case **billing.Date:
		if *at != nil {
			return Days(**at)
		}
	}
	return Plain("")
}
