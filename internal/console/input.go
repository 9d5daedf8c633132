package console

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// with changes how an input is shown.
func (in input[T]) with(change func(*fieldView)) input[T] {
	change(&in.fieldView)
	return in
}

func (in input[T]) help(text string) input[T] {
	return in.with(func(f *fieldView) { f.Help = text })
}

func (in input[T]) required() input[T] {
	return in.with(func(f *fieldView) { f.Required = true })
}

// suggested lets the page make the input up from other fields, the name if none
// is given, until somebody types something else.
func (in input[T]) suggested(fields ...string) input[T] {
	if fields == nil {
		fields = []string{"name"}
	}
	return in.with(func(f *fieldView) { f.Suggest = strings.Join(fields, " ") })
}

// refreshes says that other fields depend on what is chosen here: the form is
// asked for again from where it came.
func (in input[T]) refreshes(from string) input[T] {
	return in.with(func(f *fieldView) { f.Refresh = from })
}

func (in input[T]) wide() input[T] {
	return in.with(func(f *fieldView) { f.Wide = true })
}

func (in input[T]) kind(kind string) input[T] {
	return in.with(func(f *fieldView) { f.Kind = kind })
}

// Browsers send their own ends of lines, and none from a field of one line.
var (
	lineEnds   = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	noLineEnds = strings.NewReplacer("\r", "", "\n", "")
)

// retain returns what was typed, or what was there if that is the same but for
// what a browser does to it: nobody's text changes by being looked at.
func retain(old, typed string, lines bool) string {
	browser := noLineEnds
	if lines {
		browser = lineEnds
	}
	if typed = lineEnds.Replace(typed); typed == browser.Replace(old) {
		return old
	}
	return typed
}

// text is an input for a text that is always there.
func text[T any](name, label string, of func(*T) *string) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindText},
		get:       func(row *T) string { return *of(row) },
		set:       func(row *T, typed string) *billing.Error { *of(row) = retain(*of(row), typed, false); return nil },
	}
}

// maybe is an input for a text that may be missing: empty means none.
func maybe[T any](name, label string, of func(*T) **string) input[T] {
	return maybeText(name, label, of, false)
}

func maybeText[T any](name, label string, of func(*T) **string, lines bool) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindText},
		get:       func(row *T) string { return ui.Deref(*of(row)) },
		set: func(row *T, typed string) *billing.Error {
			old := *of(row)
			*of(row) = nil
			switch typed = retain(ui.Deref(old), typed, lines); {
			case typed != "":
				*of(row) = &typed
			case old != nil && *old == "":
				*of(row) = old
			}
			return nil
		},
	}
}

// area is maybe with several lines.
func area[T any](name, label string, of func(*T) **string) input[T] {
	return maybeText(name, label, of, true).with(func(f *fieldView) { f.Kind, f.Rows, f.Wide = kindArea, 3, true })
}

// whole is an input for a whole number.
func whole[T any](name, label string, of func(*T) *int) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindNumber},
		get:       func(row *T) string { return strconv.Itoa(*of(row)) },
		set: func(row *T, typed string) *billing.Error {
			n, e := readWhole(name, typed)
			if e == nil {
				*of(row) = n
			}
			return e
		},
	}
}

// maybeWhole is whole for a number that may be missing.
func maybeWhole[T any](name, label string, of func(*T) **int) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindNumber},
		get: func(row *T) string {
			if *of(row) == nil {
				return ""
			}
			return strconv.Itoa(**of(row))
		},
		set: func(row *T, typed string) *billing.Error {
			*of(row) = nil
			if strings.TrimSpace(typed) == "" {
				return nil
			}
			n, e := readWhole(name, typed)
			if e == nil {
				*of(row) = &n
			}
			return e
		},
	}
}

func readWhole(name, typed string) (int, *billing.Error) {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return 0, billing.Fail(billing.Invalid, name, "Write a whole number, such as 12.")
	}
	return n, nil
}

// check is an input for yes or no.
func check[T any](name, label string, of func(*T) *bool) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindCheck},
		get: func(row *T) string {
			if *of(row) {
				return "on"
			}
			return ""
		},
		set: func(row *T, typed string) *billing.Error { *of(row) = typed != ""; return nil },
	}
}

// choice is an input for one of some values.
func choice[T any, V ~string](name, label string, of func(*T) *V, options ...option) input[T] {
	return input[T]{
		fieldView: fieldView{Name: name, Label: label, Kind: kindSelect, Options: options},
		get:       func(row *T) string { return string(*of(row)) },
		set:       func(row *T, typed string) *billing.Error { *of(row) = V(typed); return nil },
	}
}

// maybeChoice is choice for a value that may be missing; none says what that
// means.
func maybeChoice[T any, V ~string](name, label, none string, of func(*T) **V, options ...option) input[T] {
	in := choice(name, label, func(*T) *V { return nil }, append([]option{{"", none}}, options...)...)
	in.get = func(row *T) string {
		if *of(row) == nil {
			return ""
		}
		return string(**of(row))
	}
	in.set = func(row *T, typed string) *billing.Error {
		*of(row) = nil
		if typed != "" {
			value := V(typed)
			*of(row) = &value
		}
		return nil
	}
	return in
}

// refer is an input for one of the things with an id.
func refer[T any, K ~int64](name, label string, of func(*T) *K, options []option) input[T] {
	field := fieldView{Name: name, Label: label, Kind: kindSelect, Options: options}
	switch len(options) {
	case 0:
		field.Options = []option{{"", "There is no " + strings.ToLower(label) + " yet: create one first"}}
	case 1: // is the one that is meant
	default:
		field.Options = append([]option{{"", "Choose…"}}, options...)
	}
	return input[T]{
		fieldView: field,
		get:       func(row *T) string { return ui.IDText(*of(row)) },
		set: func(row *T, typed string) *billing.Error {
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

// maybeRefer is refer for what may be missing.
func maybeRefer[T any, K ~int64](name, label, none string, of func(*T) **K, options []option) input[T] {
	plain := refer(name, label, func(*T) *K { return nil }, nil)
	plain.Options = append([]option{{"", none}}, options...)
	plain.get = func(row *T) string {
		if *of(row) == nil {
			return ""
		}
		return ui.IDText(**of(row))
	}
	plain.set = func(row *T, typed string) *billing.Error {
		*of(row) = nil
		if typed == "" {
			return nil
		}
		id, err := strconv.ParseInt(typed, 10, 64)
		if err != nil {
			return billing.Fail(billing.Invalid, name, "Choose one from the list.")
		}
		key := K(id)
		*of(row) = &key
		return nil
	}
	return plain
}

// fixed shows something that the form cannot change.
func fixed[T any](label, value string) input[T] {
	return input[T]{fieldView: fieldView{Label: label, Kind: kindFixed, Value: value}}
}

// hand is an input whose value the operation takes from the form by itself: a
// secret, which is never shown.
func hand[T any](name, label, kind string) input[T] {
	return input[T]{fieldView: fieldView{Name: name, Label: label, Kind: kind}}
}
