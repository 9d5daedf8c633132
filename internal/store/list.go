package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
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
	within, err := t.bound(ctx, q, s)
	if err != nil || within.empty() || p.Limit < 1 {
		return []T{}, err
	}
	within = within.beyond(p)
	if s.updated != allTime {
		return t.changedPage(ctx, q, s, p, within)
	}
	columns, scan := t.projection(p.Only)
	if len(s.words) > 0 && !q.Dialect.SearchTables {
		text := t.windowedPage(s, columns, p, within)
		return t.rows(ctx, q, text, s.args, min(p.Limit, 100), scan)
	}
	if err := t.lookUp(ctx, q, s); err != nil {
		return nil, err
	}
	s.backwards = p.Backwards
	s.whereWithin(s.key, within)
	text := s.page(q.Dialect, columns, p.Limit)
	return t.rows(ctx, q, text, s.args, min(p.Limit, 100), scan)
}

// Count returns how many rows match the filter.
func (t *Table[T, K]) Count(ctx context.Context, q Queries, filter billing.Filter) (int, error) {
	s, err := t.selection(ctx, q, filter)
	if err != nil {
		return 0, err
	}
	within, err := t.bound(ctx, q, s)
	if err != nil || within.empty() {
		return 0, err
	}
	if err := t.lookUp(ctx, q, s); err != nil {
		return 0, err
	}
	s.whereWithin(s.key, within)
	if err := t.whereChanged(ctx, q, s); err != nil {
		return 0, err
	}
	var n int
	_, err = q.One(ctx, "SELECT count(*) FROM "+s.from+s.all(), s.args, &n)
	return n, err
}

// children returns the rows whose column has one of the values in a JSON list,
// in the order of ids, and refuses more than limit of them.
func (t *Table[T, K]) children(ctx context.Context, q Queries, column, list string, filter billing.Filter, limit int) ([]T, error) {
	s, err := t.selection(ctx, q, filter)
	if err != nil {
		return nil, err
	}
	s.whereIn(t.name+"."+column, list)
	columns, scan := t.projection(nil)
	// The limit is in the text, for PostgreSQL to see how far away it is when
	// it plans without looking at the values.
	text := fmt.Sprintf("%s LIMIT %d", s.ordered(columns), limit+1)
	rows, err := t.rows(ctx, q, text, s.args, min(limit, 10), scan)
	if err == nil && len(rows) > limit {
		return nil, billing.Fail(billing.TooMany, "", "The answer has more than %d %s in one nested list; ask for them with a list or connection of their own.", limit, t.name)
	}
	return rows, err
}

func (t *Table[T, K]) rows(ctx context.Context, q Queries, text string, args []any, expected int, scan func(*T) []any) ([]T, error) {
	// One row is scanned into again and again and then copied: its pointers
	// are made once.
	var row, empty T
	into := scan(&row)
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
		return spend(textBytes(into))
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// projection returns the columns to read and where their values go.
func (t *Table[T, K]) projection(only []string) (columns string, scan func(*T) []any) {
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

// selection is a SELECT in the making.
type selection struct {
	from       string
	key        string // the id, as the index in use delivers it
	conditions []string
	args       []any
	words      []string // that an index knows, see lookUp
	narrowed   bool     // by more than words and times
	backwards  bool
	// created and updated are times that an index knows.
	created, updated span
}

// where adds a condition; %s in it stands for the value.
func (s *selection) where(condition string, value any) {
	s.conditions = append(s.conditions, s.condition(condition, value))
}

// condition keeps the value and returns the condition about it.
func (s *selection) condition(condition string, value any) string {
	s.args = append(s.args, value)
	return fmt.Sprintf(condition, fmt.Sprintf("$%d", len(s.args)))
}

// whereIn keeps the rows whose column has one of the values in a JSON list.
func (s *selection) whereIn(column, list string) {
	s.where(column+" IN (SELECT value FROM json_each(CAST(%s AS TEXT)))", list)
}

// whereWithin keeps the rows with ids within bounds.
func (s *selection) whereWithin(key string, within bounds) {
	if within.low > anyID.low {
		s.where(key+" > %s", within.low)
	}
	if within.high < anyID.high {
		s.where(key+" < %s", within.high)
	}
}

// all is the WHERE of the SELECT.
func (s *selection) all() string {
	if len(s.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(s.conditions, " AND ")
}

// ordered is the whole list, in the order of ids.
func (s *selection) ordered(columns string) string {
	order := s.key
	if s.backwards {
		order += " DESC"
	}
	return fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s", columns, s.from, s.all(), order)
}

// page is the beginning of the list.
func (s *selection) page(d *db.Dialect, columns string, limit int) string {
	return s.ordered(columns) + s.limit(d, limit)
}

// limit ends a list. PostgreSQL plans anew at every use as long as the limit is
// a parameter, of which it expects the worst. For a list that is narrowed that
// is right, because the best way depends on the values; others have the limit in
// their text and keep one plan.
func (s *selection) limit(d *db.Dialect, limit int) string {
	if d.Name == "postgres" && !s.narrowed {
		return fmt.Sprintf(" LIMIT %d", limit)
	}
	s.args = append(s.args, limit)
	// Without the cast SQLite compiles the statement anew at every use, because
	// a plan could depend on the value.
	return fmt.Sprintf(" LIMIT CAST($%d AS BIGINT)", len(s.args))
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
