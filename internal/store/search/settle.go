package search

import (
	"context"
	"database/sql/driver"
	"fmt"

	"modernc.org/sqlite"

	"github.com/tenantry/tenantry/internal/store/db"
)

// Triggers and the views behind the search tables call search_grams.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("search_grams", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		search, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("search_grams of a %T", args[0])
		}
		return indexTerms(search), nil
	})
}

// Settle tells SQLite's search tables what has changed. Triggers only write it
// down: a search table writes all it knows to the disk at every savepoint, and
// there is one around each of the transactions that are committed together.
func Settle(ctx context.Context, tx *db.Tx) error {
	var tables []string
	err := tx.Each(ctx, "SELECT DISTINCT of FROM search_change", nil, func(rows db.Row) error {
		tables = append(tables, "")
		return rows.Scan(&tables[len(tables)-1])
	})
	if err != nil || len(tables) == 0 {
		return err
	}
	for _, table := range tables {
		// The changes of a row in their order. Those of others may change places,
		// and the search table likes ids in ascending order.
		text := fmt.Sprintf(`INSERT INTO %s_search (%s_search, rowid, grams)
			SELECT command, id, search_grams(search) FROM search_change WHERE of = $1 ORDER BY id, seq`, table, table)
		if _, err := tx.Exec(ctx, text, table); err != nil {
			return fmt.Errorf("index the words of %s: %w", table, err)
		}
	}
	_, err = tx.Exec(ctx, "DELETE FROM search_change")
	return err
}
