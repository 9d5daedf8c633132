package search

// What the tests in package search_test need of the inside.

// Grams are the pieces that a word is looked up by.
func Grams(word string) []string { return grams(word, manyGrams) }

// IndexTerms is what SQLite's index has of a searchable text.
func IndexTerms(text string) string { return indexTerms(text) }

// SearchQuery is what SQLite's index is asked for.
func SearchQuery(pieces ...string) string { return searchQuery(pieces) }

// Parts are the times that make up the hours from first to last, by length.
func Parts(first, last int64) map[int64][]int64 { return parts(first, last) }
