package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/store/db"
)

// Ranges are parts of one index in each of which the ids of a table are in
// order: the events of each of some tenants, say. Merge finds the first ids of
// them all. An engine that is told to would read all of every range and sort.
type Ranges struct {
	// From is where the numbers of a JSON list, for which it has a %s, become
	// ranges, and Number is the one that each has in it.
	From, Number string
	Table        string
	// Columns are equal to Keys in a range.
	Columns, Keys []string
	// Order has the same order as the ids, if the index does not end with them.
	Order string
	// Rest are further conditions of a row.
	Rest db.Select

	// joined is a table with further columns of a row, if it is not empty.
	joined string
}

// MergedAtOnce is how many ranges one statement reads a page of each from.
const MergedAtOnce = 50

// start is a range with the first id in it.
type start struct{ number, id int64 }

// Merge returns the first ids in the ranges with those numbers.
func (s *Ranges) Merge(ctx context.Context, q db.Queries, numbers []int64, within Bounds, limit int, backwards bool) ([]int64, error) {
	starts := make([]start, len(numbers))
	for i, n := range numbers {
		starts[i].number = n
	}
	if len(numbers) > MergedAtOnce {
		// As many as are wanted begin with something before all others do.
		var err error
		if starts, err = s.starts(ctx, q, numbers, within, limit, backwards); err != nil {
			return nil, err
		}
		if len(starts) == limit && backwards {
			within.Low = starts[limit-1].id - 1
		} else if len(starts) == limit {
			within.High = starts[limit-1].id + 1
		}
	}
	var ids []int64
	for len(starts) > 0 {
		n := min(len(starts), MergedAtOnce)
		found, err := s.firsts(ctx, q, starts[:n], within, limit, backwards)
		if err != nil {
			return nil, err
		}
		ids, starts = InOrder(append(ids, found...), backwards), starts[n:]
		if len(ids) < limit {
			continue
		}
		ids = ids[:limit]
		within = within.before(ids[limit-1], backwards)
		starts = slices.DeleteFunc(starts, func(b start) bool { return b.id <= within.Low || b.id >= within.High })
	}
	return ids, nil
}

// InOrder sorts ids, each of which is wanted once.
func InOrder(ids []int64, backwards bool) []int64 {
	slices.SortFunc(ids, func(a, b int64) int {
		if backwards {
			a, b = b, a
		}
		return cmp.Compare(a, b)
	})
	return slices.Compact(ids)
}

// starts returns the ranges that begin first, in that order.
func (s *Ranges) starts(ctx context.Context, q db.Queries, numbers []int64, within Bounds, limit int, backwards bool) (found []start, err error) {
	direction := ""
	if backwards {
		direction = " DESC"
	}
	args, placeholders := s.args(numbers, within, limit)
	text := fmt.Sprintf("SELECT %s, (%s LIMIT 1) AS first FROM %s ORDER BY first%s NULLS LAST LIMIT %s",
		s.Number, s.ids(q.Dialect, placeholders, backwards), fmt.Sprintf(s.From, placeholders.list), direction, placeholders.limit)
	err = q.Each(ctx, text, args, func(rows db.Row) error {
		var b start
		var id *int64
		err := rows.Scan(&b.number, &id)
		if id != nil {
			b.id = *id
			found = append(found, b)
		}
		return err
	})
	return found, err
}

// firsts returns the first ids of each of some ranges. The ids of one come
// as one text: SQLite knows no other way to limit each.
func (s *Ranges) firsts(ctx context.Context, q db.Queries, of []start, within Bounds, limit int, backwards bool) (ids []int64, err error) {
	numbers := make([]int64, len(of))
	for i := range of {
		numbers[i] = of[i].number
	}
	args, placeholders := s.args(numbers, within, limit)
	text := fmt.Sprintf("SELECT (SELECT string_agg(CAST(page.id AS TEXT), ',') FROM (%s LIMIT %s) AS page) FROM %s",
		s.ids(q.Dialect, placeholders, backwards), placeholders.limit, fmt.Sprintf(s.From, placeholders.list))
	err = q.Each(ctx, text, args, func(rows db.Row) error {
		var list *string
		if err := rows.Scan(&list); err != nil || list == nil {
			return err
		}
		more, err := numbersIn(*list)
		ids = append(ids, more...)
		return err
	})
	return ids, err
}

// Count returns how many ids there are in ranges.
func (s *Ranges) Count(ctx context.Context, q db.Queries, numbers []int64, within Bounds) (int, error) {
	args, placeholders := s.args(numbers, within)
	text := fmt.Sprintf("SELECT COALESCE(sum((SELECT count(*) FROM (%s) AS counted)), 0) FROM %s",
		s.ids(q.Dialect, placeholders, false), fmt.Sprintf(s.From, placeholders.list))
	return q.Number(ctx, text, args...)
}

// numbersIn reads numbers with commas between them.
func numbersIn(list string) (numbers []int64, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// mergePlaces say where the values are that are not conditions of rows.
type mergePlaces struct{ list, low, high, limit string }

func (s *Ranges) args(numbers []int64, within Bounds, limit ...any) ([]any, mergePlaces) {
	n := len(s.Rest.Args)
	args := slices.Concat(s.Rest.Args, []any{db.JSONList(numbers), within.Low, within.High}, limit)
	place := func(i int, kind string) string { return fmt.Sprintf("CAST($%d AS %s)", n+i, kind) }
	return args, mergePlaces{place(1, "TEXT"), place(2, "BIGINT"), place(3, "BIGINT"), place(4, "BIGINT")}
}

// ids is a SELECT of the ids in one range, in order.
//
// PostgreSQL compares the last column and the id as one row: so nothing but the
// index can give the order, and it need not guess. Were the other columns in that
// row, it would go on to where the first of them ends. SQLite does not know how to
// do that by an index with the table's key, and has no better idea anyway.
func (s *Ranges) ids(d *db.Dialect, placeholders mergePlaces, backwards bool) string {
	id := s.Table + ".id"
	var columns, conditions []string
	for i, column := range s.Columns {
		columns = append(columns, s.Table+"."+column)
		conditions = append(conditions, columns[i]+" = "+s.Keys[i])
	}
	order := []string{id}
	switch {
	case s.Order != "":
		conditions = append(conditions, Likely(fmt.Sprintf("%s > %s AND %s < %s", id, placeholders.low, id, placeholders.high)))
		order = []string{s.Table + "." + s.Order}
	case d.Name == "postgres":
		last := len(columns) - 1
		conditions[last] = fmt.Sprintf("(%s, %s) > (%s, %s)", columns[last], id, s.Keys[last], placeholders.low)
		conditions = append(conditions, fmt.Sprintf("(%s, %s) < (%s, %s)", columns[last], id, s.Keys[last], placeholders.high))
		order = append(columns, id)
	default:
		conditions = append(conditions, id+" > "+placeholders.low, id+" < "+placeholders.high)
	}
	from := s.Table
	if s.joined != "" {
		// SQLite takes this for an order, too: first the one, then the other.
		from += " CROSS JOIN " + s.joined
		conditions = append(conditions, s.joined+".id = "+id)
		// And PostgreSQL has no reason to begin with the other.
		for _, condition := range s.Rest.Conditions {
			conditions = append(conditions, Likely(condition))
		}
	} else {
		conditions = append(conditions, s.Rest.Conditions...)
	}
	direction := ""
	if backwards {
		direction = " DESC"
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s%s", id, from, strings.Join(conditions, " AND "),
		strings.Join(order, direction+", "), direction)
}

// Likely is a condition that PostgreSQL takes for true of nearly all rows. It
// then expects the first row of a range to be the first it meets, instead of
// reading them all and sorting them.
func Likely(condition string) string { return "CASE WHEN " + condition + " THEN 1 END IS NOT NULL" }
