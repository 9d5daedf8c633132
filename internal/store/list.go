package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

// MaxNested bounds how many rows a nested list of one answer may have in all.
const MaxNested = 10_000

// Page is a part of a list: at most Limit rows with ids above After that match
// Filter, in the order of ids. Backwards it is those below After, or all if
// that is 0, the newest first.
type Page struct {
	Filter    billing.Filter
	After     int64
	Limit     int
	Backwards bool
	// Only names the columns to read, all if it is nil. The other fields of
	// the rows stay zero. The id is always read.
	Only []string
}

// List returns a page of the table.
func (t *Table[T, K]) List(ctx context.Context, q Queries, p Page) ([]T, error) {
	s, err := t.selection(ctx, q, p.Filter)
	if err != nil {
		return nil, err
	}
	columns, scan := t.Projection(p.Only)
	rows := []T{}
	err = s.Find(ctx, q, columns, search.Page{After: p.After, Limit: p.Limit, Backwards: p.Backwards}, func(q Queries, text string, args []any) error {
		rows, err = t.rows(ctx, q, text, args, min(p.Limit, 100), scan)
		return err
	})
	return rows, err
}

// all returns the rows of a table that stays small.
func (t *Table[T, K]) all(ctx context.Context, q Queries) ([]T, error) {
	columns, scan := t.Projection(nil)
	return t.rows(ctx, q, fmt.Sprintf("SELECT %s FROM %s ORDER BY id", columns, t.name), nil, 10, scan)
}

// Count returns how many rows match the filter.
func (t *Table[T, K]) Count(ctx context.Context, q Queries, filter billing.Filter) (int, error) {
	s, err := t.selection(ctx, q, filter)
	if err != nil {
		return 0, err
	}
	return s.Count(ctx, q)
}

// children returns the rows whose column has one of the values in a JSON list,
// in the order of ids, and refuses more than limit of them.
func (t *Table[T, K]) children(ctx context.Context, q Queries, column, list string, filter billing.Filter, limit int) ([]T, error) {
	s, err := t.selection(ctx, q, filter)
	if err != nil {
		return nil, err
	}
	s.WhereIn(t.name+"."+column, list)
	columns, scan := t.Projection(nil)
	// The limit is in the text, for PostgreSQL to see how far away it is when
	// it plans without looking at the values.
	text := fmt.Sprintf("%s LIMIT %d", s.Ordered(columns), limit+1)
	rows, err := t.rows(ctx, q, text, s.Args, min(limit, 10), scan)
	if err == nil && len(rows) > limit {
		return nil, billing.Fail(billing.TooMany, "", "The answer has more than %d %s in one nested list; ask for them with a list or connection of their own.", limit, t.name)
	}
	return rows, err
}

// ChildrenOf returns the rows of a table in which a field has one of those ids,
// in the order of ids. It refuses more than MaxNested.
func ChildrenOf[T any, K, P ~int64](ctx context.Context, q Queries, t *Table[T, K], field string, parents []P, filter billing.Filter) ([]T, error) {
	return t.children(ctx, q, columnOf(field), db.JSONList(parents), filter, MaxNested)
}

func (t *Table[T, K]) rows(ctx context.Context, q Queries, text string, args []any, expected int, scan func(*T) []any) ([]T, error) {
	// One row is scanned into again and again and then copied: its pointers
	// are made once.
	var row, empty T
	fields := scan(&row)
	into := direct(fields)
	spend := allowanceOf(ctx)
	result := make([]T, 0, expected)
	err := q.Each(ctx, text, args, func(rows scanner) error {
		row = empty
		if err := rows.Scan(into...); err != nil {
			return err
		}
		result = append(result, row)
		if spend == nil {
			return nil
		}
		return spend(textBytes(fields))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Projection returns the columns to read and where their values go.
func (t *Table[T, K]) Projection(only []string) (columns string, scan func(*T) []any) {
	var names []string
	var places []int
	for i, column := range t.columns {
		if i == 0 || only == nil || contains(only, column) {
			names = append(names, t.name+"."+column)
			places = append(places, i)
		}
	}
	columns = strings.Join(names, ", ")
	if len(places) == len(t.columns) {
		return columns, t.fields
	}
	return columns, func(row *T) []any {
		all := t.fields(row)
		some := make([]any, len(places))
		for i, place := range places {
			some[i] = all[place]
		}
		return some
	}
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
