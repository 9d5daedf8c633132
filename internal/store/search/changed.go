package search

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/store/db"
)

// fewRows are so few that they can be looked at one by one.
const fewRows = 1000

// fewChanged says whether few rows were last changed in the span.
func (s *Query) fewChanged(ctx context.Context, q db.Queries) (bool, error) {
	changed := &db.Select{}
	s.inHours(changed)
	n, err := q.Number(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM last_change%s LIMIT %d) AS changed", changed.Clause(), fewRows+1), changed.Args...)
	return n <= fewRows, err
}

// findChanged finds a page of rows that were last changed in a span. It takes some
// statements, which all see the same moment: a row that somebody changes meanwhile
// would move from a time that is yet to be looked at to one that was.
func (s *Query) findChanged(ctx context.Context, q db.Queries, columns string, p Page, within Bounds, read func(q db.Queries, text string, args []any) error) error {
	return q.AtOneMoment(ctx, func(ctx context.Context, q db.Queries) error {
		ids, err := s.changedIDs(ctx, q, p, within)
		if err != nil {
			return err
		}
		found := &db.Select{From: s.table, Key: s.table + ".id", Backwards: p.Backwards}
		found.WhereIn(found.Key, db.JSONList(ids))
		return read(q, found.Ordered(columns), found.Args)
	})
}

// changedIDs finds a page by when rows were last changed, unless what else the
// filter asks for leads to it sooner.
func (s *Query) changedIDs(ctx context.Context, q db.Queries, p Page, within Bounds) ([]int64, error) {
	if s.Narrowed || s.created != allTime || len(s.words) > 0 {
		few, err := s.fewChanged(ctx, q)
		if err != nil {
			return nil, err
		}
		if !few {
			ids, enough, err := s.amongOthers(ctx, q, p)
			if err != nil || enough {
				return ids, err
			}
		}
	}
	return s.changes().first(ctx, q, s.updated, s.Select, within, p.Limit, p.Backwards)
}

// amongOthers looks for a page among the first rows that are what else the filter
// asks for, and says whether that was enough.
func (s *Query) amongOthers(ctx context.Context, q db.Queries, p Page) (ids []int64, enough bool, err error) {
	others, err := s.others(ctx, q)
	if err != nil {
		return nil, false, err
	}
	limit, seen := p.Limit, 0
	p.Limit += fewRows
	columns := fmt.Sprintf("%s.id, %s.updated_at", s.table, s.table)
	err = others.Find(ctx, q, columns, p, func(q db.Queries, text string, args []any) error {
		return q.Each(ctx, text, args, func(rows db.Row) error {
			var id, at int64
			err := rows.Scan(&id, &at)
			if seen++; at >= s.updated.from && at < s.updated.to && len(ids) < limit {
				ids = append(ids, id)
			}
			return err
		})
	})
	return ids, len(ids) == limit || seen < p.Limit, err
}

// whereChanged has rows found by when they were last changed, if these are few.
func (s *Query) whereChanged(ctx context.Context, q db.Queries) error {
	if s.updated == allTime {
		return nil
	}
	few, err := s.fewChanged(ctx, q)
	if err != nil || !few {
		return err
	}
	changed := &db.Select{Args: s.Args}
	s.inHours(changed)
	s.Args = changed.Args
	s.Conditions = append(s.Conditions, fmt.Sprintf("%s.id IN (SELECT id FROM last_change%s)", s.table, changed.Clause()))
	return nil
}

// inHours keeps what was last changed in the hours of the span.
func (s *Query) inHours(of *db.Select) {
	of.Conditions = append(of.Conditions, s.changes().whole())
	of.Where("hour >= %s", s.updated.from/hour)
	of.Where("hour <= %s", (s.updated.to-1)/hour)
}
