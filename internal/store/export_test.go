package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tenantry/tenantry/internal/billing"
)

// What the tests in package store_test need of the inside.

// Exec runs a statement that only a test needs.
func Exec(ctx context.Context, tx *Tx, text string, args ...any) (int64, error) {
	return tx.Exec(ctx, text, args...)
}

// Rows returns what a query answers, a row as its columns with | between them.
func Rows(ctx context.Context, q Queries, text string, args ...any) ([]string, error) {
	var lines []string
	err := q.Each(ctx, text, args, func(rows scanner) error {
		var columns int
		switch rows := rows.(type) {
		case *sql.Rows:
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			columns = len(names)
		case pgx.Rows:
			columns = len(rows.FieldDescriptions())
		}
		values, placeholders := make([]any, columns), make([]any, columns)
		for i := range values {
			placeholders[i] = &values[i]
		}
		if err := rows.Scan(placeholders...); err != nil {
			return err
		}
		cells := make([]string, len(values))
		for i, value := range values {
			if cells[i] = fmt.Sprint(value); value == nil {
				cells[i] = "NULL"
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
		return nil
	})
	return lines, err
}

// Next gives out the next number of a counter.
func Next(ctx context.Context, tx *Tx, counter string) (int64, error) { return next(ctx, tx, counter) }

// Described are the fields of a table that are described.
func Described[T any, K ~int64](t *Table[T, K]) billing.Fields[T] { return t.described }

// Columns returns the columns of a table.
func Columns[T any, K ~int64](t *Table[T, K]) []string { return t.columns }

// Explained returns queries that run as usual and also note how the database
// goes about each of them.
func Explained(s *Store) (Queries, *[]string) { return explained(s.Engine(), s.Queries()) }

// ExplainedIn has a transaction note how the database goes about each statement.
// PostgreSQL runs each twice.
func ExplainedIn(s *Store, tx *Tx) (plans *[]string) {
	tx.Queries, plans = explained(s.Engine(), tx.Queries)
	return plans
}

func explained(engine string, plain Queries) (Queries, *[]string) {
	plans, explain := &[]string{}, "EXPLAIN QUERY PLAN "
	if engine == "postgres" {
		explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " // runs it, to say what was not needed
	}
	return plain.Watched(func(ctx context.Context, text string, args []any) error {
		lines, err := Rows(ctx, plain, explain+text, args...)
		*plans = append(*plans, strings.Join(lines, "\n"))
		return err
	}), plans
}

// MostKinds is how many kinds of audit entries are looked up one by one.
const MostKinds = mostKinds
