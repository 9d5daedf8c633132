package ui

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// FormData is a page with one form.
type FormData struct {
	Title  string
	Crumbs []Link
	Form   Form
	// Theirs is where what somebody else saved meanwhile differs from what was
	// typed.
	Theirs []Difference
	// Note is shown above the form.
	Note string
}

// Difference is a field for which two people have entered different values.
type Difference struct{ Label, Mine, Theirs string }

// Resubmit shows what was typed into a form that could not be saved, and why. If
// the reason is that somebody else changed it meanwhile, it returns where what is
// saved now differs from what was typed.
func (f *Form) Resubmit(typed url.Values, problems billing.Problems) (theirs []Difference) {
	saved := *f
	saved.Sections = slices.Clone(f.Sections)
	for i := range saved.Sections {
		saved.Sections[i].Fields = slices.Clone(saved.Sections[i].Fields)
	}
	f.Retype(typed)
	if billing.Is(problems, billing.Conflict) {
		theirs = differences(saved, *f)
	} else {
		f.Version = typed.Get("version") // still to be compared with what is saved
	}
	f.AddProblems(problems)
	return theirs
}

// differences compares what is saved with what was typed.
func differences(saved, typed Form) (all []Difference) {
	for i, s := range saved.Sections {
		for j, theirs := range s.Fields {
			mine := typed.Sections[i].Fields[j]
			a, b := theirs.Words(), mine.Words()
			if theirs.Kind != FieldFixed && theirs.Kind != FieldPassword && a != b {
				all = append(all, Difference{theirs.Label, b, a})
			}
		}
	}
	return all
}

// Words is the value of a field as text.
func (f Field) Words() string {
	switch f.Kind {
	case FieldCheck:
		return map[bool]string{true: "yes", false: "no"}[f.Value != ""]
	case FieldChecks:
		return strings.Join(f.Values, " ")
	case FieldDate:
		if d, err := billing.ParseDate(f.Value); err == nil {
			return DayText(d)
		}
	case FieldSelect:
		for _, o := range f.Options {
			if o.Value == f.Value {
				return o.Text
			}
		}
	}
	return f.Value
}

// ChangedFields names the fields that saving a form has changed, as the end of a
// sentence.
func ChangedFields[T any](sections []Section[T], before, now *T) string {
	var labels []string
	for _, d := range differences(NewForm(sections, now), NewForm(sections, before)) {
		labels = append(labels, strings.ToLower(d.Label))
	}
	if labels == nil {
		return ""
	}
	return ": changed " + Enumerated(labels)
}
