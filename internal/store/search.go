package store

import (
	"context"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A word of a filter may stand anywhere in a row's searchable text. The index
// knows all grams of each text: its pieces of shortGram to longGram bytes. A row
// that has all grams of a word probably has the word, and is then looked at.
// Short grams serve short words. Long ones are far rarer, so that the lists a
// word is looked up in stay short however many rows there are.
//
// What is in the index was made by search_grams, on PostgreSQL a function of
// the schema, on SQLite indexTerms: changing these sizes takes a migration.
const (
	shortGram = 3
	longGram  = 5
	// manyGrams of one word are looked up; more would find no fewer rows.
	manyGrams = 8
	// fewGrams are enough where a window leaves few rows anyway.
	fewGrams = 3
)

// grams are pieces of a folded word that a row must have, a few at the most,
// none if the word is too short to be looked up.
func grams(word string, most int) []string {
	size := min(len(word), longGram)
	if size < shortGram {
		return nil
	}
	last := len(word) - size
	n := min(last+1, most)
	pieces := make([]string, n)
	for i := range n { // spread evenly, from the first to the last
		at := i * last / max(n-1, 1)
		pieces[i] = word[at : at+size]
	}
	return pieces
}

// gramsOfAll are the pieces of several words.
func gramsOfAll(words []string, most int) (pieces []string) {
	for _, word := range words {
		pieces = append(pieces, grams(word, most)...)
	}
	return pieces
}

// termEncoding writes any bytes in letters and digits, which SQLite's search
// tables take for one term each.
var termEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// indexTerms is SQLite's search_grams: all grams of a searchable text, as terms
// with blanks between them.
func indexTerms(search string) string {
	terms := make([]byte, 0, len(search)*23)
	for size := shortGram; size <= longGram; size++ {
		for i := 0; i+size <= len(search); i++ {
			terms = termEncoding.AppendEncode(terms, []byte(search[i:i+size]))
			terms = append(terms, ' ')
		}
	}
	return string(terms)
}

// searchQuery is what SQLite's search tables are asked for.
func searchQuery(pieces []string) string {
	terms := make([]string, len(pieces))
	for i, piece := range pieces {
		terms[i] = termEncoding.EncodeToString([]byte(piece))
	}
	return strings.Join(terms, " AND ")
}

// gramArray is a PostgreSQL array of the pieces.
func gramArray(pieces []string) string {
	elements := make([]string, len(pieces))
	for i, piece := range pieces {
		elements[i] = `"\\x` + hex.EncodeToString([]byte(piece)) + `"`
	}
	return "{" + strings.Join(elements, ",") + "}"
}

// match keeps the rows whose searchable text contains every word, and notes
// those that an index knows.
func (t *Table[T, K]) match(s *selection, d dialect, words []string) {
	for _, word := range words {
		if t.matchWord != nil {
			t.matchWord(s, d, word)
			continue
		}
		s.where(d.position+"("+t.name+".search, CAST(%s AS TEXT)) > 0", word)
		if t.indexed && len(word) >= shortGram {
			s.words = append(s.words, word)
		}
	}
}

// lookUp has the words found by the index. Without it they are looked for in
// every row that the other conditions leave, which is better if these leave few.
func (t *Table[T, K]) lookUp(ctx context.Context, q Queries, s *selection) error {
	if len(s.words) == 0 {
		return nil
	}
	pieces := gramsOfAll(s.words, manyGrams)
	if !q.dialect.searchTables {
		s.where(t.hasGrams(), gramArray(pieces))
		return nil
	}
	if q.settle != nil {
		if err := q.settle(ctx); err != nil {
			return err
		}
	}
	// The search table answers in the order of ids, so a page is found
	// without reading all that match.
	s.from = fmt.Sprintf("%s_search CROSS JOIN %s ON %s.id = %s_search.rowid", t.name, t.name, t.name, t.name)
	s.key = t.name + "_search.rowid"
	s.where(t.name+"_search MATCH %s", searchQuery(pieces))
	return nil
}

// gramsColumn is what PostgreSQL has indexed, word for word.
func (t *Table[T, K]) gramsColumn() string {
	return fmt.Sprintf("search_grams(%s.id, %s.search)", t.name, t.name)
}

// hasGrams is PostgreSQL's condition that a row has the grams of an array. The
// subquery hides the array from the planner: see windowedPage.
func (t *Table[T, K]) hasGrams() string {
	return t.gramsColumn() + " @> (SELECT CAST(%s AS BYTEA[]))"
}

// windowBits are the windows of ids that search_grams puts a row in: one has
// two to the power of that many ids, twice.
var windowBits = []int{10, 13, 16}

// windowedPage is the beginning of a list that PostgreSQL finds by words. Its
// index has no order: it would fetch all rows that match and sort them, or read
// the table in the order of ids until the page is full. So a page is looked for
// in a small window of ids first, which is enough for a common word, then in
// larger ones, and in all the rest at last. PostgreSQL runs the parts of a
// UNION ALL one after another, and the later ones not at all when the earlier
// ones have filled the page.
//
// One plan serves all words, and PostgreSQL keeps it as long as nothing in the
// values lets it hope for a better one: hence "+ 0" and the subquery around the
// grams. That the grams and the window are conditions of their own matters: so
// the index stops as soon as one of them has come to its end.
func (t *Table[T, K]) windowedPage(s *selection, columns string, p Page, within bounds) string {
	w := forwards
	if p.Backwards {
		w = backwards
	}
	key := t.name + ".id + 0"
	s.whereWithin(key, within)
	first := &selection{args: s.args}
	first.whereWithin("id", within)
	s.args = first.args
	part := func(conditions ...string) string {
		all := append(slices.Clone(s.conditions), conditions...)
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY %s%s LIMIT %d)", columns, s.from, strings.Join(all, " AND "), key, w.order, p.Limit)
	}
	few := s.condition(t.hasGrams(), gramArray(gramsOfAll(s.words, fewGrams)))
	many := s.condition(t.hasGrams(), gramArray(gramsOfAll(s.words, manyGrams)))
	begin, parts := "true", []string{}
	for _, bits := range windowBits {
		number := fmt.Sprintf("((SELECT id FROM start) >> %d) + %d", bits, w.number)
		window := fmt.Sprintf("%s @> search_window(%d, %s)", t.gramsColumn(), bits, number)
		parts = append(parts, part(few, window, begin))
		begin = fmt.Sprintf(w.behind, key, number, bits)
	}
	parts = append(parts, part(many, begin))
	return fmt.Sprintf("WITH start AS MATERIALIZED (SELECT COALESCE(%s(id), 0) AS id FROM %s%s) SELECT * FROM (%s) AS page LIMIT %d",
		w.start, t.name, first.all(), strings.Join(parts, " UNION ALL "), p.Limit)
}

// way is the direction in which a list goes through windows. Window n ends
// before n times half its length, and begins two such halves earlier.
type way struct {
	start, order string
	number       int    // of the window that has the first id and most behind it
	behind       string // what lies behind that window
}

var (
	forwards  = way{"min", "", 2, "%s >= (%s) << %d"}
	backwards = way{"max", " DESC", 1, "%s < (%s - 2) << %d"}
)
