package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

const (
	// mostNamed is up to how many customers that words name are looked up one by one.
	// What more have in common is soon found without.
	mostNamed = 1000
	// mostDays is up to how many days are: eleven years.
	mostDays = 4000
)

// narrowDocuments tells the search what indexes know of documents: those of an
// account, those of a day, and what they are called. Each has its ids in order, so
// that a page is merged of the beginnings of some. Ids are also in the order of
// creation.
func (t *Table[T, K]) narrowDocuments(ctx context.Context, q Queries, s *search.Query, words []string, filter billing.Filter) error {
	if err := t.boundByCreation(ctx, q, s, filter); err != nil {
		return err
	}
	if len(words) > 0 {
		return t.matchCustomers(ctx, q, s, words)
	}
	return t.mergeDays(ctx, q, s, filter)
}

// boundByCreation keeps to the ids that documents of a time may have.
func (t *Table[T, K]) boundByCreation(ctx context.Context, q Queries, s *search.Query, filter billing.Filter) error {
	for _, term := range filter.Terms {
		if t.filters[term.Field].column != "created_at" {
			continue
		}
		first, last, err := ends(ctx, q, t.name)
		if err != nil {
			return err
		}
		within := search.Bounds{Low: first - 1, High: last + 1}
		if err := narrowTime(ctx, q, &within, t.name, "created_at", term, first, last); err != nil {
			return err
		}
		within.Narrow(&s.Select, s.Key)
	}
	return nil
}

// matchCustomers keeps the documents that have every word: as what they are called,
// whole and ignoring case, as the number of what they are about, or in the name, the
// code or an address of their account.
func (t *Table[T, K]) matchCustomers(ctx context.Context, q Queries, s *search.Query, words []string) error {
	rows, err := Accounts.List(ctx, q, Page{Filter: billing.Filter{Words: words}, Limit: mostNamed + 1, Only: []string{"id"}})
	if err != nil {
		return err
	}
	placeholders, known := make([]string, len(words)), []int64(nil)
	for i, word := range words {
		about, err := t.rowsAbout(ctx, q, word)
		if err != nil {
			return err
		}
		known = append(known, about...)
		placeholders[i] = s.Condition("CAST(%s AS TEXT)", word)
		// Not EXISTS: PostgreSQL would look for the word in all accounts first.
		condition := fmt.Sprintf("%s.search = %s OR %s((SELECT account.search FROM account WHERE account.id = %s.account_id), %s) > 0",
			t.name, placeholders[i], q.Dialect.Position, t.name, placeholders[i])
		if len(about) > 0 {
			condition += s.Condition(" OR "+t.name+".id IN (SELECT value FROM json_each(CAST(%s AS TEXT)))", db.JSONList(about))
		}
		s.Conditions = append(s.Conditions, "("+condition+")")
	}
	if len(rows) > mostNamed {
		return nil
	}
	// A document either is called by one of the words or about it, or all are of its
	// account.
	accounts := make([]int64, len(rows))
	for i := range rows {
		accounts[i] = int64(rows[i].ID)
	}
	for _, placeholder := range placeholders {
		s.AmongEqual("search", placeholder)
	}
	s.Among(search.Ranges{From: "json_each(%s) AS wanted", Number: "wanted.value", Columns: []string{"account_id"}, Keys: []string{"wanted.value"}}, accounts)
	counted := fmt.Sprintf("%s.search IN (%s) OR %s.account_id IN (%s)", t.name, strings.Join(placeholders, ", "), t.name, idsIn(accounts))
	if len(known) > 0 {
		s.AmongIDs(known)
		counted += fmt.Sprintf(" OR %s.id IN (%s)", t.name, idsIn(known))
	}
	s.Counted("(" + counted + ")")
	return nil
}

// rowsAbout are the rows about the document that a word is the number of.
func (t *Table[T, K]) rowsAbout(ctx context.Context, q Queries, word string) ([]int64, error) {
	if t.about == nil {
		return nil, nil
	}
	return t.about(ctx, q, word)
}

// idsIn are ids as the text of a list that is not empty.
func idsIn(ids []int64) string { return strings.Trim(db.JSONList(append([]int64{0}, ids...)), "[]") }

// mergeDays has documents of some days found day by day, and those in a stage that
// passes by it. What leads to few documents at once, such as an account, is left to
// the engine.
func (t *Table[T, K]) mergeDays(ctx context.Context, q Queries, s *search.Query, filter billing.Filter) error {
	stage, days := "", []billing.Term(nil)
	for _, term := range filter.Terms {
		switch f := t.filters[term.Field]; {
		case f.kind == day && (days == nil || days[0].Field == term.Field):
			days = append(days, term)
		case f.column == "stage":
			stage = strings.ToUpper(term.Value)
		case f.column == "id" || f.column == "account_id" || f.kind == called:
			return nil
		}
	}
	passes := stage != "" && stage != t.settled
	if days != nil {
		d := dayIndex{table: t.name, column: t.filters[days[0].Field].column, stages: t.filters[days[0].Field].values}
		if stage != "" && d.stages != nil {
			d.stages = []string{stage}
		}
		if d.stages != nil || !passes {
			numbers, few, err := d.days(ctx, q, days)
			if few {
				s.Among(d.ranges(), numbers)
			}
			return err
		}
	}
	if passes {
		s.AmongEqual("stage", "'"+stage+"'")
	}
	return nil
}

// dayIndex has the ids of each day, or of each day in a stage.
type dayIndex struct {
	table, column string
	stages        []string
}

// known are the stages as a table, or one row if the index knows none.
func (d dayIndex) known() string {
	if len(d.stages) == 0 {
		return "(SELECT '' AS stage) AS known"
	}
	return "(SELECT '" + strings.Join(d.stages, "' AS stage UNION ALL SELECT '") + "' AS stage) AS known"
}

// ranges are the documents of days, which are given as the numbers that their digits
// are.
func (d dayIndex) ranges() search.Ranges {
	const dayText = "(substr(CAST(wanted.value AS TEXT), 1, 4) || '-' || substr(CAST(wanted.value AS TEXT), 5, 2) || '-' || substr(CAST(wanted.value AS TEXT), 7, 2))"
	r := search.Ranges{From: "json_each(%s) AS wanted", Number: "wanted.value", Columns: []string{d.column}, Keys: []string{dayText}}
	if len(d.stages) > 0 {
		r.From += " CROSS JOIN " + d.known()
		r.Columns, r.Keys = append([]string{"stage"}, r.Columns...), append([]string{"known.stage"}, r.Keys...)
	}
	return r
}

// days are those that terms mean and that may have documents, as numbers, and whether
// they are few enough.
func (d dayIndex) days(ctx context.Context, q Queries, terms []billing.Term) (numbers []int64, few bool, err error) {
	within := ""
	if len(d.stages) > 0 {
		within = " AND stage = known.stage"
	}
	end := func(direction string) string {
		return fmt.Sprintf("(SELECT %s FROM %s WHERE %s > ''%s ORDER BY %s%s LIMIT 1)", d.column, d.table, d.column, within, d.column, direction)
	}
	var first, last billing.Date
	text := fmt.Sprintf("SELECT min(first), max(last) FROM (SELECT %s AS first, %s AS last FROM %s) AS ends", end(""), end(" DESC"), d.known())
	if _, err := q.One(ctx, text, nil, column.DayOrNone(&first), column.DayOrNone(&last)); err != nil || first == (billing.Date{}) {
		return nil, err == nil, err
	}
	for _, term := range terms {
		d, err := billing.ParseDate(term.Value)
		if err != nil {
			return nil, false, err
		}
		switch from, to := d, d; term.Op {
		case billing.Greater:
			first = later(first, from.AddDays(1))
		case billing.GreaterEqual:
			first = later(first, from)
		case billing.Less:
			last = earlier(last, to.AddDays(-1))
		case billing.LessEqual:
			last = earlier(last, to)
		default:
			first, last = later(first, from), earlier(last, to)
		}
	}
	if first.DaysUntil(last) >= mostDays {
		return nil, false, nil
	}
	for d := first; !d.After(last); d = d.AddDays(1) {
		numbers = append(numbers, int64(d.Year)*10_000+int64(d.Month)*100+int64(d.Day))
	}
	return numbers, true, nil
}

func later(a, b billing.Date) billing.Date {
	if a.Before(b) {
		return b
	}
	return a
}

func earlier(a, b billing.Date) billing.Date {
	if b.Before(a) {
		return b
	}
	return a
}
