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
	return tx.exec(ctx, text, args...)
}

// Rows returns what a query answers, a row as its columns with | between them.
func Rows(ctx context.Context, q Queries, text string, args ...any) ([]string, error) {
	var lines []string
	err := q.each(ctx, text, args, func(rows scanner) error {
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
func Next(ctx context.Context, tx *Tx, counter string) (int64, error) { return tx.next(ctx, counter) }

// Columns returns the columns of a table.
func Columns[T any, K ~int64](t *Table[T, K]) []string { return t.columns }

// Waiting is how many transactions wait for SQLite's writer.
func Waiting(s *Store) int { return len(s.write.(*groupCommit).requests) }

// GroupSize is how many transactions SQLite commits together at the most.
const GroupSize = groupSize

// Kept is how many statements SQLite's readers keep compiled.
func Kept(s *Store) int {
	r := s.reader.(*preparedRunner)
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.stmts)
}

// Explained returns queries that run as usual and also note how the database
// goes about each of them.
func Explained(s *Store) (Queries, *[]string) {
	q, plans := s.Queries(), &[]string{}
	explain := "EXPLAIN QUERY PLAN "
	if s.dialect.name == "postgres" {
		explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " // runs it, to say what was not needed
	}
	q.freeze = nil // all on one connection
	q.run = explainer{runner: s.reader, plain: s.Queries(), explain: explain, plans: plans}
	return q, plans
}

type explainer struct {
	runner
	plain   Queries
	explain string
	plans   *[]string
}

func (e explainer) query(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	lines, err := Rows(ctx, e.plain, e.explain+text, args...)
	if err != nil {
		return nil, err
	}
	*e.plans = append(*e.plans, strings.Join(lines, "\n"))
	return e.runner.query(ctx, text, args)
}

// Grams are the pieces that a word is looked up by.
func Grams(word string) []string { return grams(word, manyGrams) }

// IndexTerms is what SQLite's index has of a searchable text.
func IndexTerms(search string) string { return indexTerms(search) }

// SearchQuery is what SQLite's index is asked for.
func SearchQuery(pieces ...string) string { return searchQuery(pieces) }

// LockStreams locks streams without their platform's route.
func LockStreams(ctx context.Context, tx *Tx, ids []billing.TenantID) (map[billing.TenantID]*Locked, error) {
	return lockStreamsOf(ctx, tx, ids)
}

// MostKinds is how many kinds of audit entries are looked up one by one.
const MostKinds = mostKinds

// ManyTenants is how many tenants with a word have their events looked up.
const ManyTenants = manyTenants

// Parts are the times that make up the hours from first to last, by length.
func Parts(first, last int64) map[int64][]int64 { return parts(first, last) }

// AttendAt tries to prove to others at an address that a process lives.
func AttendAt(ctx context.Context, address string, number int64) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return err
	}
	return attendOn(ctx, config, number, func() {})
}
