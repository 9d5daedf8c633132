package billing

import "strings"

func nameText(field, value string) *Error  { return requireText(field, value, MaxName) }
func shortText(field, value string) *Error { return checkText(field, value, MaxShortText) }
func longText(field, value string) *Error  { return checkText(field, value, MaxDescription) }

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
