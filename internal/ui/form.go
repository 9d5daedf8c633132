package ui

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
)

// Form is a form as it is shown. NewForm makes it from a description.
type Form struct {
	Action string
	Submit string
	Cancel Link
	// Version identifies what was saved when the form was opened, so that two
	// people do not overwrite each other's changes.
	Version  string
	Sections []FormSection
	// Problems are those that belong to no field.
	Problems []string
	// Names are the names of the fields in the form. Others are left alone, so that
	// a form that was opened before an upgrade does not empty what it did not know.
	Names  string
	Danger bool
}

// FormSection is a group of fields as it is shown.
type FormSection struct {
	Title, Help string
	Folded      bool
	Fields      []Field
}

// Kinds of fields.
const (
	FieldText     = "text"
	FieldEmail    = "email"
	FieldURL      = "url"
	FieldNumber   = "number"
	FieldDate     = "date"
	FieldPassword = "password"
	FieldArea     = "area"
	FieldProgram  = "program" // an area for code
	FieldPicture  = "picture" // a data URL, which the page makes from a file
	FieldCheck    = "check"
	FieldSelect   = "select"
	FieldChecks   = "checks" // any number of the options
	FieldFixed    = "fixed"  // shown and not sent
	FieldHidden   = "hidden" // sent and not shown
)

// Field is a field as it is shown.
type Field struct {
	Name, Label, Help, Kind string
	Value                   string
	Values                  []string // of FieldChecks
	Error                   string
	Required                bool
	Options                 []Option
	Placeholder             string
	Autocomplete            string
	Lookup                  string // where suggestions come from
	Suggest                 string // names of the fields from which the page derives a value
	Refresh                 string // where the form is loaded from again after another choice
	Usual                   string // the value that a preview need not repeat
	Wide                    bool
	Rows                    int
	Picture                 string // address of the one that is saved
}

// Option is a value to choose.
type Option struct{ Value, Text string }

// Picked reports whether a value is chosen.
func (f Field) Picked(value string) bool {
	return f.Value == value && f.Kind != FieldChecks || slices.Contains(f.Values, value)
}

// Input describes a field of a form that edits a T: how it is shown, and how its
// value is read from a T and written to it. An input without Set is for the
// operation to read from the form by itself.
type Input[T any] struct {
	Field
	Get func(*T) string
	Set func(*T, string) *billing.Error
	// GetMany and SetMany are Get and Set of FieldChecks.
	GetMany func(*T) []string
	SetMany func(*T, []string)
}

// Section describes a group of fields.
type Section[T any] struct {
	Title, Help string
	Folded      bool
	Inputs      []Input[T]
}

// NewForm is a form with the values of row.
func NewForm[T any](sections []Section[T], row *T) Form {
	var view Form
	var names []string
	for _, s := range sections {
		shown := FormSection{Title: s.Title, Help: s.Help, Folded: s.Folded}
		for _, in := range s.Inputs {
			field := in.Field
			switch {
			case in.GetMany != nil:
				field.Values = in.GetMany(row)
			case in.Get != nil:
				field.Value = in.Get(row)
			}
			if field.Kind != FieldFixed {
				names = append(names, field.Name)
			}
			shown.Fields = append(shown.Fields, field)
		}
		view.Sections = append(view.Sections, shown)
	}
	view.Names = strings.Join(names, " ")
	return view
}

// Apply writes what was typed to row and returns what is wrong with it.
func Apply[T any](sections []Section[T], typed url.Values, row *T) error {
	var problems billing.Problems
	for _, in := range sent(sections, typed) {
		switch {
		case in.SetMany != nil:
			in.SetMany(row, typed[in.Name])
		case in.Set != nil:
			if e := in.Set(row, typed.Get(in.Name)); e != nil {
				problems = append(problems, e)
			}
		}
	}
	return problems.Err()
}

// sent are the inputs whose fields the browser has sent.
func sent[T any](sections []Section[T], typed url.Values) (inputs []Input[T]) {
	names, told := strings.Fields(typed.Get("fields")), typed.Has("fields")
	for _, s := range sections {
		for _, in := range s.Inputs {
			if in.Field.Kind != FieldFixed && (told && slices.Contains(names, in.Name) || !told && typed.Has(in.Name)) {
				inputs = append(inputs, in)
			}
		}
	}
	return inputs
}

// Retype shows what was typed in place of what is saved. Passwords are never
// shown again.
func (f *Form) Retype(typed url.Values) {
	names := strings.Fields(typed.Get("fields"))
	for i := range f.Sections {
		for j := range f.Sections[i].Fields {
			field := &f.Sections[i].Fields[j]
			if field.Kind == FieldFixed || field.Kind == FieldPassword || !slices.Contains(names, field.Name) {
				continue
			}
			if field.Kind == FieldChecks {
				field.Values = typed[field.Name]
			} else {
				field.Value = typed.Get(field.Name)
			}
		}
	}
}

// AddProblems shows each problem beside its field, or above the form if it has
// none.
func (f *Form) AddProblems(problems billing.Problems) {
	for _, p := range problems {
		message := f.inLabels(p.Message)
		if field := f.field(strings.Join(p.Field, ".")); field != nil && field.Error == "" {
			field.Error = byLabel(message, field.Label)
		} else {
			f.Problems = append(f.Problems, message)
		}
	}
	for i := range f.Sections {
		if slices.ContainsFunc(f.Sections[i].Fields, func(v Field) bool { return v.Error != "" }) {
			f.Sections[i].Folded = false
		}
	}
}

// inLabels replaces the names of fields in the API, anywhere but at the beginning
// of a message, by their labels.
func (f *Form) inLabels(message string) string {
	return fieldWord.ReplaceAllStringFunc(message, func(name string) string {
		if field := f.field(name); field != nil && field.Name == name && !strings.HasPrefix(message, name) {
			return "“" + field.Label + "”"
		}
		return name
	})
}

var fieldWord = regexp.MustCompile(`\b[a-z][\w.]*[A-Z]\w*`)

// byLabel replaces the name of a field in the API, which a message begins with,
// by its label.
func byLabel(message, label string) string {
	name, rest, _ := strings.Cut(message, " ")
	if first, _ := utf8.DecodeRuneInString(name); label == "" || !unicode.IsLower(first) {
		return message
	}
	return label + " " + rest
}

// field finds the field that a problem is about: the one of that name, or the
// nearest one that contains it.
func (f *Form) field(name string) *Field {
	for name != "" {
		for i := range f.Sections {
			for j := range f.Sections[i].Fields {
				if f.Sections[i].Fields[j].Name == name {
					return &f.Sections[i].Fields[j]
				}
			}
		}
		dot := strings.LastIndex(name, ".")
		name = name[:max(dot, 0)]
	}
	return nil
}
