package billing

import "strings"

// optional checks a value that may be left out.
func optional(field string, value *string, check func(field, value string) *Error) *Error {
	if value == nil {
		return nil
	}
	return check(field, *value)
}

func shortText(field, value string) *Error { return checkText(field, value, MaxShortText) }
func longText(field, value string) *Error  { return checkText(field, value, MaxDescription) }

// named is an optional text with the name of its field.
type named struct {
	field string
	text  *string
}

func shortTexts(texts ...named) []*Error {
	var problems []*Error
	for _, t := range texts {
		if e := optional(t.field, t.text, shortText); e != nil {
			problems = append(problems, e)
		}
	}
	return problems
}

// emptyToNil turns an empty code into none: an empty text identifies nothing.
func emptyToNil(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}

// blankToNil is emptyToNil for texts of which nobody sees blanks.
func blankToNil(s *string) *string {
	if s != nil && strings.TrimSpace(*s) == "" {
		return nil
	}
	return s
}
