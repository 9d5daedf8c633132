package search_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/store/search"
)

// TestPartsOfATime shows that hours are made up of few longer times, each once.
func TestPartsOfATime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		first := rapid.Int64Range(0, 1000).Draw(rt, "first")
		last := first + rapid.Int64Range(-2, 3000).Draw(rt, "hours")
		var hours []int64
		for length, numbers := range search.Parts(first, last) {
			if most := int(2 * (16 - 1)); length < 256 && len(numbers) > most {
				rt.Errorf("%d of %d hours, not more than %d are needed", len(numbers), length, most)
			}
			for _, n := range numbers {
				for i := range length {
					hours = append(hours, n*length+i)
				}
			}
		}
		slices.Sort(hours)
		var want []int64
		for h := first; h <= last; h++ {
			want = append(want, h)
		}
		if !slices.Equal(hours, want) {
			rt.Errorf("%d to %d is %v", first, last, hours)
		}
	})
}
