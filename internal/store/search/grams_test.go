package search_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/search"
)

func TestGrams(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"": "", "a": "a", "ab": "ab", "é": "é", "abc": "abc", "abcd": "abcd", "abcde": "abcde", "abcdef": "abcde bcdef",
		"éa":           "éa", // bytes count, not letters
		"abcdefghijkl": "abcde bcdef cdefg defgh efghi fghij ghijk hijkl",
		// Of a long word eight are enough, the first and the last among them.
		"abcdefghijklmnopqrst": "abcde cdefg efghi ghijk ijklm klmno mnopq pqrst",
	} {
		if have := strings.Join(search.Grams(word), " "); have != want {
			t.Errorf("the grams of %q are %q, not %q", word, have, want)
		}
	}
}

// TestGramsOfAPart draws a text and a part of it: all that is looked up for the
// part must be in the index of the text, or the row is not found.
func TestGramsOfAPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		letters := []rune(billing.Fold(rapid.String().Draw(rt, "text")))
		from := rapid.IntRange(0, len(letters)).Draw(rt, "from")
		to := rapid.IntRange(from, len(letters)).Draw(rt, "to")
		word := string(letters[from:to])
		indexed := strings.Fields(search.IndexTerms(string(letters)))
		pieces := search.Grams(word)
		if (word == "") != (len(pieces) == 0) {
			rt.Fatalf("%+q is looked up by %+q", word, pieces)
		}
		for _, piece := range pieces {
			if !slices.Contains(indexed, search.SearchQuery(piece)) {
				rt.Fatalf("%+q of %+q is not in the index of %+q", piece, word, string(letters))
			}
		}
	})
}
