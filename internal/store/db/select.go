package db

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Select is a SELECT in the making.
type Select struct {
	From       string
	Key        string // what the rows are ordered by, the id mostly
	Conditions []string
	Args       []any
	Backwards  bool
	// Narrowed says that the best plan depends on the values.
	Narrowed bool
}

// Where adds a condition; %s in it stands for the value.
func (s *Select) Where(condition string, value any) {
	s.Conditions = append(s.Conditions, s.Condition(condition, value))
}

// Condition keeps the value and returns the condition about it.
func (s *Select) Condition(condition string, value any) string {
	s.Args = append(s.Args, value)
	return fmt.Sprintf(condition, fmt.Sprintf("$%d", len(s.Args)))
}

// WhereIn keeps the rows whose column has one of the values in a JSON list.
func (s *Select) WhereIn(column, list string) {
	s.Where(column+" IN (SELECT value FROM json_each(CAST(%s AS TEXT)))", list)
}

// Clause is the WHERE of the SELECT.
func (s *Select) Clause() string {
	if len(s.Conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(s.Conditions, " AND ")
}

// Ordered is the whole list, in the order of the key.
func (s *Select) Ordered(columns string) string {
	order := s.Key
	if s.Backwards {
		order += " DESC"
	}
	return fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s", columns, s.From, s.Clause(), order)
}

// Page is the beginning of the list.
func (s *Select) Page(d *Dialect, columns string, limit int) string {
	return s.Ordered(columns) + s.Limit(d, limit)
}

// Limit ends a list. PostgreSQL plans anew at every use as long as the limit is
// a parameter, of which it expects the worst. For a list that is narrowed that
// is right, because the best way depends on the values; others have the limit in
// their text and keep one plan.
func (s *Select) Limit(d *Dialect, limit int) string {
	if d.Name == "postgres" && !s.Narrowed {
		return fmt.Sprintf(" LIMIT %d", limit)
	}
	s.Args = append(s.Args, limit)
	// Without the cast SQLite compiles the statement anew at every use, because
	// a plan could depend on the value.
	return fmt.Sprintf(" LIMIT CAST($%d AS BIGINT)", len(s.Args))
}

// JSONList is a list of ids as a parameter for json_each, which both engines
// have.
func JSONList[K ~int64](ids []K) string {
	if ids == nil {
		return "[]" // and not null, which PostgreSQL takes for no list
	}
	text, err := json.Marshal(ids)
	if err != nil {
		panic(err) // integers are always JSON
	}
	return string(text)
}
