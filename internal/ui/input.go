package ui

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Text is an input for a text that is always there.
func Text[T any](name, label string, of func(*T) *string) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldText},
		Get:   func(row *T) string { return *of(row) },
		Set:   func(row *T, typed string) *billing.Error { *of(row) = retain(*of(row), typed, noLineEnds); return nil },
	}
}

// OptionalText is an input for a text that may be missing: empty means none.
func OptionalText[T any](name, label string, of func(*T) **string) Input[T] {
	return optionalText(name, label, of, noLineEnds)
}

// TextArea is OptionalText with several lines.
func TextArea[T any](name, label string, of func(*T) **string) Input[T] {
	in := optionalText(name, label, of, lineEnds).Kind(FieldArea).Wide()
	in.Rows = 3
	return in
}

// requiredLines is Text with several lines.
func requiredLines[T any](name, label string, of func(*T) *string) Input[T] {
	in := Text(name, label, of).Kind(FieldArea).Wide()
	in.Rows = 3
	in.Set = func(row *T, typed string) *billing.Error { *of(row) = retain(*of(row), typed, lineEnds); return nil }
	return in
}

func optionalText[T any](name, label string, of func(*T) **string, browser *strings.Replacer) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldText},
		Get:   func(row *T) string { return Deref(*of(row)) },
		Set: func(row *T, typed string) *billing.Error {
			old := *of(row)
			*of(row) = nil
			switch typed = retain(Deref(old), typed, browser); {
			case typed != "":
				*of(row) = &typed
			case old != nil && *old == "":
				*of(row) = old
			}
			return nil
		},
	}
}

// Browsers use line ends of their own, and remove them from a field of one line.
var (
	lineEnds   = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	noLineEnds = strings.NewReplacer("\r", "", "\n", "")
)

// Lines are the lines of what was typed into a field.
func Lines(typed string) []string { return strings.Split(lineEnds.Replace(typed), "\n") }

// retain returns what was typed, or the old text if they differ only by what the
// browser does to line ends: opening and saving a form changes nothing.
func retain(old, typed string, browser *strings.Replacer) string {
	if typed = lineEnds.Replace(typed); typed == browser.Replace(old) {
		return old
	}
	return typed
}

// Int is an input for a whole number.
func Int[T any](name, label string, of func(*T) *int) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldNumber},
		Get:   func(row *T) string { return strconv.Itoa(*of(row)) },
		Set: func(row *T, typed string) *billing.Error {
			n, e := ParseInt(name, typed)
			if e == nil {
				*of(row) = n
			}
			return e
		},
	}
}

// OptionalInt is Int for a number that may be missing.
func OptionalInt[T any](name, label string, of func(*T) **int) Input[T] {
	return optional(Int(name, label, self[int]), of)
}

// ParseInt reads a whole number that was typed into a field.
func ParseInt(field, typed string) (int, *billing.Error) {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return 0, billing.Fail(billing.Invalid, field, "Write a whole number, such as 12.")
	}
	return n, nil
}

// Checkbox is an input for yes or no.
func Checkbox[T any](name, label string, of func(*T) *bool) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldCheck},
		Get: func(row *T) string {
			if *of(row) {
				return "on"
			}
			return ""
		},
		Set: func(row *T, typed string) *billing.Error { *of(row) = typed != ""; return nil },
	}
}

// Choice is an input for one of some values.
func Choice[T any, V ~string](name, label string, of func(*T) *V, options ...Option) Input[T] {
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldSelect, Options: options},
		Get:   func(row *T) string { return string(*of(row)) },
		Set:   func(row *T, typed string) *billing.Error { *of(row) = V(typed); return nil },
	}
}

// OptionalChoice is Choice for a value that may be missing; none is the text of
// that option.
func OptionalChoice[T any, V ~string](name, label, none string, of func(*T) **V, options ...Option) Input[T] {
	return optional(Choice(name, label, self[V], append([]Option{{"", none}}, options...)...), of)
}

// Reference is an input for the id of another resource, chosen from options.
func Reference[T any, K ~int64](name, label string, of func(*T) *K, options []Option) Input[T] {
	switch len(options) {
	case 0:
		options = []Option{{"", "There is no " + strings.ToLower(label) + " yet: create one first"}}
	case 1: // is the one that is meant
	default:
		options = append([]Option{{"", "Choose…"}}, options...)
	}
	return Input[T]{
		Field: Field{Name: name, Label: label, Kind: FieldSelect, Options: options},
		Get:   func(row *T) string { return IDText(*of(row)) },
		Set: func(row *T, typed string) *billing.Error {
			*of(row) = 0
			if typed == "" {
				return nil
			}
			id, err := strconv.ParseInt(typed, 10, 64)
			if err != nil {
				return billing.Fail(billing.Invalid, name, "Choose one from the list.")
			}
			*of(row) = K(id)
			return nil
		},
	}
}

// OptionalReference is Reference for an id that may be missing; none is the text
// of that option.
func OptionalReference[T any, K ~int64](name, label, none string, of func(*T) **K, options []Option) Input[T] {
	in := Reference(name, label, self[K], nil)
	in.Options = append([]Option{{"", none}}, options...)
	return optional(in, of)
}

func self[V any](v *V) *V { return v }

// optional turns an input for a V into one for a V that may be missing.
func optional[T, V any](in Input[V], of func(*T) **V) Input[T] {
	return Input[T]{
		Field: in.Field,
		Get: func(row *T) string {
			if *of(row) == nil {
				return ""
			}
			return in.Get(*of(row))
		},
		Set: func(row *T, typed string) *billing.Error {
			*of(row) = nil
			if strings.TrimSpace(typed) == "" {
				return nil
			}
			value := new(V)
			if e := in.Set(value, typed); e != nil {
				return e
			}
			*of(row) = value
			return nil
		},
	}
}

// Fixed shows a value that the form cannot change.
func Fixed[T any](name, label, value string) Input[T] {
	return Input[T]{Field: Field{Name: name, Label: label, Kind: FieldFixed, Value: value}}
}

// Unbound is an input that the operation reads from the form by itself, such as a
// secret, which is never shown.
func Unbound[T any](name, label, kind string) Input[T] {
	return Input[T]{Field: Field{Name: name, Label: label, Kind: kind}}
}

// Help explains the input in a sentence below it.
func (in Input[T]) Help(text string) Input[T] { in.Field.Help = text; return in }

// Required marks the input as required.
func (in Input[T]) Required() Input[T] { in.Field.Required = true; return in }

// Wide gives the input a line of its own.
func (in Input[T]) Wide() Input[T] { in.Field.Wide = true; return in }

// Usually names the value that most people leave, which a preview does not repeat.
func (in Input[T]) Usually(value string) Input[T] { in.Usual = value; return in }

// Kind changes the kind of the field.
func (in Input[T]) Kind(kind string) Input[T] { in.Field.Kind = kind; return in }

// Autocompleted tells browsers and password managers what the field is for.
func (in Input[T]) Autocompleted(as string) Input[T] { in.Autocomplete = as; return in }

// Suggested lets the page derive the value from other fields, by default from the
// name, until somebody types another one.
func (in Input[T]) Suggested(fields ...string) Input[T] {
	if fields == nil {
		fields = []string{"name"}
	}
	in.Suggest = strings.Join(fields, " ")
	return in
}

// Refreshes loads the form again from an address after another choice, because
// other fields depend on it.
func (in Input[T]) Refreshes(from string) Input[T] { in.Refresh = from; return in }
