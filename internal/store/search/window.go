package search

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/store/db"
)

// pieceIndex is an index of PostgreSQL on the pieces of a table's searchable
// texts and on the windows of ids that its rows are in.
type pieceIndex struct {
	function string // of id and text, which makes what is in the index
	array    string // type of what it makes
	element  func(piece string) string
	window   string // array of the window with these bits and this number
}

// Pieces of one and two bytes are numbers in an index of their own, which makes
// a new row a quarter dearer. Beside the others they would nearly double its
// price: that index has so many different pieces that it can put off little work.
var (
	gramIndex = pieceIndex{"search_grams", "BYTEA[]", gramElement, "search_window(%d, %s)"}
	pairIndex = pieceIndex{"search_pairs", "BIGINT[]", pairElement, "ARRAY[(CAST(%d AS BIGINT) << 56) | (%s)]"}
)

// indexOf is the index to look words up in, which are all short or all long.
func indexOf(words []string) pieceIndex {
	if len(words[0]) < shortGram {
		return pairIndex
	}
	return gramIndex
}

func gramElement(piece string) string { return `"\\x` + hex.EncodeToString([]byte(piece)) + `"` }

// pairElement is one byte as it is, two with a bit before them.
func pairElement(piece string) string {
	number := int(piece[0])
	if len(piece) == 2 {
		number = (256|number)<<8 | int(piece[1])
	}
	return strconv.Itoa(number)
}

// arrayOf is a PostgreSQL array of the pieces.
func (i pieceIndex) arrayOf(pieces []string) string {
	elements := make([]string, len(pieces))
	for n, piece := range pieces {
		elements[n] = i.element(piece)
	}
	return "{" + strings.Join(elements, ",") + "}"
}

// column is what is indexed, word for word.
func (i pieceIndex) column(table string) string {
	return fmt.Sprintf("%s(%s.id, %s.search)", i.function, table, table)
}

// has is the condition that a row has the pieces of an array. The subquery hides
// the array from the planner: see windowedPage.
func (i pieceIndex) has(table string) string {
	return fmt.Sprintf("%s @> (SELECT CAST(%%s AS %s))", i.column(table), i.array)
}

// within is the condition that a row is in a window of ids.
func (i pieceIndex) within(table string, bits int, number string) string {
	return i.column(table) + " @> " + fmt.Sprintf(i.window, bits, number)
}

// windowBits are the windows of ids that an index of pieces puts a row in: one has
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
func (s *Query) windowedPage(columns string, p Page, within Bounds) string {
	w := forwards
	if p.Backwards {
		w = backwards
	}
	key := s.table + ".id + 0"
	within.Narrow(&s.Select, key)
	first := &db.Select{Args: s.Args}
	within.Narrow(first, "id")
	s.Args = first.Args
	part := func(conditions ...string) string {
		all := append(slices.Clone(s.Conditions), conditions...)
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY %s%s LIMIT %d)", columns, s.From, strings.Join(all, " AND "), key, w.order, p.Limit)
	}
	index := indexOf(s.words)
	few := s.Condition(index.has(s.table), index.arrayOf(gramsOfAll(s.words, fewGrams)))
	many := s.Condition(index.has(s.table), index.arrayOf(gramsOfAll(s.words, manyGrams)))
	begin, parts := "true", []string{}
	for _, bits := range windowBits {
		number := fmt.Sprintf("((SELECT id FROM start) >> %d) + %d", bits, w.number)
		parts = append(parts, part(few, index.within(s.table, bits, number), begin))
		begin = fmt.Sprintf(w.behind, key, number, bits)
	}
	parts = append(parts, part(many, begin))
	return fmt.Sprintf("WITH start AS MATERIALIZED (SELECT COALESCE(%s(id), 0) AS id FROM %s%s) SELECT * FROM (%s) AS page LIMIT %d",
		w.start, s.table, first.Clause(), strings.Join(parts, " UNION ALL "), p.Limit)
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
