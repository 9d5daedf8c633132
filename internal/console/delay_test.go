package console

import "testing"

// TestDelaysInWords counts the delays that repeat.
func TestDelaysInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seconds []int
		want    string
	}{
		{nil, ""},
		{[]int{5}, "5 s"},
		{[]int{5, 120, 3600}, "5 s, 2 min, 1 h"},
		{[]int{2, 2, 2, 5, 10, 60, 60}, "3 × 2 s, then 5 s, 10 s, 2 × 1 min"},
		{[]int{2, 2, 5, 5}, "2 × 2 s, then 2 × 5 s"},
	} {
		if got := delayWords(c.seconds); got != c.want {
			t.Errorf("%v is %q, want %q", c.seconds, got, c.want)
		}
	}
}
