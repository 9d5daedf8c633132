package console

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// formView is a form as it is shown.
type formView struct {
	Action string
	Submit string
	Cancel ui.Link
	// Version is what the thing was when the form was opened; see resource.
	Version  string
	Sections []sectionView
	// Problems are not about one of the fields.
	Problems []string
	// Names are the fields the form has. Those it has not are left alone, so
	// that a form from before an upgrade does not empty what it did not know.
	Names  string
	Danger bool
}

type sectionView struct {
	Title, Help string
	Folded      bool
	Fields      []fieldView
}

// Kinds of fields.
const (
	kindText     = "text"
	kindEmail    = "email"
	kindURL      = "url"
	kindNumber   = "number"
	kindDate     = "date"
	kindPassword = "password"
	kindArea     = "area"
	kindProgram  = "program" // an area for code
	kindCheck    = "check"
	kindSelect   = "select"
	kindChecks   = "checks" // several of some
	kindFixed    = "fixed"  // shown, not to be changed
	kindHidden   = "hidden" // sent along
)

type fieldView struct {
	Name, Label, Help, Kind string
	Value                   string
	Values                  []string // of several
	Error                   string
	Required                bool
	Options                 []option
	Placeholder             string
	Autocomplete            string
	Lookup                  string // where suggestions come from
	Suggest                 string // the fields that this one is made up from
	Refresh                 string // where the form comes from for another choice here, on which it depends
	Wide                    bool
	Rows                    int
}

type option struct{ Value, Text string }

// Picked reports whether an option is the field's value, or one of several.
func (f fieldView) Picked(value string) bool {
	return f.Value == value && f.Kind != kindChecks || slices.Contains(f.Values, value)
}

// input is a field of a form about a T: how it is shown, what it shows, and how
// what was typed gets into the T.
type input[T any] struct {
	fieldView
	get func(*T) string
	set func(*T, string) *billing.Error
	// many is get and set for several values at once.
	getMany func(*T) []string
	setMany func(*T, []string)
}

// section is some inputs under a title.
type section[T any] struct {
	title, help string
	folded      bool
	inputs      []input[T]
}

// viewOf shows a T in a form.
func viewOf[T any](sections []section[T], row *T) formView {
	var view formView
	var names []string
	for _, s := range sections {
		shown := sectionView{Title: s.title, Help: s.help, Folded: s.folded}
		for _, in := range s.inputs {
			field := in.fieldView
			switch {
			case in.getMany != nil:
				field.Values = in.getMany(row)
			case in.get != nil:
				field.Value = in.get(row)
			}
			if field.Kind != kindFixed {
				names = append(names, field.Name)
			}
			shown.Fields = append(shown.Fields, field)
		}
		view.Sections = append(view.Sections, shown)
	}
	view.Names = strings.Join(names, " ")
	return view
}

// apply puts what was typed into a T and returns what is wrong with it.
func apply[T any](sections []section[T], typed url.Values, row *T) error {
	var problems billing.Problems
	for _, in := range has(sections, typed) {
		switch {
		case in.setMany != nil:
			in.setMany(row, typed[in.Name])
		case in.set != nil:
			if e := in.set(row, typed.Get(in.Name)); e != nil {
				problems = append(problems, e)
			}
		}
	}
	return problems.Err()
}

// has are the inputs that the form that was sent has.
func has[T any](sections []section[T], typed url.Values) (inputs []input[T]) {
	names, told := strings.Fields(typed.Get("fields")), typed.Has("fields")
	for _, s := range sections {
		for _, in := range s.inputs {
			if in.Kind != kindFixed && (told && slices.Contains(names, in.Name) || !told && typed.Has(in.Name)) {
				inputs = append(inputs, in)
			}
		}
	}
	return inputs
}

// retype shows what was typed, as it was typed, in place of what is saved.
func (f *formView) retype(typed url.Values) {
	names := strings.Fields(typed.Get("fields"))
	for i := range f.Sections {
		for j := range f.Sections[i].Fields {
			field := &f.Sections[i].Fields[j]
			if field.Kind == kindFixed || field.Kind == kindPassword || !slices.Contains(names, field.Name) {
				continue
			}
			if field.Kind == kindChecks {
				field.Values = typed[field.Name]
			} else {
				field.Value = typed.Get(field.Name)
			}
		}
	}
}

// complain puts each problem beside its field, or above the form if it has
// none.
func (f *formView) complain(problems billing.Problems) {
	for _, p := range problems {
		message := f.inLabels(p.Message)
		if field := f.field(strings.Join(p.Field, ".")); field != nil && field.Error == "" {
			field.Error = byLabel(message, field.Label)
		} else {
			f.Problems = append(f.Problems, message)
		}
	}
	for i := range f.Sections {
		if slices.ContainsFunc(f.Sections[i].Fields, func(v fieldView) bool { return v.Error != "" }) {
			f.Sections[i].Folded = false
		}
	}
}

// inLabels names the fields of the form by their labels, where a message has the
// names that programs know them by.
func (f *formView) inLabels(message string) string {
	return fieldWord.ReplaceAllStringFunc(message, func(name string) string {
		if field := f.field(name); field != nil && field.Name == name && !strings.HasPrefix(message, name) {
			return "“" + field.Label + "”"
		}
		return name
	})
}

var fieldWord = regexp.MustCompile(`\b[a-z][\w.]*[A-Z]\w*`)

// byLabel says what is wrong with a field by its label, where the message begins
// with the name that programs know it by.
func byLabel(message, label string) string {
	name, rest, _ := strings.Cut(message, " ")
	if first, _ := utf8.DecodeRuneInString(name); label == "" || !unicode.IsLower(first) {
		return message
	}
	return label + " " + rest
}

// field finds the field that a problem is about: that of its name, or the one
// that holds it.
func (f *formView) field(name string) *fieldView {
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
