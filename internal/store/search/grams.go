package search

import (
	"context"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/store/db"
)

// A word of a filter may stand anywhere in a row's searchable text. The index
// knows all grams of each text: its pieces of one to longGram bytes. A row that
// has all grams of a word probably has the word, and is then looked at. Short
// grams serve short words. Long ones are far rarer, so that the lists a word is
// looked up in stay short however many rows there are.
//
// PostgreSQL keeps grams below shortGram, which are in nearly every row, in an
// index of their own: see pieceIndex.
//
// What is in an index was made by search_grams and search_pairs, on PostgreSQL
// functions of the schema, on SQLite indexTerms: changing these sizes takes a
// migration.
const (
	shortGram = 3
	longGram  = 5
	// manyGrams of one word are looked up; more would find no fewer rows.
	manyGrams = 8
	// fewGrams are enough where a window leaves few rows anyway.
	fewGrams = 3
)

// grams are pieces of a folded word that a row must have, a few at the most.
func grams(word string, most int) []string {
	if word == "" {
		return nil
	}
	size := min(len(word), longGram)
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

// beginning is the piece that says what a text begins with, as if a byte 0 stood
// before it, which no text has.
func beginning(text string) string { return "\x00" + text[:1] }

// termEncoding writes any bytes in letters and digits, which SQLite's search
// tables take for one term each.
var termEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// indexTerms is SQLite's search_grams and search_pairs: all grams of a
// searchable text and its beginning, as terms with blanks between them. To leave
// out those that are in a text again takes as long as it saves.
func indexTerms(search string) string {
	terms := make([]byte, 0, 5+len(search)*31)
	if search != "" {
		terms = append(termEncoding.AppendEncode(terms, []byte(beginning(search))), ' ')
	}
	for size := 1; size <= longGram; size++ {
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

// lookUp has the words found by the index. Without it they are looked for in
// every row that the other conditions leave, which is better if these leave few.
func (s *Query) lookUp(ctx context.Context, q db.Queries) error {
	if len(s.words) == 0 {
		return nil
	}
	pieces := gramsOfAll(s.words, manyGrams)
	if !q.Dialect.SearchTables {
		index := indexOf(s.words)
		s.Where(index.has(s.table), index.arrayOf(pieces))
		return nil
	}
	if err := q.Settle(ctx); err != nil {
		return err
	}
	if s.Narrowed && len(s.words[0]) < shortGram {
		if many, err := s.manyHave(ctx, q, pieces); many || err != nil {
			return err
		}
	}
	// The search table answers in the order of ids, so a page is found
	// without reading all that match.
	s.From = fmt.Sprintf("%s_search CROSS JOIN %s ON %s.id = %s_search.rowid", s.table, s.table, s.table, s.table)
	s.Key = s.table + "_search.rowid"
	s.Where(s.table+"_search MATCH %s", searchQuery(pieces))
	return nil
}

// commonFrom is how many rows a short word is in that is not looked up beside
// something else.
const commonFrom = 5000

// manyHave says whether SQLite's search table has many rows with the pieces. So
// have nearly all short words, and then what else a filter asks for, such as
// an account, leads to a page sooner.
func (s *Query) manyHave(ctx context.Context, q db.Queries, pieces []string) (bool, error) {
	text := fmt.Sprintf("SELECT count(*) FROM (SELECT rowid FROM %s_search WHERE %s_search MATCH $1 LIMIT %d)", s.table, s.table, commonFrom)
	var n int
	_, err := q.One(ctx, text, []any{searchQuery(pieces)}, &n)
	return n == commonFrom, err
}
