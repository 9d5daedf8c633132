package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/store/db"
)

// part is some of the rows that a list may have: those in ranges of an index.
type part struct {
	ranges  Ranges
	numbers []int64
	// ids are the rows themselves, if there are no ranges.
	ids []int64
}

// Among tells the search that every row of the list is in one of these ranges, or
// in those of another call. Conditions of the rows are the caller's.
func (s *Query) Among(ranges Ranges, numbers []int64) {
	ranges.Table = s.table
	s.parts = append(s.parts, part{ranges: ranges, numbers: numbers})
}

// AmongEqual is Among for the rows whose column is equal to a placeholder of the
// conditions.
func (s *Query) AmongEqual(column, placeholder string) {
	s.Among(Ranges{From: "json_each(%s) AS one", Number: "one.value", Columns: []string{column}, Keys: []string{placeholder}}, []int64{1})
}

// AmongIDs is Among for rows whose ids are known.
func (s *Query) AmongIDs(ids []int64) { s.parts = append(s.parts, part{ids: ids}) }

// Counted adds a condition that follows from the others and leads Count to an index.
func (s *Query) Counted(condition string) { s.counted = append(s.counted, condition) }

// findAmong finds a page in the parts that the list was said to be in.
func (s *Query) findAmong(ctx context.Context, q db.Queries, columns string, p Page, within Bounds, read func(q db.Queries, text string, args []any) error) error {
	ids, err := s.amongFirst(ctx, q, p, within)
	if err != nil {
		return err
	}
	if len(ids) < p.Limit {
		ids = nil
		for _, part := range s.parts {
			found, err := s.findPart(ctx, q, part, p, within)
			if err != nil {
				return err
			}
			ids = append(ids, found...)
		}
		ids = InOrder(ids, p.Backwards)
	}
	found := &db.Select{From: s.table, Key: s.Key, Backwards: p.Backwards}
	found.WhereIn(found.Key, db.JSONList(ids[:min(len(ids), p.Limit)]))
	return read(q, found.Ordered(columns), found.Args)
}

// findPart returns the first ids of a part that are in the list.
func (s *Query) findPart(ctx context.Context, q db.Queries, of part, p Page, within Bounds) ([]int64, error) {
	if of.ids == nil {
		of.ranges.Rest = db.Select{Conditions: s.Conditions, Args: slices.Clip(s.Args)}
		return of.ranges.Merge(ctx, q, of.numbers, within, p.Limit, p.Backwards)
	}
	known := db.Select{From: s.table, Key: s.Key, Conditions: slices.Clip(s.Conditions), Args: slices.Clip(s.Args), Backwards: p.Backwards}
	known.WhereIn(known.Key, db.JSONList(of.ids))
	within.Narrow(&known, known.Key)
	return idsOf(ctx, q, known.Page(q.Dialect, known.Key, p.Limit), known.Args)
}

// idsOf reads the ids that a statement selects.
func idsOf(ctx context.Context, q db.Queries, text string, args []any) (ids []int64, err error) {
	err = q.Each(ctx, text, args, func(rows db.Row) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// amongFirst looks at the first rows of the table, if there are many ranges: what is
// in so many is often among these.
func (s *Query) amongFirst(ctx context.Context, q db.Queries, p Page, within Bounds) (ids []int64, err error) {
	if !slices.ContainsFunc(s.parts, func(p part) bool { return len(p.numbers) > MergedAtOnce }) {
		return nil, nil
	}
	first := db.Select{From: s.table, Key: s.Key, Args: slices.Clip(s.Args), Backwards: p.Backwards}
	within.Narrow(&first, first.Key)
	rest := db.Select{From: fmt.Sprintf("(%s LIMIT %d) AS %s", first.Ordered("*"), fewRows, s.table), Key: s.Key, Conditions: s.Conditions, Args: first.Args, Backwards: p.Backwards}
	text := rest.Page(q.Dialect, s.Key, p.Limit)
	return idsOf(ctx, q, text, rest.Args)
}
