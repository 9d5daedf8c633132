package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// order is the one in which people want to see the rows of a table, where that
// is not the order of ids.
type order struct {
	// by is the columns that decide, before the id. An index of the first table
	// of from has them, so that a page reads about a page.
	by []string
	// from is the tables to read, if that is not the table alone.
	from string
	// where joins them.
	where string
}

// SortKey says where a row stands in the order of its table: the values of the
// columns that decide, and its id.
type SortKey []int64

// SortedPage is a part of a list in the order of its table: at most Limit
// rows behind After that match Filter, or backwards those before it.
type SortedPage struct {
	Filter    billing.Filter
	After     SortKey // nil for the first rows, or the last ones
	Limit     int
	Backwards bool
}

// IsSorted reports whether the table has an order of its own.
func (t *Table[T, K]) IsSorted() bool { return t.order != nil }

// ListSorted returns a page of the table in its order, with the key of each
// row. After must be a key of the same table.
func (t *Table[T, K]) ListSorted(ctx context.Context, q Queries, p SortedPage) ([]T, []SortKey, error) {
	s, err := t.selection(ctx, q, p.Filter)
	if err != nil {
		return nil, nil, err
	}
	by := append(append([]string(nil), t.order.by...), s.Key)
	if t.order.from != "" {
		s.From = t.order.from
		s.Conditions = append(s.Conditions, t.order.where)
	}
	if len(p.After) > 0 && len(p.After) != len(by) {
		return nil, nil, billing.Fail(billing.Invalid, "after", "A key of this list has %d numbers, not %d.", len(by), len(p.After))
	}
	compare, direction := ">", ""
	if p.Backwards {
		compare, direction = "<", " DESC"
	}
	if len(p.After) > 0 {
		if t.order.from != "" { // which lets an index find where to begin
			s.Conditions = append(s.Conditions, beyond(&s.Select, t.order.by, p.After[:len(by)-1], compare+"="))
		}
		s.Conditions = append(s.Conditions, beyond(&s.Select, by, p.After, compare))
	}
	columns, _ := t.Projection(nil)
	text := fmt.Sprintf("SELECT %s, %s FROM %s%s ORDER BY %s", columns, strings.Join(t.order.by, ", "), s.From, s.Clause(), strings.Join(by, direction+", ")+direction)
	text += s.Limit(q.Dialect, p.Limit)
	return t.sortedRows(ctx, q, text, s.Args)
}

// beyond is a condition on several columns at once.
func beyond(s *db.Select, columns []string, values SortKey, compare string) string {
	placeholders := make([]string, len(values))
	for i, v := range values {
		s.Args = append(s.Args, v)
		placeholders[i] = fmt.Sprintf("$%d", len(s.Args)) // a cast would keep SQLite from using all columns of the index
	}
	return fmt.Sprintf("(%s) %s (%s)", strings.Join(columns, ", "), compare, strings.Join(placeholders, ", "))
}

func (t *Table[T, K]) sortedRows(ctx context.Context, q Queries, text string, args []any) (rows []T, keys []SortKey, err error) {
	err = q.Each(ctx, text, args, func(found scanner) error {
		var row T
		key := make(SortKey, len(t.order.by)+1)
		into := t.fields(&row)
		for i := range t.order.by {
			into = append(into, &key[i])
		}
		if err := found.Scan(into...); err != nil {
			return err
		}
		key[len(key)-1] = int64(t.ID(&row))
		rows, keys = append(rows, row), append(keys, key)
		return nil
	})
	return rows, keys, err
}
