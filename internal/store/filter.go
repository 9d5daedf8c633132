package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

// field is something a filter can name.
type field struct {
	column string
	kind   fieldKind
	// values are those of an enum; of a reference, the table it refers to; of an
	// exact text whose index begins with a reference, that one's column and table; of
	// a day whose index begins with the stage, all stages.
	values []string
}

type fieldKind int

const (
	exact    fieldKind = iota // text that must be equal
	name                      // the row's name, whole or with * at its end, ignoring case
	called                    // what the row is called, whole, ignoring case
	folded                    // the last of the row's searchable texts, whole, ignoring case
	number                    // compared
	boolean                   // true or false
	enum                      // one of values
	drifted                   // one of values, the outcome in tenant_drift
	refer                     // another row, by its id or its code, an invoice by its number
	pays                      // an invoice that the row is applied to, as refer
	moment                    // a time, compared; a date means its whole day in UTC
	day                       // a date, compared
	amount                    // an amount of money in any currency, compared
	currency                  // the code of a currency, ignoring case
)

// selection is the list of the rows that match the filter.
func (t *Table[T, K]) selection(ctx context.Context, q Queries, filter billing.Filter) (*search.Query, error) {
	s := search.New(t.name, t.indexed)
	for _, always := range []string{t.hide, t.own} {
		if always != "" {
			s.Conditions = append(s.Conditions, always)
		}
	}
	var words, names []string
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
			word := billing.Fold(strings.TrimSuffix(term.Value, "*"))
			if words = append(words, word); f.kind == name {
				names = append(names, word)
			}
		}
		err := f.narrow(ctx, q, &s.Select, t.name, term)
		if err == nil {
			err = t.note(s, f, term, filter)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case t.isDocument:
		if err := t.narrowDocuments(ctx, q, s, words, filter); err != nil {
			return nil, err
		}
	case t.matchWord == nil:
		s.Words(q.Dialect, words)
	default:
		for _, word := range words {
			t.matchWord(&s.Select, q.Dialect, word)
		}
	}
	for _, word := range names {
		s.Begins(word)
	}
	return s, nil
}

// note tells the search what indexes know of a term.
func (t *Table[T, K]) note(s *search.Query, f field, term billing.Term, filter billing.Filter) error {
	switch {
	case t.indexed && f.column == "created_at":
		from, to, err := MomentRange(term)
		s.Created(from, to)
		return err
	case t.indexed && f.column == "updated_at":
		from, to, err := MomentRange(term)
		s.Updated(from, to, func(ctx context.Context, q Queries) (*search.Query, error) {
			others := filter
			others.Terms = slices.DeleteFunc(slices.Clone(filter.Terms), func(term billing.Term) bool { return t.filters[term.Field].column == "updated_at" })
			return t.selection(ctx, q, others)
		})
		return err
	case f.kind != name && f.kind != folded:
		s.Narrowed = true
	}
	return nil
}

// compares reports whether a field can be above or below a value.
func (k fieldKind) compares() bool { return k == number || k == moment || k == day || k == amount }

func (f field) narrow(ctx context.Context, q Queries, s *db.Select, table string, term billing.Term) error {
	column := table + "." + f.column
	if term.Op != billing.Equal && !f.kind.compares() && (f.kind != refer && f.kind != pays || term.Op != billing.ByID) {
		return WrongTerm(term, "it is not compared by %s; write %s:VALUE", term.Op, term.Field)
	}
	switch f.kind {
	case exact:
		s.Where(column+" = %s", term.Value)
		if len(f.values) > 0 {
			s.Conditions = append(s.Conditions, fmt.Sprintf("%s.%s IN (SELECT id FROM %s)", table, f.values[0], f.values[1]))
		}
	case called:
		s.Where(column+" = CAST(%s AS TEXT)", billing.Fold(term.Value))
	case folded:
		// Not lower(column): SQLite's knows ASCII only, PostgreSQL's depends on
		// the locale.
		s.Where(table+`.search LIKE CAST(%s AS TEXT) ESCAPE '\'`, "%"+separator+escapeLike(billing.Fold(term.Value)))
	case name:
		// The name is the first of the searchable texts.
		pattern := escapeLike(billing.Fold(term.Value)) + separator + "%"
		if start, ok := strings.CutSuffix(term.Value, "*"); ok {
			pattern = escapeLike(billing.Fold(start)) + "%"
		}
		s.Where(table+`.search LIKE CAST(%s AS TEXT) ESCAPE '\'`, pattern)
	case number:
		n, err := strconv.ParseInt(term.Value, 10, 64)
		if err != nil {
			return WrongTerm(term, "write a whole number, such as %s:12", term.Field)
		}
		s.Where(column+" "+string(term.Op)+" %s", n)
	case boolean:
		if term.Value != "true" && term.Value != "false" {
			return WrongTerm(term, "write %s:true or %s:false", term.Field, term.Field)
		}
		s.Where(column+" = %s", term.Value == "true")
	case enum, drifted:
		value := strings.ToUpper(term.Value)
		if !slices.Contains(f.values, value) {
			return WrongTerm(term, "write one of %s", strings.ToLower(strings.Join(f.values, ", ")))
		}
		// In the text, so that an index of the rows with that value is one for it.
		condition := column + " = '" + value + "'"
		if f.kind == drifted {
			condition = column + " IN (SELECT tenant_id FROM tenant_drift WHERE outcome = '" + value + "')"
		}
		s.Conditions = append(s.Conditions, condition)
	case currency:
		code := strings.ToUpper(term.Value)
		if billing.CheckCurrency("filter", code) != nil {
			return WrongTerm(term, "write the ISO 4217 code of a currency, such as %s:EUR", term.Field)
		}
		s.Where(column+" = %s", code)
	case refer:
		return f.narrowReference(ctx, q, s, column, term)
	case pays:
		return f.narrowPays(ctx, q, s, column, term)
	case moment:
		return narrowMoment(s, column, term)
	case day:
		d, err := billing.ParseDate(term.Value)
		if err != nil {
			return WrongTerm(term, "write a date, such as %s:>=2026-01-31", term.Field)
		}
		s.Where(column+" "+string(term.Op)+" %s", d.String())
	case amount:
		n, err := scaled(term.Value)
		if err != nil {
			return WrongTerm(term, "write an amount, such as %s:>=99.50", term.Field)
		}
		s.Conditions = append(s.Conditions, compareAmount(s, column, table+".scale", term.Op, n))
	}
	return nil
}

// narrowReference takes what the value means as a code, and as an id if it is a
// number: operators know their codes, programs know ids. Asked by id alone it
// is not looked up. The column is compared with ids, so that an index on it also
// gives the order, and PostgreSQL knows how many rows each has: where one has
// nearly all, it would look for those of another among all.
func (f field) narrowReference(ctx context.Context, q Queries, s *db.Select, column string, term billing.Term) error {
	ids, err := f.meant(ctx, q, term)
	if err != nil {
		return err
	}
	switch len(ids) {
	case 0:
		s.Where(column+" = %s", 0) // which nothing has
	case 1:
		s.Where(column+" = %s", ids[0])
	default:
		s.WhereIn(column, db.JSONList(ids))
	}
	return nil
}

// meant are the rows that a term refers to.
func (f field) meant(ctx context.Context, q Queries, term billing.Term) ([]int64, error) {
	if id, err := strconv.ParseInt(term.Value, 10, 64); err == nil && term.Op == billing.ByID {
		return []int64{id}, nil
	}
	if f.values[0] == "invoice" { // which has a number instead of a code
		return Meant[int64](ctx, q, "invoice", "search = $1 AND search <> ''", billing.Fold(term.Value))
	}
	return Meant[int64](ctx, q, f.values[0], byCode(f.values[0]), term.Value)
}

// byCode is how a table is asked for a code.
func byCode(table string) string {
	if table == "tenant" { // whose index on codes begins with the platform
		return "code = $1 AND platform_id IN (SELECT id FROM platform)"
	}
	return "code = $1"
}

// narrowMoment compares with an instant, or with a whole day: on or after it
// begins, before it begins, and so on.
func narrowMoment(s *db.Select, column string, term billing.Term) error {
	from, to, err := MomentRange(term)
	if err != nil {
		return err
	}
	if !from.IsZero() {
		s.Where(column+" >= %s", from.UnixMilli())
	}
	if !to.IsZero() {
		s.Where(column+" < %s", to.UnixMilli())
	}
	return nil
}

// MomentRange is when a time must be: from one instant on, and before another.
// A zero time is no bound.
func MomentRange(term billing.Term) (from, to time.Time, err error) {
	from, err = time.Parse(time.RFC3339, term.Value)
	to = from.Add(time.Millisecond)
	if err != nil {
		from, err = time.Parse(time.DateOnly, term.Value)
		to = from.AddDate(0, 0, 1)
	}
	if err != nil {
		return from, to, WrongTerm(term, "write a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z")
	}
	var none time.Time
	if from.Equal(none) {
		from = from.Add(1) // the year 1 is a bound, too
	}
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

func WrongTerm(term billing.Term, format string, args ...any) error {
	return billing.Fail(billing.Invalid, "filter", "The filter %s has no use for %q: %s.", term.Field, term.Value, fmt.Sprintf(format, args...))
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func escapeLike(s string) string { return likeEscapes.Replace(s) }

// Meant finds what a value means: a code, and an id if it is a number.
func Meant[K ~int64](ctx context.Context, q Queries, table, byCode, value string) ([]K, error) {
	id, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		id = 0 // which nothing has
	}
	text := fmt.Sprintf("SELECT id FROM %s WHERE %s UNION SELECT id FROM %s WHERE id = $2 ORDER BY id", table, byCode, table)
	ids := []K{}
	err = q.Each(ctx, text, []any{value, id}, column.Collect(&ids))
	return ids, err
}

// OutOfOrder is how far the times of events may be from the order of their ids:
// transactions take a while, and the clocks of replicas differ.
const OutOfOrder = 5 * time.Minute
