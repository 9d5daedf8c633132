package ui

import "testing"

// TestEnded gives a sentence one full stop, whatever the name at its end has.
func TestEnded(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"Recorded a payment of Acme Inc":     "Recorded a payment of Acme Inc.",
		"Recorded a payment of Miller & Co.": "Recorded a payment of Miller & Co.",
	} {
		if got := Ended(sentence); got != want {
			t.Errorf("%q: %q", sentence, got)
		}
	}
}
