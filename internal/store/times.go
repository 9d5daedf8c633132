package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// A list is in the order of ids, and what a filter by time keeps may be anywhere
// in it. So indexes have the rows hour by hour, each hour's in the order of ids:
// stretches to be merged. For them to be few, other indexes have them by longer
// times too.
const hour = 3_600_000 // milliseconds

// lengths are those times, in hours. Changing them takes a migration.
var lengths = []int64{256, 16, 1}

// span is a time in milliseconds: from one on, and before another. No row is from
// before 1970.
type span struct{ from, to int64 }

var allTime = span{0, math.MaxInt64}

// narrow keeps the part of the span that a filter means.
func (s *span) narrow(term billing.Term) error {
	from, to, err := momentRange(term)
	if err != nil {
		return err
	}
	if !from.IsZero() {
		s.from = max(s.from, from.UnixMilli())
	}
	if !to.IsZero() {
		s.to = min(s.to, to.UnixMilli())
	}
	return nil
}

// parts are the times of each length that make up the hours from first to last:
// the longest that there can be.
func parts(first, last int64) map[int64][]int64 {
	found := map[int64][]int64{}
	for at := first; at <= last; {
		for _, length := range lengths {
			if at%length == 0 && at+length-1 <= last {
				found[length] = append(found[length], at/length)
				at += length
				break
			}
		}
	}
	return found
}

// timeline is where rows stand in the order of time.
type timeline struct {
	table string
	hour  string // the column that indexes have by lengths, with the ids behind
	unit  int64  // how much in it is an hour
	// of is the table with the rows themselves, and the list of them, if the
	// times are in one of their own.
	of string
}

// created is when the rows were created, which never changes.
func (t *Table[T, K]) created() timeline {
	return timeline{table: t.name, hour: "created_at", unit: hour}
}

// updated is when they were last changed, which triggers write down.
func (t *Table[T, K]) updated() timeline {
	return timeline{table: "last_change", hour: "hour", unit: 1, of: t.name}
}

// column is what an index by a length has, word for word.
func (l timeline) column(length int64) string {
	if l.unit*length == 1 {
		return l.hour
	}
	return fmt.Sprintf("%s / %d", l.hour, l.unit*length)
}

// stretches are the rows of each time of a length.
func (l timeline) stretches(length int64, rest selection) *stretches {
	s := &stretches{
		from: "json_each(%s) AS span", number: "span.value", table: l.table,
		columns: []string{l.column(length)}, keys: []string{"span.value"}, rest: rest,
	}
	if l.of != "" {
		s.joined = l.of
		s.columns, s.keys = []string{"list", s.columns[0]}, []string{"'" + l.of + "'", s.keys[0]}
	}
	return s
}

// whole is the condition that a row of the table is one of these.
func (l timeline) whole() string {
	if l.of == "" {
		return "true"
	}
	return "list = '" + l.of + "'"
}

// hours are the first and the last one of a span in which there are rows, or
// may have been: the first is later than the last if there are none.
func (l timeline) hours(ctx context.Context, q Queries, s span) (first, last int64, err error) {
	end := func(direction string) string {
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY %s%s LIMIT 1)", l.column(1), l.table, l.whole(), l.column(1), direction)
	}
	if _, err = q.One(ctx, fmt.Sprintf("SELECT COALESCE(%s, 0), COALESCE(%s, -1)", end(""), end(" DESC")), nil, &first, &last); err != nil {
		return 0, 0, err
	}
	return max(first, s.from/hour), min(last, (s.to-1)/hour), nil
}

// first returns the first ids in a span.
func (l timeline) first(ctx context.Context, q Queries, s span, rest selection, within bounds, limit int, backwards bool) (ids []int64, err error) {
	first, last, err := l.hours(ctx, q, s)
	if err != nil {
		return nil, err
	}
	of := parts(first, last)
	for _, length := range lengths {
		if len(of[length]) == 0 {
			continue
		}
		found, err := l.stretches(length, rest).merge(ctx, q, of[length], within, limit, backwards)
		if err != nil {
			return nil, err
		}
		if ids = inOrder(append(ids, found...), backwards); len(ids) >= limit {
			ids = ids[:limit]
			within = within.before(ids[limit-1], backwards)
		}
	}
	return ids, nil
}

// bound returns ids between which all rows of the list are that a filter means
// by when they were created. There are few others between them, unless clocks
// went wrong: ids are given out in the order of time.
func (t *Table[T, K]) bound(ctx context.Context, q Queries, s *selection) (bounds, error) {
	within := anyID
	rest := selection{}
	narrowSpan(&rest, t.name+".created_at", s.created)
	end := func(backwards bool) (int64, error) {
		ids, err := t.created().first(ctx, q, s.created, rest, within, 1, backwards)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return ids[0], nil
	}
	if s.created.from > allTime.from {
		id, err := end(false)
		if err != nil || id == 0 {
			return bounds{}, err
		}
		within.low = id - 1
	}
	if s.created.to < allTime.to {
		id, err := end(true)
		if err != nil || id == 0 {
			return bounds{}, err
		}
		within.high = id + 1
	}
	return within, nil
}

// fewRows are so few that they can be looked at one by one.
const fewRows = 1000

// fewChanged says whether few rows were last changed in a span.
func (t *Table[T, K]) fewChanged(ctx context.Context, q Queries, in span) (bool, error) {
	changed := &selection{}
	t.inHours(changed, in)
	n, err := q.Number(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM last_change%s LIMIT %d) AS changed", changed.all(), fewRows+1), changed.args...)
	return n <= fewRows, err
}

// changedPage is a page of rows that were last changed in a span. It takes some
// statements, which all see the same moment: a row that somebody changes meanwhile
// would move from a time that is yet to be looked at to one that was.
func (t *Table[T, K]) changedPage(ctx context.Context, q Queries, s *selection, p Page, within bounds) (rows []T, err error) {
	err = q.AtOneMoment(ctx, func(ctx context.Context, q Queries) error {
		ids, err := t.changedIDs(ctx, q, s, p, within)
		if err != nil {
			return err
		}
		found := &selection{from: t.name, key: t.name + ".id", backwards: p.Backwards}
		found.whereIn(found.key, jsonList(ids))
		columns, scan := t.projection(p.Only)
		rows, err = t.rows(ctx, q, found.ordered(columns), found.args, len(ids), scan)
		return err
	})
	return rows, err
}

// changedIDs finds a page by when rows were last changed, unless what else the
// filter asks for leads to it sooner.
func (t *Table[T, K]) changedIDs(ctx context.Context, q Queries, s *selection, p Page, within bounds) ([]int64, error) {
	if s.narrowed || s.created != allTime || len(s.words) > 0 {
		few, err := t.fewChanged(ctx, q, s.updated)
		if err != nil {
			return nil, err
		}
		if !few {
			ids, enough, err := t.amongOthers(ctx, q, s, p)
			if err != nil || enough {
				return ids, err
			}
		}
	}
	return t.updated().first(ctx, q, s.updated, *s, within, p.Limit, p.Backwards)
}

// amongOthers looks for a page among the first rows that are what else the filter
// asks for, and says whether that was enough.
func (t *Table[T, K]) amongOthers(ctx context.Context, q Queries, s *selection, p Page) (ids []int64, enough bool, err error) {
	limit := p.Limit
	p.Filter.Terms = slices.DeleteFunc(slices.Clone(p.Filter.Terms), func(term billing.Term) bool { return t.filters[term.Field].column == "updated_at" })
	p.Limit, p.Only = limit+fewRows, []string{"updated_at"}
	others, err := t.List(ctx, q, p)
	if err != nil {
		return nil, false, err
	}
	for i := range others {
		_, updated := t.stamps(&others[i])
		if at := updated.UnixMilli(); at >= s.updated.from && at < s.updated.to && len(ids) < limit {
			ids = append(ids, int64(t.ID(&others[i])))
		}
	}
	return ids, len(ids) == limit || len(others) < p.Limit, nil
}

// whereChanged has rows found by when they were last changed, if these are few.
func (t *Table[T, K]) whereChanged(ctx context.Context, q Queries, s *selection) error {
	if s.updated == allTime {
		return nil
	}
	few, err := t.fewChanged(ctx, q, s.updated)
	if err != nil || !few {
		return err
	}
	changed := &selection{args: s.args}
	t.inHours(changed, s.updated)
	s.args = changed.args
	s.conditions = append(s.conditions, fmt.Sprintf("%s.id IN (SELECT id FROM last_change%s)", t.name, changed.all()))
	return nil
}

// inHours keeps what was last changed in the hours of a span.
func (t *Table[T, K]) inHours(s *selection, in span) {
	s.conditions = append(s.conditions, t.updated().whole())
	s.where("hour >= %s", in.from/hour)
	s.where("hour <= %s", (in.to-1)/hour)
}

// narrowSpan keeps the rows with a time in the span.
func narrowSpan(s *selection, column string, in span) {
	if in.from > allTime.from {
		s.where(likely(column+" >= %s"), in.from)
	}
	if in.to < allTime.to {
		s.where(likely(column+" < %s"), in.to)
	}
}
