package console

import (
	"testing"
)

// TestPlansAreNamedOnce: many a price list has the plan in its own name.
func TestPlansAreNamedOnce(t *testing.T) {
	for list, want := range map[string]string{"Monthly": "Team: Monthly", "Team, monthly": "Team, monthly", "team (yearly)": "team (yearly)"} {
		if got := planAndList("Team", list); got != want {
			t.Errorf("%s is %q, want %q", list, got, want)
		}
	}
}
