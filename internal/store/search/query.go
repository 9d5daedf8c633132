package search

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/store/db"
)

// Query is a list in the making, in the order of ids. What is not said by its
// methods is said by conditions of the SELECT.
type Query struct {
	db.Select
	table   string
	indexed bool
	words   []string // that the index is asked for
	// created and updated are times that an index knows.
	created, updated span
	// others is this list without what is said by Updated.
	others func(context.Context, db.Queries) (*Query, error)
	// parts hold all rows, if there are any, and counted are further conditions
	// of Count.
	parts   []part
	counted []string
}

// New is the list of all rows of a table. indexed says that the schema has the
// table's words and times indexed, as the package describes.
func New(table string, indexed bool) *Query {
	return &Query{Select: db.Select{From: table, Key: table + ".id"}, table: table, indexed: indexed, created: allTime, updated: allTime}
}

// Page is a part of a list: at most Limit rows with ids above After. Backwards it
// is those below After, or all if that is 0, the newest first.
type Page struct {
	After     int64
	Limit     int
	Backwards bool
}

// Words keeps the rows whose searchable text contains every word. The index is
// asked for the long ones, which are rarer, or for the short ones if there is no
// other.
func (s *Query) Words(d *db.Dialect, words []string) {
	var short, long []string
	for _, word := range words {
		s.Where(d.Position+"("+s.table+".search, CAST(%s AS TEXT)) > 0", word)
		switch {
		case len(word) >= shortGram:
			long = append(long, word)
		case word != "":
			short = append(short, word)
		}
	}
	if !s.indexed {
		return
	}
	if s.words = long; len(long) == 0 {
		s.words = short
	}
}

// Begins tells the index, beside Words, that the searchable text begins with a
// word. Long words need no such help.
func (s *Query) Begins(word string) {
	if word != "" && len(s.words) > 0 && len(s.words[0]) < shortGram {
		s.words = append(s.words, beginning(word))
	}
}

// Created tells the index that rows were created from a time on and before
// another; a zero time is no bound. The condition itself is the caller's.
func (s *Query) Created(from, to time.Time) { s.created.narrow(from, to) }

// Updated is Created for when rows were last changed. others is the same list
// without that.
func (s *Query) Updated(from, to time.Time, others func(context.Context, db.Queries) (*Query, error)) {
	s.updated.narrow(from, to)
	s.others = others
}

// Find calls read with the SELECT of a page, and with the queries to run it on.
// It is not called if the page is empty. The query is of no use afterwards.
func (s *Query) Find(ctx context.Context, q db.Queries, columns string, p Page, read func(q db.Queries, text string, args []any) error) error {
	within, err := s.bound(ctx, q)
	if err != nil || within.empty() || p.Limit < 1 {
		return err
	}
	within = within.Beyond(p)
	if len(s.parts) > 0 {
		return s.findAmong(ctx, q, columns, p, within, read)
	}
	if s.updated != allTime {
		return s.findChanged(ctx, q, columns, p, within, read)
	}
	if len(s.words) > 0 && !q.Dialect.SearchTables {
		text := s.windowedPage(columns, p, within)
		return read(q, text, s.Args)
	}
	if err := s.lookUp(ctx, q); err != nil {
		return err
	}
	s.Backwards = p.Backwards
	within.Narrow(&s.Select, s.Key)
	text := s.Page(q.Dialect, columns, p.Limit)
	return read(q, text, s.Args)
}

// Count returns how many rows there are. The query is of no use afterwards.
func (s *Query) Count(ctx context.Context, q db.Queries) (int, error) {
	within, err := s.bound(ctx, q)
	if err != nil || within.empty() {
		return 0, err
	}
	if err := s.lookUp(ctx, q); err != nil {
		return 0, err
	}
	s.Conditions = append(s.Conditions, s.counted...)
	within.Narrow(&s.Select, s.Key)
	if err := s.whereChanged(ctx, q); err != nil {
		return 0, err
	}
	return q.Number(ctx, "SELECT count(*) FROM "+s.From+s.Clause(), s.Args...)
}
