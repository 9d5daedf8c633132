package store

import (
	"context"
	"fmt"
	"math"

	"github.com/tenantry/tenantry/internal/billing"
)

// A list is in the order of ids, and a filter by time keeps rows that are
// anywhere in it. So indexes have the rows hour by hour and, for long times, ten
// days by ten days (a decade), each in the order of ids: stretches to be merged.
// Changing these lengths takes a migration.
const (
	hour   = 3_600_000 // milliseconds
	decade = 240       // hours
)

// span is a time in milliseconds: from one on, and before another.
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

// timeline is where rows stand in the order of time.
type timeline struct {
	table         string
	join          string // the table with what else there is to know of a row
	list          []string
	hours, decade string // columns of an index with the ids behind
}

// created is when the rows were created, which never changes.
func (t *Table[T, K]) created() timeline {
	return timeline{table: t.name, hours: "created_at / 3600000", decade: "created_at / 864000000"}
}

// updated is when they were last changed: see migration 0015.
func (t *Table[T, K]) updated() timeline {
	return timeline{
		table: "last_change", join: fmt.Sprintf(" JOIN %s ON %s.id = last_change.id", t.name, t.name),
		list: []string{t.name}, hours: "hour", decade: "hour / 240",
	}
}

// stretches are the rows of each hour, or of each decade.
func (l timeline) stretches(column string, rest selection) *stretches {
	s := &stretches{
		from: "json_each(%s) AS span", number: "span.value", table: l.table, join: l.join,
		columns: []string{column}, keys: []string{"span.value"}, rest: rest,
	}
	for _, list := range l.list {
		s.columns = append([]string{"list"}, s.columns...)
		s.keys = append([]string{"'" + list + "'"}, s.keys...)
	}
	return s
}

// whole is the condition that a row is of the list.
func (l timeline) whole() string {
	condition := "true"
	for _, list := range l.list {
		condition = "list = '" + list + "'"
	}
	return condition
}

// parts are the hours and the decades that make up a span: as few as there can
// be, and none in which there never was a row.
func (l timeline) parts(ctx context.Context, q Queries, s span) (hours, decades []int64, err error) {
	end := func(direction string) (found int64, is bool, err error) {
		text := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s%s LIMIT 1", l.hours, l.table, l.whole(), l.hours, direction)
		err = q.each(ctx, text, nil, func(rows scanner) error { is = true; return rows.Scan(&found) })
		return found, is, err
	}
	first, any, err := end("")
	if err != nil || !any {
		return nil, nil, err
	}
	last, _, err := end(" DESC")
	if err != nil {
		return nil, nil, err
	}
	first, last = max(first, s.from/hour), min(last, (s.to-1)/hour)
	at := first
	for ; at <= last && at%decade != 0; at++ {
		hours = append(hours, at)
	}
	for ; at+decade-1 <= last; at += decade {
		decades = append(decades, at/decade)
	}
	for ; at <= last; at++ {
		hours = append(hours, at)
	}
	return hours, decades, nil
}

// first returns the first ids in a span.
func (l timeline) first(ctx context.Context, q Queries, s span, rest selection, within bounds, limit int, backwards bool) ([]int64, error) {
	hours, decades, err := l.parts(ctx, q, s)
	if err != nil {
		return nil, err
	}
	// A row that is changed meanwhile moves to a later hour, where it is found
	// if the long times, which are the earlier ones but for the first hours, are
	// asked first.
	ids, err := l.stretches(l.decade, rest).merge(ctx, q, decades, within, limit, backwards)
	if err != nil {
		return nil, err
	}
	more, err := l.stretches(l.hours, rest).merge(ctx, q, hours, within, limit, backwards)
	if err != nil {
		return nil, err
	}
	ids = inOrder(append(ids, more...), backwards)
	return ids[:min(len(ids), limit)], nil
}

// bound returns ids between which all rows of the list are that the filter
// means by when they were created. There are few others between them, unless
// clocks went wrong: ids are given out in the order of time.
func (t *Table[T, K]) bound(ctx context.Context, q Queries, s *selection) (bounds, error) {
	within := anyID
	if s.created == allTime {
		return within, nil
	}
	rest := selection{}
	narrowSpan(&rest, t.name+".created_at", s.created)
	for _, backwards := range []bool{false, true} {
		ids, err := t.created().first(ctx, q, s.created, rest, within, 1, backwards)
		if err != nil || len(ids) == 0 {
			return bounds{}, err
		}
		if backwards {
			within.high = ids[0] + 1
		} else {
			within.low = ids[0] - 1
		}
	}
	return within, nil
}

// fewChanged is up to how many rows that were changed in a span are looked at
// one by one, instead of finding rows by what else they are asked for.
const fewChanged = 1000

// byChange says whether a page is best found by when rows were last changed.
func (t *Table[T, K]) byChange(ctx context.Context, q Queries, s *selection) (bool, error) {
	if s.updated == allTime || !s.others {
		return s.updated != allTime, nil
	}
	l := t.updated()
	text := fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s AND hour >= $1 AND hour <= $2 LIMIT %d) AS changed", l.table, l.whole(), fewChanged+1)
	n, err := q.number(ctx, text, s.updated.from/hour, (s.updated.to-1)/hour)
	return n <= fewChanged, err
}

// changedPage is a page of rows that were last changed in a span. Who deletes
// one of them meanwhile must not make the page look like the last one.
func (t *Table[T, K]) changedPage(ctx context.Context, q Queries, s *selection, p Page, within bounds) (rows []T, err error) {
	for range 3 {
		ids, err := t.updated().first(ctx, q, s.updated, *s, within, p.Limit, p.Backwards)
		if err != nil {
			return nil, err
		}
		found := &selection{from: t.name, key: t.name + ".id", backwards: p.Backwards}
		found.whereIn(found.key, jsonList(ids))
		columns, scan := t.projection(p.Only)
		rows, err = t.rows(ctx, q, found.ordered(columns), found.args, len(ids), scan)
		if err != nil || len(rows) == len(ids) {
			return rows, err
		}
	}
	return rows, err
}

// whereChanged has rows found by when they were last changed.
func (t *Table[T, K]) whereChanged(s *selection) {
	if s.updated == allTime {
		return
	}
	l := t.updated()
	from, to := s.condition("hour >= %s", s.updated.from/hour), s.condition("hour <= %s", (s.updated.to-1)/hour)
	s.conditions = append(s.conditions, fmt.Sprintf("%s IN (SELECT id FROM %s WHERE %s AND %s AND %s)", s.key, l.table, l.whole(), from, to))
}

// narrowSpan keeps the rows with a time in the span.
func narrowSpan(s *selection, column string, in span) {
	if in.from > allTime.from {
		s.where(column+" >= %s", in.from)
	}
	if in.to < allTime.to {
		s.where(column+" < %s", in.to)
	}
}
