package store

import (
	"context"
	"fmt"
)

// next gives out the next number of a counter. The counter's row stays locked
// until the transaction ends, so numbers are in the order of commits.
func next(ctx context.Context, tx *Tx, counter string) (int64, error) {
	const text = `UPDATE counter SET value = value + 1 WHERE name = $1 RETURNING value`
	var n int64
	found, err := tx.One(ctx, text, []any{counter}, &n)
	if err == nil && !found {
		err = fmt.Errorf("there is no counter %q", counter)
	}
	return n, err
}
