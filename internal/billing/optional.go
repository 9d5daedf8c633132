package billing

import "strings"

// NameText, ShortText and LongText check the texts of fields.
func NameText(field, value string) *Error  { return RequireText(field, value, MaxName) }
func ShortText(field, value string) *Error { return CheckText(field, value, MaxShortText) }
func LongText(field, value string) *Error  { return CheckText(field, value, MaxDescription) }

// EmptyToNil turns an empty code into none: an empty text identifies nothing.
func EmptyToNil(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}

// blankToNil is EmptyToNil for texts of which nobody sees blanks.
func blankToNil(s *string) *string {
	if s != nil && strings.TrimSpace(*s) == "" {
		return nil
	}
	return s
}
