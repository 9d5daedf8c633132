package search

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tenantry/tenantry/internal/store/db"
)

// A list is in the order of ids, and what a filter by time keeps may be anywhere
// in it. So indexes have the rows hour by hour, each hour's in the order of ids:
// Ranges to be merged. For them to be few, other indexes have them by longer
// times too.
const hour = 3_600_000 // milliseconds

// lengths are those times, in hours. Changing them takes a migration.
var lengths = []int64{256, 16, 1}

// span is a time in milliseconds: from one on, and before another. No row is from
// before 1970.
type span struct{ from, to int64 }

var allTime = span{0, math.MaxInt64}

// narrow keeps the part of the span from a time on and before another; a zero
// time is no bound.
func (s *span) narrow(from, to time.Time) {
	if !from.IsZero() {
		s.from = max(s.from, from.UnixMilli())
	}
	if !to.IsZero() {
		s.to = min(s.to, to.UnixMilli())
	}
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

// creations is when the rows were created, which never changes.
func (s *Query) creations() timeline {
	return timeline{table: s.table, hour: "created_at", unit: hour}
}

// changes is when they were last changed, which triggers write down.
func (s *Query) changes() timeline {
	return timeline{table: "last_change", hour: "hour", unit: 1, of: s.table}
}

// column is what an index by a length has, word for word.
func (l timeline) column(length int64) string {
	if l.unit*length == 1 {
		return l.hour
	}
	return fmt.Sprintf("%s / %d", l.hour, l.unit*length)
}

// ranges are the rows of each time of a length.
func (l timeline) ranges(length int64, rest db.Select) *Ranges {
	s := &Ranges{
		From: "json_each(%s) AS span", Number: "span.value", Table: l.table,
		Columns: []string{l.column(length)}, Keys: []string{"span.value"}, Rest: rest,
	}
	if l.of != "" {
		s.joined = l.of
		s.Columns, s.Keys = []string{"list", s.Columns[0]}, []string{"'" + l.of + "'", s.Keys[0]}
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
func (l timeline) hours(ctx context.Context, q db.Queries, s span) (first, last int64, err error) {
	end := func(direction string) string {
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s ORDER BY %s%s LIMIT 1)", l.column(1), l.table, l.whole(), l.column(1), direction)
	}
	if _, err = q.One(ctx, fmt.Sprintf("SELECT COALESCE(%s, 0), COALESCE(%s, -1)", end(""), end(" DESC")), nil, &first, &last); err != nil {
		return 0, 0, err
	}
	return max(first, s.from/hour), min(last, (s.to-1)/hour), nil
}

// first returns the first ids in a span.
func (l timeline) first(ctx context.Context, q db.Queries, s span, rest db.Select, within Bounds, limit int, backwards bool) (ids []int64, err error) {
	first, last, err := l.hours(ctx, q, s)
	if err != nil {
		return nil, err
	}
	of := parts(first, last)
	for _, length := range lengths {
		if len(of[length]) == 0 {
			continue
		}
		found, err := l.ranges(length, rest).Merge(ctx, q, of[length], within, limit, backwards)
		if err != nil {
			return nil, err
		}
		if ids = InOrder(append(ids, found...), backwards); len(ids) >= limit {
			ids = ids[:limit]
			within = within.before(ids[limit-1], backwards)
		}
	}
	return ids, nil
}

// bound returns ids between which all rows of the list are that a filter means
// by when they were created. There are few others between them, unless clocks
// went wrong: ids are given out in the order of time.
func (s *Query) bound(ctx context.Context, q db.Queries) (Bounds, error) {
	within := anyID
	rest := db.Select{}
	narrowSpan(&rest, s.table+".created_at", s.created)
	end := func(backwards bool) (int64, error) {
		ids, err := s.creations().first(ctx, q, s.created, rest, within, 1, backwards)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return ids[0], nil
	}
	if s.created.from > allTime.from {
		id, err := end(false)
		if err != nil || id == 0 {
			return Bounds{}, err
		}
		within.Low = id - 1
	}
	if s.created.to < allTime.to {
		id, err := end(true)
		if err != nil || id == 0 {
			return Bounds{}, err
		}
		within.High = id + 1
	}
	return within, nil
}

// narrowSpan keeps the rows with a time in the span.
func narrowSpan(s *db.Select, column string, in span) {
	if in.from > allTime.from {
		s.Where(Likely(column+" >= %s"), in.from)
	}
	if in.to < allTime.to {
		s.Where(Likely(column+" < %s"), in.to)
	}
}
