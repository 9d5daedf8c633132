package billing

import "strings"

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
