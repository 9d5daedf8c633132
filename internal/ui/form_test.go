package ui

import (
	"testing"
)

// TestProblemsNameTheLabel: nobody in the console knows currencyId.
func TestProblemsNameTheLabel(t *testing.T) {
	for message, want := range map[string]string{
		"currencyId must not be empty.": "Currency must not be empty.", "The code is taken.": "The code is taken.", "\"x\" is not a code.": "\"x\" is not a code.",
	} {
		if got := byLabel(message, "Currency"); got != want {
			t.Errorf("%s is told as %q, want %q", message, got, want)
		}
	}
}
