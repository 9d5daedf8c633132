package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// field is something a filter can name.
type field struct {
	column string
	kind   fieldKind
	values []string // of an enum; of a reference, the table it refers to
}

type fieldKind int

const (
	exact   fieldKind = iota // text that must be equal
	name                     // the row's name, whole or with * at its end, ignoring case
	folded                   // the last of the row's searchable texts, whole, ignoring case
	number                   // compared
	boolean                  // true or false
	enum                     // one of values
	refer                    // another row, by its id or its code
	moment                   // a time, compared; a date means its whole day in UTC
)

// selection starts a SELECT of the rows that match the filter. To have its
// words found by an index, lookUp is called next.
func (t *Table[T, K]) selection(d dialect, filter billing.Filter) (*selection, error) {
	s := &selection{from: t.name, key: t.name + ".id"}
	if t.hide != "" {
		s.conditions = append(s.conditions, t.hide)
	}
	var words []string
	for _, word := range filter.Words {
		words = append(words, billing.Fold(word))
	}
	for _, term := range filter.Terms {
		f, known := t.filters[term.Field]
		if !known {
			fields := slices.Sorted(maps.Keys(t.filters))
			return nil, billing.Fail(billing.Invalid, "filter", "There is no filter field %q here. The fields are: %s. To search for the text itself, quote it: \"%s:%s\".",
				term.Field, strings.Join(fields, ", "), term.Field, term.Value)
		}
		if f.kind == name || f.kind == folded {
			// The index over all words narrows down to few rows first.
			words = append(words, billing.Fold(strings.TrimSuffix(term.Value, "*")))
		}
		if err := f.narrow(s, t.name, term); err != nil {
			return nil, err
		}
	}
	t.match(s, d, words)
	return s, nil
}

func (f field) narrow(s *selection, table string, term billing.Term) error {
	column := table + "." + f.column
	if term.Op != billing.Equal && f.kind != number && f.kind != moment && (f.kind != refer || term.Op != billing.ByID) {
		return wrong(term, "it is not compared by %s; write %s:VALUE", term.Op, term.Field)
	}
	switch f.kind {
	case exact:
		s.where(column+" = %s", term.Value)
	case folded:
		// Not lower(column): SQLite's knows ASCII only, PostgreSQL's depends on
		// the locale.
		s.where(table+`.search LIKE CAST(%s AS TEXT) ESCAPE '\'`, "%"+separator+escapeLike(billing.Fold(term.Value)))
	case name:
		// The name is the first of the searchable texts.
		pattern := escapeLike(billing.Fold(term.Value)) + separator + "%"
		if start, ok := strings.CutSuffix(term.Value, "*"); ok {
			pattern = escapeLike(billing.Fold(start)) + "%"
		}
		s.where(table+`.search LIKE CAST(%s AS TEXT) ESCAPE '\'`, pattern)
	case number:
		n, err := strconv.ParseInt(term.Value, 10, 64)
		if err != nil {
			return wrong(term, "write a whole number, such as %s:12", term.Field)
		}
		s.where(column+" "+string(term.Op)+" %s", n)
	case boolean:
		if term.Value != "true" && term.Value != "false" {
			return wrong(term, "write %s:true or %s:false", term.Field, term.Field)
		}
		s.where(column+" = %s", term.Value == "true")
	case enum:
		value := strings.ToUpper(term.Value)
		if !slices.Contains(f.values, value) {
			return wrong(term, "write one of %s", strings.ToLower(strings.Join(f.values, ", ")))
		}
		s.where(column+" = %s", value)
	case refer:
		f.narrowReference(s, column, term)
	case moment:
		return narrowMoment(s, column, term)
	}
	return nil
}

// narrowReference takes what the value means as a code, and as an id if it is a
// number: operators know their codes, programs know ids. Asked by
// id alone, the column is compared with it directly, so that an index on it also
// gives the order.
func (f field) narrowReference(s *selection, column string, term billing.Term) {
	value := term.Value
	if id, err := strconv.ParseInt(value, 10, 64); err == nil && term.Op == billing.ByID {
		s.where(column+" = %s", id)
		return
	}
	condition := column + " IN (SELECT id FROM " + f.values[0] + " WHERE code = %s"
	if id, err := strconv.ParseInt(value, 10, 64); err == nil {
		s.args = append(s.args, id)
		condition += fmt.Sprintf(" OR id = $%d", len(s.args))
	}
	s.where(condition+")", value)
}

// narrowMoment compares with an instant, or with a whole day: on or after it
// begins, before it begins, and so on.
func narrowMoment(s *selection, column string, term billing.Term) error {
	from, to, err := momentRange(term)
	if err != nil {
		return err
	}
	if !from.IsZero() {
		s.where(column+" >= %s", from.UnixMilli())
	}
	if !to.IsZero() {
		s.where(column+" < %s", to.UnixMilli())
	}
	return nil
}

// momentRange is when a time must be: from one instant on, and before another.
// A zero time is no bound.
func momentRange(term billing.Term) (from, to time.Time, err error) {
	from, err = time.Parse(time.RFC3339, term.Value)
	to = from.Add(time.Millisecond)
	if err != nil {
		from, err = time.Parse(time.DateOnly, term.Value)
		to = from.AddDate(0, 0, 1)
	}
	if err != nil {
		return from, to, wrong(term, "write a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z")
	}
	var none time.Time
	switch term.Op {
	case billing.GreaterEqual:
		to = none
	case billing.Greater:
		from, to = to, none
	case billing.Less:
		from, to = none, from
	case billing.LessEqual:
		from = none
	}
	return from, to, nil
}

func wrong(term billing.Term, format string, args ...any) error {
	return billing.Fail(billing.Invalid, "filter", "The filter %s has no use for %q: %s.", term.Field, term.Value, fmt.Sprintf(format, args...))
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func escapeLike(s string) string { return likeEscapes.Replace(s) }
